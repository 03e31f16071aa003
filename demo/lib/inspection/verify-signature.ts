import { equalBytes, toHex } from "../../../src/base/bytes.ts";
import { CaError } from "../../../src/base/errors.ts";
import {
  algorithmName,
  importVerifyKey,
  isWeakAlgorithm,
  schemeOf,
  verifySignature,
  parsePublicKey,
} from "../../../src/x509/public-key.ts";
import type { Certificate } from "../../../src/x509/certificate.ts";
import { isUnknown } from "../../../src/x509/critical.ts";
import { isSameName } from "../../../src/x509/name.ts";
import { signatureName } from "../format.ts";
import {
  orElse,
  refusedVerification,
  unknownVerification,
  type Node,
  type Verification,
} from "./verify-node.ts";

/** Maximum keys tried for one signature. */
const maxKeys = 8;

type Signed = Pick<Certificate, "issuer" | "algorithm" | "tbs" | "signature">;

/** Returns the verification if no key is needed for it; else undefined. */
export function beforeKeys(signed: Signed): Verification | undefined {
  const name = signatureName(algorithmName(signed.algorithm));
  if (isWeakAlgorithm(signed.algorithm))
    return refusedVerification(
      `Signed with ${hashOf(name)}`,
      `A signature ${name} proves nothing: it can be forged`,
    );
  return schemeOf(signed.algorithm)
    ? undefined
    : unknownVerification(`Not verified: signatures ${name} are not supported here`);
}

const hashOf = (name: string): string => name.split(" with ").at(-1) ?? name;

/** Returns the signers whose key verifies a signature, or the verification if there is none. */
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
    return unknownVerification("Not verified: its issuer is not known here");
  if (!(await usable(claimed.certificate, signed)))
    return unknownVerification("Not verified: this browser does not support the issuer’s key");
  return refusedVerification(
    "Signature does not verify",
    `The key of ${claimed.view.title}, named as its issuer, did not create this signature`,
  );
}

/** Reports whether the platform supports a key. */
async function usable({ spki }: Certificate, { algorithm }: Signed): Promise<boolean> {
  const scheme = schemeOf(algorithm);
  try {
    if (scheme && parsePublicKey(spki).algorithm.signing.platform)
      await importVerifyKey(spki, scheme);
    return true;
  } catch (error) {
    // a key of another type cannot have made the signature; any other error comes from the platform
    return error instanceof CaError;
  }
}

/** Finds the signers of a certificate, without verifying the path above them. */
export async function verifyNodeSignature(node: Node, all: readonly Node[]): Promise<void> {
  const { certificate, view } = node;
  const stray = certificate.extensions.find(isUnknown);
  if (stray) {
    node.vouched = refusedVerification(
      "Unknown critical extension",
      `The critical extension ${stray.oid} is not known here`,
    );
    return;
  }
  const early = beforeKeys(certificate);
  if (early) {
    node.vouched =
      early.standing === "refused" && view.selfIssued
        ? { ...early, standing: "unknown", text: `Self-signed, ${hashOf(view.signature)}` }
        : early;
    return;
  }
  const named = all.filter((other) => sameName(other.certificate.subject, certificate.issuer));
  const found = await signersOf(certificate, named, view.authorityKeyId);
  if (!("length" in found)) node.vouched = found;
  else if (found.some((signer) => equalBytes(signer.certificate.der, certificate.der)))
    node.vouched = {
      standing: "self",
      text: "Self-signed",
      why: "Self-signed: no other authority vouches for it",
    };
  else {
    node.signers = found;
    node.made = found;
  }
}

/** malformed names are equal only if their bytes are */
export const sameName = (a: Uint8Array, b: Uint8Array): boolean =>
  orElse(equalBytes(a, b), () => isSameName(a, b));
