// The main path of the library, run with the packed package by runtimes.sh: issue, verify, revoke.
import { createCa, memoryStore } from "sealwright";
import { verify } from "sealwright/verify";

const ca = createCa({ stores: memoryStore() });
await ca.ensure({
  root: { common_name: "Root" },
  roles: [{ name: "web", key_type: "ec", allow_any_name: true }],
});
const leaf = await ca.pki.issue({ role: "web", common_name: "www.example.com" });
const options = { anchors: [leaf.issuing_ca], name: "www.example.com" };
const before = await verify(leaf.certificate, options);
await ca.pki.revoke({ serial_number: leaf.serial_number });
const crl = await ca.pki.readCrlPem();
const crls = [typeof crl === "string" ? crl : new TextDecoder().decode(crl.bytes)];
const after = await verify(leaf.certificate, { ...options, crls });
const codes = after.reasons.map(({ code }) => code).join();
if (!before.ok || after.ok || codes !== "revoked")
  throw new Error(`unexpected verification results: ${codes}`);
process.stdout.write("main path: issued, verified, revoked, listed in the CRL\n");
