import type { StoreContext } from "../engine/store-context.ts";
import type { ExternalPolicyRequest } from "./rows/records.ts";

/**
 * A function of the host that decides in place of an external policy service. It receives the
 * request that such a service would receive, and resolves with an `ExternalPolicyAnswer`, which is
 * validated like a response (B 7.4). `signal` is aborted at the deadline. If the function rejects,
 * callers do not see the reason.
 */
export type PolicyFunction = (
  request: ExternalPolicyRequest,
  signal: AbortSignal,
) => Promise<unknown>;

/** Returns the host's function that decides in place of a service, if any. */
export const policyFunction = ({
  features,
}: Pick<StoreContext, "features">): PolicyFunction | undefined =>
  // `createCa` declares the type of this option
  features["externalPolicy"] as PolicyFunction | undefined;
