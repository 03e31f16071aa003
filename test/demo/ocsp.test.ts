import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCertificate, type CertificateView } from "../../demo/lib/x509/decode.ts";
import { examine } from "../../demo/lib/inspection/examine.ts";
import { encodeOcspQuery, opensslCommand, wrongSerial } from "../../demo/lib/x509/ocsp-query.ts";
import { readOcspResponse, type OcspView } from "../../demo/lib/x509/ocsp-view.ts";
import { verifyOcsp } from "../../demo/lib/inspection/verify-ocsp.ts";
import { asBytes, fromHex } from "../../src/base/bytes.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-ocsp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const openssl = (...args: string[]): string =>
  execFileSync("openssl", args, { cwd: folder, stdio: "pipe" }).toString();
const file = (name: string) => new Uint8Array(readFileSync(join(folder, name)));
const certificate = (name: string): Promise<CertificateView> =>
  readCertificate(readFileSync(join(folder, `${name}.pem`), "utf8"));

const words = (line: string): readonly string[] => line.split(" ");
const key = words("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes");
/** Creates a key and a certificate with openssl, in files with this name. */
function make(name: string, by: string, extensions: readonly string[], days = 30): void {
  const added = extensions.flatMap((one) => ["-addext", one]);
  const signed = by ? ["-CA", `${by}.pem`, "-CAkey", `${by}.key`] : [];
  const files = words(`-keyout ${name}.key -out ${name}.pem -days ${days}`);
  openssl(...key, "-subj", `/CN=${name}`, ...added, ...signed, ...files);
}
const nonce = fromHex("00112233445566778899aabbccddeeff");
let issuer: CertificateView;

beforeAll(async () => {
  make("Issuer", "", ["keyUsage=critical,keyCertSign,cRLSign,digitalSignature"]);
  make("Other", "", ["keyUsage=critical,keyCertSign,cRLSign,digitalSignature"]);
  make("Responder", "Issuer", ["basicConstraints=CA:FALSE", "extendedKeyUsage=OCSPSigning"]);
  make("Web", "Issuer", ["basicConstraints=CA:FALSE", "extendedKeyUsage=serverAuth"]);
  const end = "351122000000Z";
  writeFileSync(
    join(folder, "index.txt"),
    [
      `V\t${end}\t\t0A01\tunknown\t/CN=good`,
      `R\t${end}\t260102030405Z,keyCompromise\t0B02\tunknown\t/CN=bad`,
      "",
    ].join("\n"),
  );
  issuer = await certificate("Issuer");
});

/** Returns the response of openssl's responder to our request, signed with the given certificate. */
async function answered(serial: string, signer = "Issuer", more: readonly string[] = []) {
  const request = await encodeOcspQuery({ issuer, serial, hash: "SHA-256", nonce: true }, nonce);
  writeFileSync(join(folder, "request.der"), request);
  const responder = words(
    `ocsp -index index.txt -CA Issuer.pem -ndays 1 -rsigner ${signer}.pem -rkey ${signer}.key`,
  );
  openssl(...responder, ...words("-reqin request.der -respout response.der"), ...more);
  const view = await readOcspResponse(asBytes(file("response.der")));
  if ("failure" in view) throw new Error(view.failure);
  return view;
}
const verdict = async (view: OcspView, ...among: readonly CertificateView[]) =>
  (await verifyOcsp(view, among)).why;

it("openssl answers our OCSP request, and status, times and nonce of its response are read", async () => {
  const good = await answered("0a:01");
  expect(good.answers).toMatchObject([{ serial: "0a01", state: "good", reason: "" }]);
  expect(good.nonce).toBe("00112233445566778899aabbccddeeff");
  expect(good.responder).toBe("CN=Issuer");
  const revoked = await answered("B02");
  expect(revoked.answers).toMatchObject([
    { serial: "0b02", state: "revoked", reason: "keyCompromise" },
  ]);
  expect(revoked.answers[0]?.revoked).toEqual(new Date("2026-01-02T03:04:05Z"));
  expect(revoked.answers[0]?.nextUpdate?.getTime()).toBeGreaterThan(
    revoked.answers[0]?.thisUpdate.getTime() ?? 0,
  );
  expect((await answered("7f")).answers).toMatchObject([{ serial: "7f", state: "unknown" }]);
});

it("the signature of the issuer is verified, by name and by key ID, and other signers are rejected", async () => {
  const other = await certificate("Other");
  const byName = await answered("0a01");
  expect(await verdict(byName, other, issuer)).toBe("Signed by Issuer, the issuer itself");
  expect(await verdict(await answered("0a01", "Issuer", ["-resp_key_id"]), issuer)).toBe(
    "Signed by Issuer, the issuer itself",
  );
  expect(await verdict(await answered("0a01", "Other"), issuer, other)).toBe(
    "Signed by Other, which is not the issuer in the request",
  );
  expect(await verifyOcsp(await answered("0a01", "Other", ["-resp_no_certs"]), [issuer])).toEqual({
    standing: "unknown",
    text: "Not verified",
    why: "Not verified: no certificate of the responder was found",
  });
});

it("a delegated responder of the issuer is accepted, but no other certificate of that issuer", async () => {
  expect(await verdict(await answered("0a01", "Responder"), issuer)).toBe(
    "Signed by Responder, a responder authorized by Issuer",
  );
  expect(await verifyOcsp(await answered("0a01", "Web"), [issuer])).toMatchObject({
    standing: "refused",
    why: "Web is not an OCSP responder",
  });
  expect(await verifyOcsp(await answered("0a01", "Responder"), [issuer])).toMatchObject({
    standing: "chain",
  });
  // an issuer that is only given is not trusted
  expect(await verifyOcsp(await answered("0a01"), [], [issuer])).toMatchObject({
    standing: "signature",
    why: "Signed by Issuer, the issuer itself",
  });
  // a certificate in a response is only proof if a known issuer signed it
  expect(
    await verifyOcsp(await answered("0a01", "Responder"), [await certificate("Other")]),
  ).toMatchObject({ standing: "unknown" });
});

it("a response with its issuer's certificate is not verified, but not shown as invalid either", async () => {
  const signed = await answered("0a01");
  const why =
    "Not verified: Issuer, the certificate’s issuer, was sent with the response and is not known here";
  expect(await verifyOcsp(signed, [])).toMatchObject({ standing: "unknown", why });
  expect(await verifyOcsp(signed, [await certificate("Other")])).toMatchObject({
    standing: "unknown",
    why,
  });
  // a certificate that is neither the issuer nor a delegated responder cannot sign responses
  expect(await verifyOcsp(await answered("0a01", "Web"), [])).toMatchObject({
    standing: "refused",
  });
});

it("a response that was changed after signing is refused", async () => {
  await answered("0b02");
  const bytes = file("response.der");
  const at = Buffer.from(bytes).indexOf("20260102030405Z");
  expect(at).toBeGreaterThan(0);
  bytes[at] = 0x31;
  const view = await readOcspResponse(asBytes(bytes));
  if ("failure" in view) throw new Error(view.failure);
  expect(await verifyOcsp(view, [issuer])).toMatchObject({
    standing: "refused",
    text: "Signature does not verify",
    why: "The signature does not verify with the key of Issuer",
  });
});

it("OCSP requests, responses and error responses are recognized in pasted input", async () => {
  await answered("0a01");
  const kinds = async (bytes: Uint8Array) =>
    (await examine("pasted", asBytes(bytes))).map(({ kind }) => kind);
  const base64 = (name: string) =>
    new TextEncoder().encode(Buffer.from(file(name)).toString("base64"));
  expect(await kinds(file("response.der"))).toEqual(["ocsp"]);
  expect(await kinds(base64("response.der"))).toEqual(["ocsp"]);
  expect(await kinds(base64("request.der"))).toEqual(["ocsp request"]);
  expect(await kinds(fromHex("30030a0106"))).toEqual(["ocsp refusal"]);
});

it("the shell command sends the same request, and openssl accepts its response", async () => {
  const question = { issuer, serial: "0a:01", hash: "SHA-256", nonce: true } as const;
  const command = opensslCommand(question, "http://127.0.0.1:9/v1/pki/ocsp");
  const [program = "", ...words] = command.replaceAll("\\\n", "").split(/\s+/);
  expect(program).toBe("openssl");
  await answered("0a01", "Responder");
  const asked = words.filter((word) => word !== "-url" && !word.startsWith("http:"));
  const told = openssl(...asked, "-no_nonce", "-respin", "response.der");
  expect(told).toContain("good");
  expect(opensslCommand({ ...question, hash: "SHA-1", nonce: false }, "u")).toContain("-no_nonce");
});

it.each(["", "xyz", "0a 0g", "a".repeat(41)])("%j is not a valid serial number", (text) => {
  expect(wrongSerial(text)).not.toBe("");
});
it.each(["a", "0A:01", "0a-01", "0a 01", "7f".repeat(20)])(
  "%j is a valid serial number",
  (text) => {
    expect(wrongSerial(text)).toBe("");
  },
);
