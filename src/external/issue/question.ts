import { externalPolicyConfig } from "../rows/records.ts";
import { CaError } from "../../base/errors.ts";
import { encodePem } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type IssuerRow } from "../../pki/rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { requireSigning, findIssuer } from "../../pki/issuer/issuer.ts";
import { queryPolicy } from "../policy-call.ts";
import type { PolicyRequest, PolicyAnswer } from "../policy-request.ts";

/** Throws `malformed` if external policy is not enabled in the mount. */
function requirePolicy(config: Snapshot): void {
  if (!config.get(externalPolicyConfig).enabled)
    throw new CaError("malformed", "external policy is not enabled in this mount");
}

/** The parameters of a policy request. */
interface PolicyQuestion extends Omit<PolicyRequest, "csr" | "issuer"> {
  /** DER-encoded CSR. */
  readonly csr: Uint8Array;
  /** Reference to the issuer in the URL path. */
  readonly issuer_ref?: string | undefined;
}
/** A policy decision, and the configuration under which it was requested. */
export interface PolicyDecision {
  readonly answer: PolicyAnswer;
  readonly config: Snapshot;
}

/**
 * Returns the current configuration, so that no outdated policy is called, and no key is generated
 * for a request that is rejected. Rejects if external policy is disabled, or if the issuer in the
 * URL path cannot sign.
 */
export const configForPolicy = (mount: Mount, issuer_ref: string | undefined): Promise<Snapshot> =>
  mount.decide((config) => {
    requirePolicy(config);
    requested(config, issuer_ref);
    return { reply: config };
  });

function requested(config: Snapshot, issuer_ref: string | undefined): IssuerRow | undefined {
  return issuer_ref === undefined
    ? findIssuer(config, "default")
    : requireSigning(config, issuer_ref, "issuing-certificates").row;
}

/**
 * Calls the external policy service once. `requireSamePolicy` checks that the decision still
 * applies.
 */
export async function queryPolicyToIssue(
  { mount, config, caller }: { readonly mount: Mount; readonly config: Snapshot; caller?: Caller },
  { csr, issuer_ref, ...request }: PolicyQuestion,
): Promise<PolicyDecision> {
  const issuer = requested(config, issuer_ref);
  const answer = await queryPolicy(
    { mount, config, ...(caller && { caller }) },
    { ...request, csr: encodePem("CERTIFICATE REQUEST", csr), ...(issuer && { issuer }) },
  );
  return { answer, config };
}

/**
 * Rejects a decision by a policy that is no longer configured: with `malformed` if the policy was
 * disabled, and with `busy` if its configuration has changed.
 */
export function requireSamePolicy({ config: before }: PolicyDecision, now: Snapshot): void {
  requirePolicy(now);
  const key = keys.config("external-policy");
  if (before.rev(key) !== now.rev(key))
    throw new CaError(
      "busy",
      "the external policy changed during the request, so nothing was issued; try again",
    );
}
