import { rfc3339 } from "../../base/duration.ts";
import { requireUnusedSerial } from "../../pki/issuer/serial.ts";
import { requireValidChain } from "../../pki/issuer/constraints.ts";
import { signingIssuer, type SigningIssuer } from "../../pki/issuer/issuer.ts";
import { withinIssuer, type Validity } from "../../pki/issuer/validity.ts";
import type { ApprovedLeaf } from "../../pki/leaf/leaf.ts";
import { type IssuanceContext, failFast } from "../../pki/request/rule-checker.ts";
import type { CertificateFormat } from "../../pki/request/format.ts";
import { isReference } from "../../base/names.ts";
import type { NotAfterBehavior } from "../../pki/rows/records.ts";
import type { PolicyAnswer } from "../policy-request.ts";
import { checkSubject, readTemplate, unusableTemplate } from "./template.ts";

/** The mount, configuration and caller of a policy decision. */
export type LeafContext = Pick<IssuanceContext<unknown>, "mount" | "config" | "caller">;
/** A policy decision, and the other inputs of the certificate. */
export interface LeafTemplate {
  readonly answer: PolicyAnswer;
  /** DER-encoded SubjectPublicKeyInfo of the requested certificate. */
  readonly spki: Uint8Array;
  /** The prefix of lease IDs. */
  readonly path: string;
  readonly format: CertificateFormat;
  /**
   * Maximum lifetime (s). A longer validity is truncated. A validity beyond the issuer's expiry is
   * also truncated, unless the issuer is configured to reject it.
   */
  readonly maxTtl?: number;
}

/**
 * Returns the leaf that the external policy approved, after checking it against the current
 * configuration. A template cannot exceed what the issuer may sign (B 7.4, security row 57).
 */
export async function leafFromPolicy(
  it: LeafContext,
  template: LeafTemplate,
): Promise<ApprovedLeaf> {
  const { mount, config } = it;
  const { answer, spki, path, format, maxTtl } = template;
  const issuer = await issuerOf(it, answer);
  const read = readTemplate(answer.certificate, { spki, issuer });
  if (read.isCa)
    throw unusableTemplate("is for a CA certificate, which only sign-intermediate signs");
  checkSubject(it.caller, read.own);
  await requireUnusedSerial(mount, config, read.serial);
  const profile = { kind: "leaf", ...read.profile } as const;
  const { leaf_not_after_behavior: behavior } = issuer.row;
  const isCut = maxTtl !== undefined && behavior === "err";
  const validity = validityOf(it, shortened(it, read.own, maxTtl), {
    issuer,
    behavior: isCut ? "truncate" : behavior,
  });
  const own = { ...read.own, ...validity };
  requireValidChain({ mount, config, checker: failFast }, issuer.row, { ...profile, ...own });
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

/**
 * Returns the issuer that the service selected. Rejects an invalid reference, and an issuer that
 * cannot sign.
 */
export function issuerOf(
  { mount, config }: LeafContext,
  { issuer_ref }: PolicyAnswer,
): Promise<SigningIssuer> {
  if (!isReference(issuer_ref)) throw unusableTemplate("comes with an invalid issuer_ref");
  return signingIssuer(mount, config, issuer_ref);
}

const shortened = (
  { mount }: Pick<LeafContext, "mount">,
  { notBefore, notAfter }: Validity,
  maxTtl = Infinity,
): Validity => ({
  notBefore,
  notAfter: Math.min(notAfter, Math.floor(mount.ports.now() / 1000) + maxTtl),
});

/**
 * Returns the validity of a template, limited to the issuer's validity. Rejects a template that has
 * expired.
 */
export function validityOf(
  { mount }: Pick<LeafContext, "mount">,
  { notBefore, notAfter }: Validity,
  { issuer, behavior }: { readonly issuer: SigningIssuer; readonly behavior: NotAfterBehavior },
): Validity {
  const now = mount.ports.now();
  if (notAfter * 1000 <= now) throw unusableTemplate(`expired at ${rfc3339(notAfter)}`);
  return withinIssuer(now, { notBefore, notAfter }, issuer.certificate, behavior);
}
