import { findExtension, isCa, type Certificate } from "../../../src/x509/certificate.ts";
import { readKeyUsage, type KeyUsage } from "../../../src/x509/usage.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import {
  bySigner,
  orElse,
  refusedVerification,
  roomBelow,
  type Node,
  type VerificationExtent,
  type Verification,
} from "./verify-node.ts";

/**
 * Returns why the name constraints of the certificates above, nearest first, reject a certificate's
 * names.
 */
export type NameCheck = (node: Node, above: readonly Certificate[]) => Verification | undefined;

interface ChainContext {
  readonly now: Date;
  readonly judge: NameCheck | undefined;
}

/** Reports whether a certificate is one of a CA that may sign this. */
export const maySign = (certificate: Certificate, what: KeyUsage): boolean =>
  orElse(false, () => {
    const usage = findExtension(certificate, extensionOid.keyUsage);
    return isCa(certificate) && (!usage || readKeyUsage(usage.value).includes(what));
  });

const ranks: readonly VerificationExtent[] = ["refused", "stale", "signature", "pasted", "chain"];

/**
 * Updates the verification of a certificate from the best one of its signers. Reports whether it
 * improved.
 */
export function improve(node: Node, at: ChainContext): boolean {
  const before = node.score;
  for (const signer of node.signers) {
    const vouched = below(node, signer, at);
    if (!vouched) continue;
    const room = Math.min(
      roomBelow(node.certificate),
      signer.room - (node.view.selfIssued ? 0 : 1),
    );
    const score = ranks.indexOf(vouched.standing) + Math.min(room, 99) / 100;
    if (score > node.score)
      Object.assign(node, { vouched, room, score, path: [signer.certificate, ...signer.path] });
  }
  return node.score > before;
}

/** Rejects a certificate if no verified path is left. Reports whether it changed. */
export function rejectUnverified(node: Node, at: ChainContext): boolean {
  const all = node.signers.flatMap((signer) => below(node, signer, at) ?? []);
  const [first] = all;
  if (
    node.vouched?.standing === "refused" ||
    !first ||
    all.some(({ standing }) => standing !== "refused")
  )
    return false;
  node.vouched = first;
  return true;
}

/**
 * Returns the verification of a certificate below this signer; undefined while the signer has none.
 */
function below(node: Node, signer: Node, { now, judge }: ChainContext): Verification | undefined {
  const { view, certificate } = node;
  const { vouched: above, view: by } = signer;
  if (!above) return undefined;
  if (!maySign(signer.certificate, "CertSign"))
    return refusedVerification(
      "Its issuer is not a CA",
      `Signed by ${by.title}, which may not sign certificates`,
    );
  if (above.standing === "refused")
    return refusedVerification(
      "Chain does not verify",
      `Made by ${by.title}, which has a problem: ${above.why}`,
    );
  if (isAuthority(certificate) && !view.selfIssued && signer.room < 1)
    return refusedVerification(
      "Chain is too long",
      `Made by ${by.title}, which may not sign authorities`,
    );
  const path = [signer.certificate, ...signer.path];
  const forbidden = judge?.(node, path);
  if (forbidden) return forbidden;
  if (by.ends < now || by.begins > now || above.standing === "stale")
    return {
      standing: "stale",
      text: "Chain is out of date",
      why: `Made by ${by.title}: it or one of its issuers is expired or not yet valid`,
    };
  if (above.standing === "unknown" || above.standing === "signature") return bySigner(by.title);
  const made = `Made by ${by.title}; every signature up to the root is valid`;
  if (above.standing === "self" ? signer.known : above.standing === "chain")
    return {
      standing: "chain",
      text: "Chain verified",
      why: `${made}, a root of this server. Revocation was not checked`,
    };
  return {
    standing: "pasted",
    text: "Chain ends at a pasted root",
    why: `${made}, but that root does not belong to this server`,
  };
}

const isAuthority = (certificate: Certificate): boolean => orElse(false, () => isCa(certificate));
