import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { asn1, maxElements, type Asn1 } from "../../../../demo/lib/x509/asn1.ts";
import { chainOf } from "../../../../demo/lib/inspection/chain-drawing.ts";
import { readCertificate, type CertificateView } from "../../../../demo/lib/x509/decode.ts";
import { certificateReport } from "../../../../demo/lib/inspection/lints.ts";
import { verifyCertificates } from "../../../../demo/lib/inspection/verify-certificate.ts";
import { decodePem } from "../../../../src/base/pem.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-asn1-"));
const openssl = (...args: string[]): string =>
  execFileSync("openssl", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
const made = (file: string, ...args: string[]): void =>
  void openssl("req", "-x509", "-keyout", `${file}.key`, "-out", `${file}.pem`, ...args);
const below = (by: string): readonly string[] => ["-CA", `${by}.pem`, "-CAkey", `${by}.key`];
beforeAll(() => {
  const names = "subjectAltName=DNS:one.test,IP:192.0.2.1,email:a@one.test,URI:https://one.test/";
  const usage = "keyUsage=critical,digitalSignature,keyCertSign";
  made("root", ...ec, "-subj", "/CN=One Root", "-addext", "subjectKeyIdentifier=01:02:03:04");
  made("false", ...ec, "-subj", "/CN=One Root", "-addext", "subjectKeyIdentifier=01:02:03:04");
  made("middle", ...ec, "-subj", "/CN=Middle", ...below("root"));
  made(
    "leaf",
    ...ec,
    "-utf8",
    "-subj",
    "/CN=one.test/O=Öl",
    "-addext",
    names,
    "-addext",
    usage,
    ...below("middle"),
  );
  made("forged", ...ec, "-subj", "/CN=forged.test", ...below("false"));
  made("weak", "-newkey", "rsa:1024", "-nodes", "-sha1", "-days", "30", "-subj", "/CN=weak.test");
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const pem = (file: string): string => readFileSync(join(folder, `${file}.pem`), "utf8");
const der = (file: string): Uint8Array => decodePem(pem(file))[0]?.der ?? new Uint8Array();

const flat = (all: readonly Asn1[], depth = 0): readonly (readonly [Asn1, number])[] =>
  all.flatMap((one) => [[one, depth] as const, ...flat(one.children, depth + 1)]);

it("every element has the offset, length and depth that openssl reports; encapsulated elements are added", () => {
  for (const file of ["root", "leaf", "weak"]) {
    const lines = openssl("asn1parse", "-in", `${file}.pem`).split("\n").filter(Boolean);
    const theirs = lines.map((line) => {
      const [, at = "", depth = "", length = ""] =
        /^\s*(\d+):d=(\d+)\s+hl=\d+\s+l=\s*(\d+)/.exec(line) ?? [];
      return `${at} ${depth} ${length}`;
    });
    const ours = flat(asn1(der(file)).all);
    const places = new Set(ours.map(([{ at, length }, depth]) => `${at} ${depth} ${length}`));
    expect(theirs.length).toBeGreaterThan(20);
    expect(theirs.filter((one) => !places.has(one))).toEqual([]);
    // Extensions and keys contain elements that openssl shows as bytes.
    expect(ours.length).toBeGreaterThan(theirs.length);
  }
  const values = flat(asn1(der("leaf")).all).map(([{ tag, value }]) => `${tag} ${value}`);
  expect(values).toContain("OBJECT IDENTIFIER 2.5.4.3 common name");
  expect(values).toContain("OBJECT IDENTIFIER 2.5.29.15 key usage");
  expect(values).toContain("UTF8String Öl");
  expect(values).toContain("[2] one.test");
  expect(values).toContain("OBJECT IDENTIFIER 1.2.840.10045.4.3.2 ECDSA with SHA-256");
});

it("truncated, deeply nested or long input is parsed within limits and marked as cut", () => {
  const whole = der("leaf");
  for (let length = 0; length < whole.length; length++)
    expect(flat(asn1(whole.subarray(0, length)).all).length).toBeLessThan(200);
  let deep = new Uint8Array([5, 0]);
  for (let i = 0; i < 60; i++) deep = new Uint8Array([0x30, deep.length, ...deep]);
  expect(flat(asn1(deep).all).length).toBeLessThan(60);
  const many = new Uint8Array(2 * 5000 + 4);
  many.set([0x30, 0x82, 10_000 >> 8, 10_000 & 255]);
  for (let i = 0; i < 5000; i++) many.set([5, 0], 4 + 2 * i);
  const found = asn1(many);
  expect(found.cut).toBe(true);
  expect(flat(found.all).length).toBeLessThanOrEqual(maxElements + 1);
});

const told = async (files: readonly string[]) => {
  const views = await Promise.all(files.map((file) => readCertificate(pem(file))));
  const vouched = await verifyCertificates(views, new Date());
  const chain = (view: CertificateView | undefined) =>
    view ? chainOf(view, vouched).map((one) => [one.view.title, one.state]) : [];
  return { views, chain };
};

it("a chain is shown from the root down, with the state of each signature", async () => {
  const { views, chain } = await told(["leaf", "root", "middle"]);
  expect(chain(views[0])).toEqual([
    ["One Root", "own"],
    ["Middle", "verified"],
    ["one.test", "verified"],
  ]);
  expect(chain(views[1])).toEqual([["One Root", "own"]]);
});

it("a forged certificate is shown below the issuer it names, with an invalid signature", async () => {
  const { views, chain } = await told(["forged", "root"]);
  expect(chain(views[0])).toEqual([
    ["One Root", "own"],
    ["forged.test", "broken"],
  ]);
});

it("the signature of a certificate without its issuer is unknown, and the rest of the chain is still verified", async () => {
  const { views, chain } = await told(["leaf", "middle"]);
  expect(chain(views[0])).toEqual([
    ["Middle", "unknown"],
    ["one.test", "verified"],
  ]);
});

it("lints report SHA-1 and short keys, the most severe first, and no errors for a sound leaf", async () => {
  const weak = certificateReport(der("weak"))?.findings ?? [];
  expect(weak.map(({ severity, rule }) => `${severity}: ${rule}`)).toEqual(
    expect.arrayContaining([
      "error: Signed with SHA1WithRSA, which can be forged",
      "error: RSA key of 1024 bits; at least 2048 required",
    ]),
  );
  expect(weak.map(({ severity }) => severity)).toEqual(
    weak
      .map(({ severity }) => severity)
      .toSorted((a, b) => "ewi".indexOf(a[0] ?? "") - "ewi".indexOf(b[0] ?? "")),
  );
  const sound = certificateReport(der("leaf"));
  expect(sound?.findings.filter(({ severity }) => severity === "error")).toEqual([]);
});
