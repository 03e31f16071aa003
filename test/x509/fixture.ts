import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scheme } from "../../src/engine/ports.ts";
import { installed } from "../support/programs.ts";
import {
  algorithmIdentifier,
  defaultScheme,
  webCryptoParameters,
  keyIdentifier,
  parsePublicKey,
  type PublicKey,
} from "../../src/x509/public-key.ts";
import {
  assembleSigned,
  encodeTbsCertificate,
  type TbsFields,
} from "../../src/x509/certificate.ts";
import { ecdsaToDer } from "../../src/algorithms/nist-curves.ts";
import { asBytes } from "../../src/base/bytes.ts";
import { encodeCsrInfo } from "../../src/x509/csr.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { keyUsage } from "../../src/x509/usage.ts";
import { authorityKeyIdentifier, subjectKeyIdentifier } from "../../src/x509/key-identifiers.ts";
import { type Extension } from "../../src/x509/extension.ts";
import { encodeName, type Rdn } from "../../src/x509/name.ts";
import { nameOid } from "../../src/x509/oid.ts";

export const hasOpenssl = installed("openssl", "version");

/** Runs openssl, with optional standard input, and returns its output as text. */
export const openssl = (args: readonly string[], input?: Uint8Array | string): string =>
  execFileSync("openssl", [...args], {
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
    ...(input !== undefined && { input }),
  });

/** Runs openssl, with optional standard input, and returns its output as bytes. */
export const opensslBytes = (args: readonly string[], input?: Uint8Array | string): Uint8Array =>
  new Uint8Array(
    execFileSync("openssl", [...args], {
      stdio: ["pipe", "pipe", "pipe"],
      ...(input !== undefined && { input }),
    }),
  );

/** Calls `run` with a temporary folder of files, which is removed afterwards. */
export function withFiles<T>(
  files: Readonly<Record<string, string | Uint8Array>>,
  run: (path: (name: string) => string) => T,
): T {
  const folder = mkdtempSync(join(tmpdir(), "x509-"));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return run((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface TestKey {
  readonly key: PublicKey;
  readonly scheme: Scheme;
  sign(data: Uint8Array): Promise<Uint8Array>;
}

export async function makeKey(
  kind: "P-256" | "P-384" | "P-521" | "Ed25519" | "RSA" | "RSA-PSS",
  signatureBits = 0,
): Promise<TestKey> {
  const scheme: Scheme = kind.startsWith("RSA")
    ? {
        name: kind === "RSA" ? "RSASSA-PKCS1-v1_5" : "RSA-PSS",
        hash: signatureBits === 512 ? "SHA-512" : signatureBits === 384 ? "SHA-384" : "SHA-256",
      }
    : { name: kind === "Ed25519" ? "Ed25519" : "ECDSA" };
  const generation = kind.startsWith("RSA")
    ? {
        name: scheme.name,
        hash: scheme.hash ?? "SHA-256",
        modulusLength: 2048,
        publicExponent: Uint8Array.of(1, 0, 1),
      }
    : kind === "Ed25519"
      ? { name: "Ed25519" }
      : { name: "ECDSA", namedCurve: kind };
  const pair = (await crypto.subtle.generateKey(generation, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const key = parsePublicKey(new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)));
  const used = key.type === "ec" ? defaultScheme(key) : scheme;
  const sign = async (data: Uint8Array): Promise<Uint8Array> => {
    const signature = new Uint8Array(
      await crypto.subtle.sign(webCryptoParameters(used), pair.privateKey, asBytes(data)),
    );
    return key.type === "ec" ? ecdsaToDer(signature) : signature;
  };
  return { key, scheme: used, sign };
}

export const commonName = (value: string): readonly Rdn[] => [[{ oid: nameOid.commonName, value }]];

export const defined = (extensions: readonly (Extension | undefined)[]): readonly Extension[] =>
  extensions.filter((one) => one !== undefined);

/** Returns a self-signed CA certificate whose name has several attributes, and its fields. */
export async function makeCa(
  signer: TestKey,
  fields: Partial<TbsFields> = {},
): Promise<{ readonly der: Uint8Array; readonly fields: TbsFields }> {
  const identifier = await keyIdentifier(signer.key.spki);
  const name = encodeName([
    [{ oid: nameOid.country, value: "DE" }],
    [{ oid: nameOid.organization, value: "Prüfstelle & Söhne" }],
    ...commonName("Test CA"),
  ]);
  const all: TbsFields = {
    serial: Uint8Array.of(1, 2, 3),
    algorithm: algorithmIdentifier(signer.scheme),
    issuer: name,
    notBefore: 1790000000,
    notAfter: 2600000000,
    subject: name,
    spki: signer.key.spki,
    extensions: defined([
      keyUsage(["CertSign", "CRLSign"]),
      basicConstraints(true),
      subjectKeyIdentifier(identifier),
      authorityKeyIdentifier(identifier),
      ...(fields.extensions ?? []),
    ]),
  };
  const merged = { ...all, ...fields, extensions: all.extensions };
  return { fields: merged, der: await certify(signer, merged) };
}

/** Returns a signed certificate with these fields. */
export async function certify(signer: TestKey, fields: TbsFields): Promise<Uint8Array> {
  const tbs = encodeTbsCertificate(fields);
  return assembleSigned(tbs, fields.algorithm, await signer.sign(tbs));
}

/** Returns a signed CSR. */
export async function makeCsr(
  signer: TestKey,
  subject: readonly Rdn[],
  extensions: readonly Extension[],
): Promise<Uint8Array> {
  const info = encodeCsrInfo({ subject: encodeName(subject), spki: signer.key.spki, extensions });
  return assembleSigned(info, algorithmIdentifier(signer.scheme), await signer.sign(info));
}
