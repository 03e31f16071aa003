import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { examine } from "../../../../demo/lib/inspection/examine.ts";

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
])("PEM %s is read", async (_, text) => {
  expect(await examine("pasted", new TextEncoder().encode(text()))).toMatchObject([
    { kind: "certificate", view: { title: "one" } },
  ]);
});

it("a text with a BEGIN but no block is reported, never passed over", async () => {
  for (const text of ["-----BEGIN ", "x -----BEGIN CERTIFICATE", '"-----BEGIN "'])
    expect(await examine("pasted", new TextEncoder().encode(text))).toMatchObject([
      { kind: "unreadable" },
    ]);
});

it("PKCS#12 is named, with the place where it is opened", async () => {
  const why = /^A PKCS#12 archive. Open it with Import/;
  expect(await examine("one.p12", fileBytes("one.p12"))).toEqual([
    { kind: "unreadable", name: "one.p12", why: expect.stringMatching(why) as unknown },
  ]);
});

it("of PKCS#7, as DER and as PEM, the certificates are read, and what signs something is refused", async () => {
  openssl("pkcs7", "-inform", "DER", "-in", "one.p7b", "-out", "one.p7");
  for (const name of ["one.p7b", "one.p7"])
    expect(await examine(name, fileBytes(name))).toMatchObject([
      { kind: "certificate", view: { title: "one" } },
    ]);
  const sign = "cms -sign -signer one.pem -inkey one.key -in one.pem -outform DER -out signed.p7m";
  openssl(...sign.split(" "));
  expect(await examine("signed.p7m", fileBytes("signed.p7m"))).toMatchObject([
    { kind: "unreadable", name: "signed.p7m" },
  ]);
});

it("truncated base64 is explained", async () => {
  expect(await examine("cut.txt", new TextEncoder().encode("abcde"))).toEqual([
    { kind: "unreadable", name: "cut.txt", why: "Truncated base64." },
  ]);
});

/**
 * Returns a certificate or request with three alternative names, the second with a non-ASCII
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
  "of a %s with an invalid name the other names are shown, and which one is invalid and why",
  async (kind, args) => {
    const [finding] = await examine("san.der", withBrokenName(...args));
    if (finding?.kind !== "certificate" && finding?.kind !== "request")
      throw new Error(`found ${finding?.kind}`);
    expect(finding.kind).toBe(kind);
    expect(finding.view.names).toEqual([
      { kind: "DNS", value: "good.test" },
      { kind: "IP", value: "10.1.2.3" },
    ]);
    expect(finding.view.brokenNames).toEqual([
      expect.stringMatching(
        /^Name 2: .*a DNS name is not ASCII\. Its bytes read as text: b‹U\+FFFD›cher\.test$/,
      ),
    ]);
  },
);
