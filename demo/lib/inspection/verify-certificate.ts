import type { CertificateView } from "../x509/decode.ts";
import { bySigner, nodeOf, type Node, type Verification } from "./verify-node.ts";
import { verifyNodeSignature } from "./verify-signature.ts";
import { rejectUnverified, improve, type NameCheck } from "./verify-chain.ts";

/** Context of a verification beyond the given certificates. */
interface VerificationContext {
  /** Marks revoked certificates, before those below them are verified. */
  readonly revoke?: (nodes: readonly Node[]) => Promise<void>;
  /** Certificates of the shown server: its roots are trusted. */
  readonly known?: readonly CertificateView[];
  /** Checks name constraints; without it names are not checked. */
  readonly constraints?: NameCheck;
}

/**
 * Verifies the signatures among given certificates, with the name constraints above them, critical
 * extensions, and the CRLs given with them. Extended key usages are not checked.
 */
export async function verifyCertificates(
  views: readonly CertificateView[],
  now: Date,
  beside: VerificationContext = {},
): Promise<ReadonlyMap<CertificateView, Verification>> {
  const own = new Set((beside.known ?? []).map(({ sha256 }) => sha256));
  const given = new Set(views.map(({ sha256 }) => sha256));
  const others = (beside.known ?? []).filter(({ sha256 }) => !given.has(sha256));
  const nodes = [...views, ...others].map((view) => nodeOf(view, own.has(view.sha256)));
  for (const node of nodes) await verifyNodeSignature(node, nodes);
  await beside.revoke?.(nodes);
  // Each round verifies at least one more certificate, or is the last.
  const at = { now, judge: beside.constraints };
  while (nodes.filter((node) => improve(node, at)).length > 0);
  // A later finding about a CA can invalidate the verification of those below; each round
  // invalidates at least one.
  while (nodes.filter((node) => rejectUnverified(node, at)).length > 0);
  return new Map(nodes.map((node) => [node.view, withSigner(node)]));
}

/** Returns the verification of a certificate with the signer in its path. */
function withSigner({ vouched, made, path }: Node): Verification {
  const signer = made.find(({ certificate }) => certificate === path[0]) ?? made[0];
  return {
    ...(vouched ?? bySigner(signer?.view.title ?? "")),
    ...(signer && { by: signer.view }),
  };
}
