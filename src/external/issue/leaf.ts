import { rfc3339 } from "../../base/duration.ts";
import { demandUnused } from "../../pki/issuer/serial.ts";
import { demandChain } from "../../pki/issuer/constraints.ts";
import { signingIssuer, type SigningIssuer } from "../../pki/issuer/issuer.ts";
import { withinIssuer, type Validity } from "../../pki/issuer/validity.ts";
import type { JudgedLeaf } from "../../pki/leaf/leaf.ts";
import { type Case, strict } from "../../pki/request/judge.ts";
import type { CertificateFormat } from "../../pki/request/format.ts";
import { isReference } from "../../pki/request/parameters.ts";
import type { NotAfterBehavior } from "../../engine/records.ts";
import type { PolicyAnswer } from "../policy-request.ts";
import { judgeSubject, readTemplate, unfit } from "./template.ts";

/** Under which configuration an answer is judged, and who hears of it. */
export type LeafContext = Pick<Case<unknown>, "ca" | "config" | "caller">;
/** What a leaf is made of beside the answer. */
export interface LeafTemplate {
  readonly answer: PolicyAnswer;
  /** Key of the request, DER. */
  readonly spki: Uint8Array;
  /** What leases begin with. */
  readonly path: string;
  readonly format: CertificateFormat;
  /**
   * Longest lifetime, seconds. What is longer is cut then, and so is what would outlive its issuer,
   * unless that one always refuses.
   */
  readonly most?: number;
}

/**
 * The leaf that an external policy has decided, as the configuration in force lets it be: nothing
 * that a template says goes beyond what the issuer may sign (B 7.4, security row 57). Throws
 * CaError.
 */
export async function judgeLeaf(it: LeafContext, wanted: LeafTemplate): Promise<JudgedLeaf> {
  const { ca, config } = it;
  const { answer, spki, path, format, most } = wanted;
  const issuer = await issuerOf(it, answer);
  const read = readTemplate(answer.certificate, { spki, issuer });
  if (read.isCa) throw unfit("is that of a CA, which is signed by sign-intermediate alone");
  judgeSubject(it.caller, read.own);
  await demandUnused(ca, config, read.serial);
  const profile = { kind: "leaf", ...read.profile } as const;
  const { leaf_not_after_behavior: behavior } = issuer.row;
  const isCut = most !== undefined && behavior === "err";
  const validity = validityOf(it, shortened(it, read.own, most), {
    issuer,
    behavior: isCut ? "truncate" : behavior,
  });
  const own = { ...read.own, ...validity };
  demandChain({ ca, config, judge: strict }, issuer.row, { ...profile, ...own });
  return {
    issuer,
    role: "",
    path,
    rules: { generate_lease: answer.lease, no_store: !answer.store },
    format,
    metadata: undefined,
    profile,
    own,
    serial: read.serial,
  };
}

/** The issuer that the service named. Refuses one that cannot be a name, or does not sign here. */
export function issuerOf(
  { ca, config }: LeafContext,
  { issuer_ref }: PolicyAnswer,
): Promise<SigningIssuer> {
  if (!isReference(issuer_ref)) throw unfit("comes with an issuer_ref that names no issuer");
  return signingIssuer(ca, config, issuer_ref);
}

const shortened = (
  { ca }: Pick<LeafContext, "ca">,
  { notBefore, notAfter }: Validity,
  most = Infinity,
): Validity => ({
  notBefore,
  notAfter: Math.min(notAfter, Math.floor(ca.ports.now() / 1000) + most),
});

/** The validity of a template within that of its issuer; refuses one that is over. */
export function validityOf(
  { ca }: Pick<LeafContext, "ca">,
  { notBefore, notAfter }: Validity,
  { issuer, behavior }: { readonly issuer: SigningIssuer; readonly behavior: NotAfterBehavior },
): Validity {
  const now = ca.ports.now();
  if (notAfter * 1000 <= now) throw unfit(`ended at ${rfc3339(notAfter)}`);
  return withinIssuer(now, { notBefore, notAfter }, issuer.certificate, behavior);
}
