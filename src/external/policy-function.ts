import type { StoreContext } from "../engine/store-context.ts";
import type { ExternalPolicyRequest } from "./rows/records.ts";

/**
 * Decides in place of an external policy service: gets the request for such a service and resolves
 * with its answer, an `ExternalPolicyAnswer` (B 7.4), which is checked alike. Aborted at the
 * deadline. Rejection reasons are not shown.
 */
export type PolicyFunction = (
  request: ExternalPolicyRequest,
  signal: AbortSignal,
) => Promise<unknown>;

/** Returns the function of the host that decides in place of a service, if any. */
export const policyFunction = ({
  features,
}: Pick<StoreContext, "features">): PolicyFunction | undefined =>
  // createCa types this option
  features["externalPolicy"] as PolicyFunction | undefined;
