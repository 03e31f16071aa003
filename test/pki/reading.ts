import { fromBase64 } from "../../src/base/bytes.ts";
import { decodePem, encodePem } from "../../src/base/pem.ts";
import { findExtension, parseCertificate, type Certificate } from "../../src/x509/certificate.ts";
import * as extension from "../x509/extensions.ts";
import { readBasicConstraints } from "../../src/x509/basic-constraints.ts";
import { readExtKeyUsage, readKeyUsage } from "../../src/x509/usage.ts";
import { nameText, type Rdn } from "../../src/x509/name.ts";
import { extensionOid, nameOid } from "../../src/x509/oid.ts";
import { parseSan, type ParsedNames } from "../../src/x509/san.ts";
import { commonName, makeCsr, makeKey, openssl, withFiles, type TestKey } from "../x509/fixture.ts";

/** Returns the DER of the first PEM block. */
export function derOf(pem: unknown): Uint8Array {
  const [block] = decodePem(String(pem));
  if (!block) throw new Error("no PEM block");
  return block.der;
}
/** Returns the labels of the blocks in a PEM text. */
export const labelsOf = (pem: unknown): readonly string[] =>
  decodePem(String(pem)).map((block) => block.label);
export const bytesOf = (base64: unknown): Uint8Array =>
  fromBase64(String(base64)) ?? new Uint8Array(0);

/** A certificate parsed for a test. */
export interface Read extends Certificate {
  readonly names: ParsedNames | undefined;
  readonly usage: readonly string[];
  readonly purposes: readonly string[];
  readonly basic: { readonly ca: boolean; readonly pathLength?: number } | undefined;
  readonly text: { readonly subject: string; readonly issuer: string };
  readonly critical: readonly string[];
  readonly order: readonly string[];
}
export function readCertificate(given: unknown): Read {
  const certificate = parseCertificate(given instanceof Uint8Array ? given : derOf(given));
  const value = (oid: string) => findExtension(certificate, oid)?.value;
  const [san, usage, purposes, basic] = [
    value(extensionOid.subjectAltName),
    value(extensionOid.keyUsage),
    value(extensionOid.extKeyUsage),
    value(extensionOid.basicConstraints),
  ];
  return {
    ...certificate,
    names: san && parseSan(san),
    usage: usage ? readKeyUsage(usage) : [],
    purposes: purposes ? readExtKeyUsage(purposes) : [],
    basic: basic && readBasicConstraints(basic),
    text: { subject: nameText(certificate.subject), issuer: nameText(certificate.issuer) },
    critical: certificate.extensions.filter((one) => one.critical).map((one) => one.oid),
    order: certificate.extensions.map((one) => one.oid),
  };
}
/** Returns bytes as text, one character per byte. */
export const shown = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
export const valueOf = (certificate: Certificate, oid: string): Uint8Array =>
  findExtension(certificate, oid)?.value ?? new Uint8Array(0);

/** Keys shared by many tests, because generating them is slow. */
const made = new Map<string, Promise<TestKey>>();
export function keyOf(kind: Parameters<typeof makeKey>[0]): Promise<TestKey> {
  const key = made.get(kind) ?? makeKey(kind);
  made.set(kind, key);
  return key;
}
/** Returns a CSR, PEM, for a key that is shared by default. */
export async function request(
  options: {
    readonly cn?: string;
    readonly subject?: readonly Rdn[];
    readonly extensions?: readonly (extension.Extension | undefined)[];
    readonly key?: TestKey;
  } = {},
): Promise<string> {
  const subject = options.subject ?? (options.cn === undefined ? [] : commonName(options.cn));
  const extensions = (options.extensions ?? []).filter((one) => one !== undefined);
  return encodePem(
    "CERTIFICATE REQUEST",
    await makeCsr(options.key ?? (await keyOf("P-256")), subject, extensions),
  );
}
export const noNames = { dns: [], email: [], ip: [], uri: [], other: [] };
export const sanOf = (names: Partial<ParsedNames>): extension.Extension | undefined =>
  extension.subjectAltName({ ...noNames, ...names }, false);
export const rdn = (type: keyof typeof nameOid, ...values: readonly string[]): Rdn =>
  values.map((value) => ({ oid: nameOid[type], value }));

/**
 * Returns the output of `openssl verify -x509_strict` for a leaf below intermediates and a root, at
 * a time. Throws if openssl rejects it.
 */
export function verified(
  leaf: unknown,
  chain: {
    readonly root: string;
    readonly between?: readonly string[];
    readonly crls?: readonly string[];
    readonly at: number;
  },
): string {
  const files = {
    "leaf.pem": `${String(leaf)}\n`,
    "root.pem": `${chain.root}\n`,
    "between.pem": `${(chain.between ?? []).join("\n")}\n`,
    "crl.pem": `${(chain.crls ?? []).join("\n")}\n`,
  };
  return withFiles(files, (path) =>
    openssl([
      "verify",
      "-x509_strict",
      "-attime",
      String(Math.floor(chain.at / 1000)),
      "-CAfile",
      path("root.pem"),
      ...(chain.between?.length ? ["-untrusted", path("between.pem")] : []),
      ...(chain.crls?.length ? ["-crl_check", "-CRLfile", path("crl.pem")] : []),
      path("leaf.pem"),
    ]),
  );
}
