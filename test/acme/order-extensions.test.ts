import { beforeEach, describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { sequence, integer } from "../../src/base/der.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { readCertificate, sanOf } from "../pki/reading.ts";
import { templateFor } from "../external/deciding.ts";
import { extKeyUsage, type Extension } from "../x509/extensions.ts";
import { acmeAuthority, type AcmeAuthority, type AcmeClient } from "./client.ts";
import { chainIn, finalize, readyOrder } from "./ordering.ts";

const [serverAuth, clientAuth, ocspSigning] = [1, 2, 9].map((n) => `1.3.6.1.5.5.7.3.${n}`);
const purposes = (...oids: readonly (string | undefined)[]) =>
  extKeyUsage(oids.filter((oid) => oid !== undefined));
const features = (...numbers: readonly number[]): Extension => ({
  oid: extensionOid.tlsFeature,
  critical: false,
  value: sequence(...numbers.map(integer)),
});
const unreadable = (oid: string): Extension => ({
  oid,
  critical: false,
  value: Uint8Array.of(5, 0),
});

let a: AcmeAuthority;
beforeEach(async () => {
  a = await acmeAuthority();
});
/** Returns the extensions issued for a CSR with some extensions, and the warnings of its order. */
async function issuedWith(client: AcmeClient, more: readonly (Extension | undefined)[]) {
  const order = await readyOrder(a, client, ["a.example"]);
  const done = await finalize(client, order, { names: ["a.example"], more });
  expect(done.status, done.text).toBe(200);
  // later reads return the same warnings
  const read = (await client.post(order)).json;
  expect(read["warnings"]).toEqual(done.json["warnings"]);
  const leaf = readCertificate(chainIn(await client.post(`${order}/cert`))[0]);
  const feature = leaf.extensions.find(({ oid }) => oid === extensionOid.tlsFeature);
  return { purposes: leaf.purposes, warnings: read["warnings"], feature };
}

describe("extended key usages of a CSR (B 5.9 csr key usages)", () => {
  it.each([
    [[serverAuth, clientAuth], "omitted: ClientAuth; the certificate has ServerAuth"],
    [[clientAuth], "omitted: ClientAuth; the certificate has ServerAuth"],
    [[ocspSigning, "1.2.3.4"], "omitted: OCSPSigning, 1.2.3.4; the certificate has ServerAuth"],
  ])("%j: issues serverAuth and lists the others in the order's warnings", async (asked, text) => {
    const issued = await issuedWith(await a.registered(), [purposes(...asked)]);
    expect(issued.purposes).toEqual([serverAuth]);
    expect(issued.warnings).toEqual([`extended key usages of the CSR that were ${text}`]);
  });

  it("serverAuth or none: the order has no warnings", async () => {
    const client = await a.registered();
    for (const more of [[], [purposes(serverAuth)]])
      expect((await issuedWith(client, more)).warnings).toBeUndefined();
  });

  it("an extension that cannot be parsed is omitted with a warning", async () => {
    const issued = await issuedWith(await a.registered(), [unreadable(extensionOid.extKeyUsage)]);
    expect(issued.purposes).toEqual([serverAuth]);
    expect(issued.warnings).toEqual([
      "the extended key usages of the CSR cannot be parsed and were omitted from the certificate",
    ]);
  });

  it("many: the warning names ten of them", async () => {
    const many = Array.from({ length: 300 }, (_, i) => `1.2.3.${i}`);
    const { warnings } = await issuedWith(await a.registered(), [purposes(...many)]);
    expect(String(warnings)).toMatch(/1\.2\.3\.9 and 290 more; the certificate has ServerAuth$/);
  });

  it("a role may add usages, which the CSR cannot extend", async () => {
    await a.role("web", { client_flag: true });
    await a.call("POST", "pki/config/acme", { allow_role_ext_key_usage: true });
    const client = await a.registered({ at: "roles/web/acme" });
    const both = await issuedWith(client, [purposes(serverAuth, clientAuth)]);
    expect([both.purposes, both.warnings]).toEqual([[serverAuth, clientAuth], undefined]);
    const more = await issuedWith(client, [purposes(clientAuth, ocspSigning)]);
    expect(more.purposes).toEqual([serverAuth, clientAuth]);
    expect(more.warnings).toEqual([
      expect.stringContaining("omitted: OCSPSigning; the certificate has ServerAuth, ClientAuth"),
    ]);
  });
});

describe("TLS features of a CSR (B 5.9 csr tls features)", () => {
  it.each([
    ["status_request", [5], [5], undefined],
    ["status_request_v2", [17], [17], undefined],
    ["both", [17, 5], [5, 17], undefined],
    ["one more", [5, 35, 23], [5], ["TLS features of the CSR that were omitted: 35, 23"]],
    ["others alone", [35], undefined, ["TLS features of the CSR that were omitted: 35"]],
  ] as const)("%s: only features for stapling are issued", async (_, asked, given, warnings) => {
    const issued = await issuedWith(await a.registered(), [features(...asked)]);
    expect(issued.feature).toEqual(given && features(...given));
    expect(issued.warnings).toEqual(warnings);
  });

  it("are never critical, even if critical in the CSR, and are not removed by a role", async () => {
    await a.role("web");
    const client = await a.registered({ at: "roles/web/acme" });
    const issued = await issuedWith(client, [{ ...features(5), critical: true }]);
    expect(issued.feature).toEqual(features(5));
  });

  it("a malformed extension is omitted with a warning", async () => {
    const issued = await issuedWith(await a.registered(), [unreadable(extensionOid.tlsFeature)]);
    expect(issued.feature).toBeUndefined();
    expect(issued.warnings).toEqual([
      "the TLS feature extension of the CSR cannot be parsed and was omitted from the certificate",
    ]);
  });
});

it("an external policy decides about both extensions, and its omissions are in the order's warnings", async () => {
  let template = {};
  a = await acmeAuthority({
    externalPolicy: async ({ request_uuid, user_request_key_values: { csr } }) => ({
      request_uuid,
      certificate: encodePem("CERTIFICATE", await templateFor(csr, template)),
      issuer_ref: "root",
      store_certificate: true,
    }),
  });
  await a.call("POST", "pki/config/external-policy", { enabled: true });
  const client = await a.registered({ at: "external-policy/acme" });
  const more = [purposes(serverAuth, clientAuth), features(5)];
  expect((await issuedWith(client, more)).warnings).toEqual([
    expect.stringContaining("omitted: ClientAuth; the certificate has ServerAuth"),
    "TLS features of the CSR that were omitted: 5",
  ]);
  template = { extensions: [...more, sanOf({ dns: ["a.example"] })] };
  const issued = await issuedWith(client, more);
  expect([issued.feature, issued.warnings]).toEqual([features(5), undefined]);
});
