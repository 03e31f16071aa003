import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { examine } from "../../../../demo/lib/inspection/examine.ts";
import { certificateReport } from "../../../../demo/lib/inspection/lints.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-examine-"));
const openssl = (...args: string[]): unknown =>
  execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
const fileBytes = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(join(folder, name)));

beforeAll(() => {
  openssl(
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "one.key",
    "-out",
    "one.pem",
    "-subj",
    "/CN=one",
  );
  openssl(
    "pkcs12",
    "-export",
    "-in",
    "one.pem",
    "-inkey",
    "one.key",
    "-out",
    "one.p12",
    "-passout",
    "pass:abc",
  );
  openssl("crl2pkcs7", "-nocrl", "-certfile", "one.pem", "-outform", "DER", "-out", "one.p7b");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pem = (): string => readFileSync(join(folder, "one.pem"), "utf8");
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64DerOf = (text: string): string => text.replace(/-----.*-----|\s/g, "");
const indented = (text: string): string => text.replace(/^(?=.)/gm, "    ");
it.each<[string, () => string]>([
  ["indented, as in YAML", () => `data:\n  ca.pem: |\n${indented(pem())}`],
  ["indented by tabs", () => pem().replace(/^(?=.)/gm, "\t")],
  ["in JSON", () => JSON.stringify({ data: { certificate: pem(), ca_chain: [] } })],
  ["on one line with the characters \\n", () => pem().replaceAll("\n", "\\n")],
  ["on one line with the characters \\r\\n", () => pem().replaceAll("\n", "\\r\\n")],
  ["in base64, as the value of a Kubernetes Secret", () => base64(pem())],
  ["in base64 on several lines", () => base64(pem()).replace(/(.{60})/g, "$1\n")],
  ["in a manifest of a Kubernetes Secret", () => `data:\n  tls.crt: ${base64(pem())}\n`],
])("PEM %s is parsed", async (_, text) => {
  expect(await examine("pasted", new TextEncoder().encode(text()))).toMatchObject([
    { kind: "certificate", view: { title: "one" } },
  ]);
});

it("text with a BEGIN marker but no complete block is reported as unreadable", async () => {
  for (const text of ["-----BEGIN ", "x -----BEGIN CERTIFICATE", '"-----BEGIN "'])
    expect(await examine("pasted", new TextEncoder().encode(text))).toMatchObject([
      { kind: "unreadable" },
    ]);
});

const seen = async (name: string, passwords: readonly string[] = []) =>
  await examine(name, fileBytes(name), passwords);
const typed = async (text: string) => await examine("pasted", new TextEncoder().encode(text));

it("a PKCS#12 archive is locked until a password opens it, and then yields its certificate and key", async () => {
  for (const passwords of [[], ["wrong"]])
    expect(await seen("one.p12", passwords)).toEqual([
      { kind: "locked", name: "one.p12", what: "PKCS#12 archive" },
    ]);
  const found = await seen("one.p12", ["wrong", "abc"]);
  expect(found.map(({ kind }) => kind)).toEqual(["certificate", "key"]);
  const inSecret = `data:\n  keystore.p12: ${Buffer.from(fileBytes("one.p12")).toString("base64")}\n`;
  expect(await typed(inSecret)).toMatchObject([{ kind: "locked" }]);
});

it("certificates and CRLs are read from PKCS#7 and CMS in DER, BER and PEM, also from signed data", async () => {
  openssl("pkcs7", "-inform", "DER", "-in", "one.p7b", "-out", "one.p7");
  for (const name of ["one.p7b", "one.p7"])
    expect(await seen(name)).toMatchObject([{ kind: "certificate", view: { title: "one" } }]);
  const sign = "cms -sign -signer one.pem -inkey one.key -in one.pem -outform DER";
  openssl(...`${sign} -out signed.p7m`.split(" "));
  openssl(...`${sign} -nodetach -stream -out stream.p7m`.split(" "));
  for (const name of ["signed.p7m", "stream.p7m"])
    expect(await seen(name)).toMatchObject([{ kind: "certificate", view: { title: "one" } }]);
  const config = "[ca]\ndefault_ca=c\n[c]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=9\n";
  writeFileSync(join(folder, "ca.conf"), config);
  writeFileSync(join(folder, "index"), "");
  openssl(..."ca -config ca.conf -gencrl -cert one.pem -keyfile one.key -out one.crl".split(" "));
  openssl(..."crl2pkcs7 -in one.crl -certfile one.pem -out crl.p7".split(" "));
  expect((await seen("crl.p7")).map(({ kind }) => kind)).toEqual(["certificate", "crl"]);
});

it("a key is described by algorithm, size and the fingerprint of its public key", async () => {
  openssl("pkey", "-in", "one.key", "-pubout", "-out", "one.pub");
  openssl(..."genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:1024 -out weak.key".split(" "));
  openssl(..."genpkey -algorithm ED448 -out edwards.key".split(" "));
  openssl(..."ecparam -genkey -name secp256k1 -out old.key".split(" "));
  openssl(..."pkcs8 -topk8 -in one.key -passout pass:abc -out locked.key".split(" "));
  const [own] = await seen("one.key");
  expect(own).toMatchObject({ kind: "key", name: "ECDSA P-256", form: "PKCS#8", why: "" });
  const keyPrint = own?.kind === "key" ? own.keyPrint : "";
  expect(keyPrint).toMatch(/^[0-9a-f]{64}$/);
  expect(await seen("one.pub")).toMatchObject([
    { kind: "public key", name: "ECDSA P-256", keyPrint },
  ]);
  expect(await seen("weak.key")).toMatchObject([
    { kind: "key", name: expect.stringContaining("RSA 1024") as string },
  ]);
  expect(await seen("edwards.key")).toMatchObject([
    { kind: "key", name: expect.stringContaining("Ed448") as string },
  ]);
  expect(await seen("old.key")).toMatchObject([
    { kind: "named", what: expect.stringContaining("secp256k1") as string },
    { kind: "key", form: "SEC1" },
  ]);
  expect(await seen("locked.key")).toMatchObject([{ kind: "locked" }]);
  expect(await seen("locked.key", ["abc"])).toMatchObject([{ kind: "key", keyPrint }]);
});

it("a certificate with trust settings and an x5c member are read; SSH keys and other text are identified", async () => {
  openssl(..."x509 -in one.pem -trustout -addtrust serverAuth -out trusted.pem".split(" "));
  expect(await seen("trusted.pem")).toMatchObject([
    { kind: "certificate", view: { title: "one" } },
  ]);
  expect(await typed("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB you@host")).toMatchObject([
    { kind: "named", what: expect.stringContaining("SSH public key") as string },
  ]);
  expect(await typed("hello world")).toMatchObject([
    { kind: "unreadable", why: expect.stringMatching(/^This is not a certificate/) as string },
  ]);
  const x5c = JSON.stringify({ x5c: [base64DerOf(pem()), base64DerOf(pem())] });
  expect((await typed(x5c)).map(({ kind }) => kind)).toEqual(["certificate", "certificate"]);
});

it("truncated base64 is reported as such", async () => {
  expect(await examine("cut.txt", new TextEncoder().encode("abcde"))).toEqual([
    { kind: "unreadable", name: "cut.txt", why: "Truncated base64." },
  ]);
});

/**
 * Returns a certificate or CSR with three alternative names, the second of which has a non-ASCII
 * letter.
 */
function withBrokenName(...args: readonly string[]): Uint8Array<ArrayBuffer> {
  openssl(
    "req",
    ...args,
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "san.key",
    "-outform",
    "DER",
    "-out",
    "san.der",
    "-subj",
    "/O=Names",
    "-addext",
    "subjectAltName=DNS:good.test,DNS:bucher.test,IP:10.1.2.3",
  );
  const der = Buffer.from(fileBytes("san.der"));
  der[der.indexOf("bucher.test") + 1] = 0xfc;
  return new Uint8Array(der);
}

it.each([
  ["certificate", ["-x509"]],
  ["request", []],
])(
  "a %s with an invalid name shows the other names, and which name is invalid and why",
  async (kind, args) => {
    const [finding] = await examine("san.der", withBrokenName(...args));
    if (finding?.kind !== "certificate" && finding?.kind !== "request")
      throw new Error(`unexpected finding: ${finding?.kind}`);
    expect(finding.kind).toBe(kind);
    expect(finding.view.names).toEqual([
      { kind: "DNS", value: "good.test" },
      { kind: "IP", value: "10.1.2.3" },
    ]);
    expect(finding.view.brokenNames).toEqual([
      expect.stringMatching(
        /^Name 2: .*a DNS name is not ASCII\. As text, its bytes are: b‹U\+FFFD›cher\.test$/,
      ),
    ]);
  },
);

it("a certificate that is not DER is rejected with the rule and offset, and linted as far as possible", async () => {
  const der = Buffer.from(base64DerOf(pem()), "base64");
  // critical TRUE in basicConstraints, encoded with a value that only BER allows
  const at = der.indexOf(Buffer.from("0101ff0405", "hex"));
  der[at + 2] = 1;
  const rejected = {
    kind: "unreadable",
    why: expect.stringContaining(`Not DER at byte ${at}: a BOOLEAN is neither 00 nor FF`) as string,
  };
  const text = `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
  const [found] = await typed(text);
  expect(found).toMatchObject(rejected);
  expect(await examine("one.der", new Uint8Array(der))).toMatchObject([rejected]);
  const report = certificateReport(der);
  expect(report?.checked).toContain("rules checked");
});
