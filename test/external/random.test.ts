import { X509Certificate as NodeCertificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { X509Certificate } from "../pki/peculiar.ts";
import { derOf, sanOf } from "../pki/reading.ts";
import { seeded, start } from "../support/authority.ts";
import { basicConstraints, extKeyUsage, keyUsage, type Extension } from "../x509/extensions.ts";
import { openssl, withFiles } from "../x509/fixture.ts";
import { deciding, plainCsr, templateFor, type Deciding, type Template } from "./deciding.ts";

/** A seeded random generator. */
interface Chance {
  below(limit: number): number;
  one<T>(of: readonly T[]): T;
  bytes(length: number): Uint8Array;
}
function chanceOf(seed: number): Chance {
  const bytes = seeded(seed);
  const below = (limit: number) =>
    bytes(4).reduce((sum, byte) => (sum * 256 + byte) % 4_294_967_296, 0) % limit;
  return {
    below,
    bytes,
    // the index is below the length
    one: <T>(of: readonly T[]) => of[below(of.length)] as T,
  };
}

const oids = [
  ..."14 15 17 18 19 29 30 31 32 33 35 36 37 46 54 56".split(" ").map((last) => `2.5.29.${last}`),
  "1.3.6.1.5.5.7.1.1",
  "1.3.6.1.5.5.7.1.24",
  "1.3.6.1.4.1.11129.2.4.2",
  "1.3.6.1.4.1.11129.2.4.3",
  "2.16.840.1.113730.1.1",
  "1.2.3.4",
];
function anExtension({ below, one, bytes }: Chance): Extension {
  const value = one([
    Uint8Array.of(0x30, 0),
    Uint8Array.of(5, 0),
    Uint8Array.of(3, 2, below(8), below(256)),
    Uint8Array.of(0x30, 3, 1, 1, 0xff),
    Uint8Array.of(2, 1, below(128)),
    bytes(below(20)),
  ]);
  return { oid: one(oids), critical: below(4) === 0, value };
}
const names = ["a.example", "*.b.example", "xn--bcher-kva.example", "a..b", "A.example", "", "a b"];
function aTemplate(chance: Chance, ca: boolean): Template {
  const { below, one, bytes } = chance;
  const more = Array.from({ length: Math.max(0, below(4) - 2) }, () => anExtension(chance));
  return {
    serial: bytes(one([16, 16, 16, 16, 17, 18, 20, 8, 19, 21, 1])),
    from: one([-60, -60, 0, 60, -1e9]),
    until: one([3600, 3600, 3600, 86_400, 86_400, -1, 1e9, 5e9]),
    subject: one(["a.example", "a.example", "", "a".repeat(70), "ü", []]),
    extensions: [
      ca ? keyUsage(["CertSign", "CRLSign"]) : keyUsage(["DigitalSignature"]),
      one([extKeyUsage(["1.3.6.1.5.5.7.3.1"]), undefined]),
      ca ? basicConstraints(true) : one([basicConstraints(false), undefined]),
      sanOf({
        dns: Array.from({ length: below(3) }, () => one(names)),
        ip: below(3) === 0 ? ["192.0.2.1"] : [],
        email: below(4) === 0 ? [one(["a@example.com", "a@b@c"])] : [],
      }),
      ...more,
    ].filter((one) => below(12) > 0 || one === undefined),
  };
}
/** Returns the bytes, occasionally with one of them changed. */
function perhapsBroken({ below, bytes }: Chance, der: Uint8Array): Uint8Array {
  if (below(6) > 0) return der;
  const broken = der.slice();
  broken[below(broken.length)] = bytes(1)[0] ?? 0;
  return broken;
}

/**
 * Issues from a template generated from a seed. Returns the certificate as PEM, if one was issued.
 */
async function issued(it: Deciding, seed: number): Promise<string | undefined> {
  const chance = chanceOf(seed);
  const { below } = chance;
  const ca = below(3) === 0;
  it.answer = async (asked) => {
    const { csr } = asked.user_request_key_values;
    const der = await templateFor(csr, aTemplate(chance, below(8) === 0 ? !ca : ca)).catch(() =>
      templateFor(csr),
    );
    return {
      ...(await it.yes(asked)),
      certificate: encodePem("CERTIFICATE", perhapsBroken(chance, der)),
    };
  };
  const form = ca ? "sign-intermediate" : "sign";
  const body = { csr: await plainCsr() };
  const { status, data, text } = await it.post(`external-policy/${form}`, body, below(2) === 0);
  if (status === 200) return String(data["certificate"]);
  expect([400, 500], text).toContain(status);
  expect(text, text).toMatch(/external policy service|certificate would|cannot satisfy|unable/);
  return undefined;
}

/** Asserts that all parsers read a stored certificate, and that it verifies while it is valid. */
function holds(pem: string, root: string): void {
  const ours = parseCertificate(derOf(pem));
  const peculiar = new X509Certificate(pem);
  expect(Buffer.from(peculiar.publicKey.rawData).equals(ours.spki)).toBe(true);
  const node = new NodeCertificate(pem);
  expect(node.checkIssued(new NodeCertificate(root))).toBe(true);
  const at = Math.max(ours.notBefore, start / 1000) + 1;
  if (at > ours.notAfter) return;
  const told = withFiles({ "leaf.pem": `${pem}\n`, "root.pem": `${root}\n` }, (path) =>
    openssl(
      ["verify", "-ignore_critical", "-partial_chain", "-attime", String(at)].concat([
        "-CAfile",
        path("root.pem"),
        path("leaf.pem"),
      ]),
    ),
  );
  expect(told).toMatch(/OK/);
}

describe("random templates are rejected, or the issued certificate is valid (security row 57)", () => {
  const fresh = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  it.each([
    ["200 fixed seeds", 1, 200],
    [`50 new seeds from SEED=${fresh} on`, fresh, 50],
  ])("%s", async (_, from, count) => {
    const it = await deciding();
    await it.a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "truncate" });
    const root = String((await it.a.call("GET", "pki/cert/ca")).data["certificate"]);
    const made: string[] = [];
    for (let seed = from; seed < from + count; seed++) {
      const pem = await issued(it, seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
      if (pem === undefined) continue;
      made.push(pem);
      holds(pem, root);
    }
    // rejected requests have stored nothing, and issued certificates are stored
    expect(await it.certificates()).toHaveLength(made.length + 1);
    if (count === 200) expect(made.length).toBeGreaterThan(20);
  });
});
