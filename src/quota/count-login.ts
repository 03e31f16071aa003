import type { Deployment } from "../engine/deployment.ts";
import { throttleCall, earlyValuesOf, isExempt, quotaFor } from "./rate-limit.ts";
import { mountOf } from "./mount-of.ts";

/** A login performed by an endpoint of another protocol. */
export interface LoginAttempt {
  /** Client address, as reported by the platform. */
  readonly address: string | undefined;
  /** The login path of the method, below `/v1/`. */
  readonly path: string;
  /** Members of the body that a login at that path would have. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * Counts a login against the rate limits of the login method, as if it were made there. Throws
 * `too_many_requests` above them. The global limit has already counted the call.
 */
export async function countLogin(
  deployment: Deployment,
  { address, path, parameters }: LoginAttempt,
): Promise<void> {
  const { quotas } = await earlyValuesOf(deployment);
  if (quotas.size === 0 || isExempt(quotas, path)) return;
  const mount = await mountOf(deployment, path);
  const quota = await quotaFor(deployment, quotas, { mount, path, parameters });
  if (!quota || quota === quotas.all) return;
  const peer = address === undefined ? {} : { address };
  const { refusal } = throttleCall(deployment, quotas, { quota, call: { peer }, path });
  if (refusal) throw refusal;
}
