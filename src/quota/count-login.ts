import type { Deployment } from "../engine/deployment.ts";
import { throttleCall, earlyValuesOf, isExempt, quotaFor } from "./rate-limit.ts";
import { mountOf } from "./mount-of.ts";

/** A login that an endpoint of another protocol, such as EST, performs. */
export interface LoginAttempt {
  /** IP address of the client, as reported by the platform. */
  readonly address: string | undefined;
  /** Path of the method's login endpoint, under `/v1/`. */
  readonly path: string;
  /** The body members that a login at that path would have. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * Counts a login against the rate limits of the login method, as if the client had called the
 * method's login endpoint. Throws `too_many_requests` if a limit is exceeded. The request that
 * contains the login has already been counted against the global limit.
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
