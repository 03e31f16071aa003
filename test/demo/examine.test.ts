import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { examine } from "../../demo/examine.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-examine-"));
const openssl = (...args: string[]): unknown => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
const fileBytes = (name: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(join(folder, name)));

beforeAll(() => {
  openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "one.key", "-out", "one.pem", "-subj", "/CN=one");
  openssl("pkcs12", "-export", "-in", "one.pem", "-inkey", "one.key", "-out", "one.p12", "-passout", "pass:abc");
  openssl("crl2pkcs7", "-nocrl", "-certfile", "one.pem", "-outform", "DER", "-out", "one.p7b");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ["one.p12", /^A PKCS#12 file, which is not opened here\. openssl pkcs12 /],
  ["one.p7b", /^A PKCS#7 file, which is not opened here\. openssl pkcs7 /],
])("%s is named, with the way to what can be read here", async (name, why) => {
  expect(await examine(name, fileBytes(name))).toEqual([{ kind: "unreadable", name, why: expect.stringMatching(why) as unknown }]);
});

it("text that is cut off base64 is told in words", async () => {
  expect(await examine("cut.txt", new TextEncoder().encode("abcde"))).toEqual([{ kind: "unreadable", name: "cut.txt", why: "Base64 that ends too early." }]);
});
