import { equalBytes, toHex } from "../../../src/base/bytes.ts";
import {
  algorithmName,
  isWeakAlgorithm,
  schemeOf,
  verifySignature,
} from "../../../src/x509/public-key.ts";
import { isUsableKey } from "../../../src/verify/path-signature.ts";
import { parseCertificate, type Certificate } from "../../../src/x509/certificate.ts";
import { isSameName } from "../../../src/x509/name.ts";
import { signatureName } from "../x509/signature-name.ts";
import type { CertificateView } from "../x509/decode.ts";
import {
  orElse,
  refusedVerification,
  unknownVerification,
  type Node,
  type Verification,
} from "./verify-node.ts";

/** Maximum number of keys to try for a signature. */
const maxKeys = 8;

type Signed = Pick<Certificate, "issuer" | "algorithm" | "tbs" | "signature">;

/**
 * Returns the verification of a signature whose algorithm is weak or not supported. Returns
 * undefined for other algorithms.
 */
export function beforeKeys(signed: Signed): Verification | undefined {
  const name = signatureName(algorithmName(signed.algorithm));
  if (isWeakAlgorithm(signed.algorithm))
    return refusedVerification(
      `Signed with ${hashOf(name)}`,
      `A signature with ${name} proves nothing, because ${name} signatures can be forged`,
    );
  return schemeOf(signed.algorithm)
    ? undefined
    : unknownVerification(`Not verified: signatures with ${name} are not supported here`);
}

/** Returns the hash function in the name of a signature algorithm. */
export const hashOf = (name: string): string => name.split(" with ").at(-1) ?? name;

/**
 * Returns the signers whose keys verify a signature, or a verification that explains why there are
 * none.
 */
export async function signersOf(
  signed: Signed,
  named: readonly Node[],
  keyId: string,
): Promise<readonly Node[] | Verification> {
  const likely = ({ view }: Node): boolean =>
    keyId === "" || view.subjectKeyId === "" || view.subjectKeyId === keyId;
  const ranked = [...named.filter(likely), ...named.filter((node) => !likely(node))];
  const keys = [
    ...new Map(ranked.map(({ certificate: { spki } }) => [toHex(spki), spki])).values(),
  ];
  for (const spki of keys.slice(0, maxKeys))
    if (await verifySignature(spki, signed.algorithm, signed.tbs, signed.signature))
      return named.filter((node) => equalBytes(node.certificate.spki, spki));
  const claimed = named.find(likely);
  if (!claimed || keys.length > maxKeys)
    return unknownVerification("Not verified: the issuer is not known here");
  if (!(await isUsableKey(claimed.certificate.spki, signed)))
    return unknownVerification("Not verified: this browser does not support the issuer’s key");
  return refusedVerification(
    "Signature does not verify",
    `The signature does not verify with the key of ${claimed.view.title}, the stated issuer`,
  );
}

/**
 * Verifies the self-signature of a certificate. Returns undefined if the certificate was signed
 * with another key.
 */
export async function ownSignature(
  view: CertificateView,
): Promise<"valid" | "invalid" | "unverifiable" | undefined> {
  if (!view.selfIssued) return undefined;
  const certificate = parseCertificate(view.der);
  if (beforeKeys(certificate)) return "unverifiable";
  const { spki, algorithm, tbs, signature } = certificate;
  if (await verifySignature(spki, algorithm, tbs, signature)) return "valid";
  const { authorityKeyId, subjectKeyId } = view;
  if (authorityKeyId !== "" && subjectKeyId !== "" && authorityKeyId !== subjectKeyId)
    return undefined;
  return (await isUsableKey(spki, certificate)) ? "invalid" : "unverifiable";
}

/** Reports whether two names are equal. Malformed names are equal only if their bytes are. */
export const sameName = (a: Uint8Array, b: Uint8Array): boolean =>
  orElse(equalBytes(a, b), () => isSameName(a, b));
