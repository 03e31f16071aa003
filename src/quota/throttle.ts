import { CaError } from "../base/errors.ts";
import { subscriberNetwork } from "../base/network.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Allowance, Api } from "../wire/api.ts";
import type { Call } from "../wire/call.ts";
import { mountOf } from "./mount-of.ts";
import { frontOf, limitedForm, stateOf, trimmed, type Quota, type Quotas } from "./front.ts";
import { unnamedRole } from "./role-of-login.ts";

/** What whoever runs the server asks in any case. */
const exempt = ["sys/health", "sys/seal-status", "sys/unseal"];
const base = "/v1/";

/** Whether there is a limit, as far as is known at hand. */
export const counts: NonNullable<Api["counts"]> = ({ sys }) => stateOf(sys).isLimited;

/**
 * Counts a call by the most specific limit for its path, for the network that it comes from, in
 * this isolate. Calls of the process itself are not counted.
 */
export async function throttle(
  deployment: Deployment,
  call: Call,
  said?: Readonly<Record<string, unknown>>,
): Promise<Allowance | "later" | undefined> {
  if (call.origin === undefined) return undefined;
  const path = pathOf(call);
  if (exempt.includes(path)) return undefined;
  // a limit that cannot be read is none that may be passed over (security row 51)
  const { quotas } = await frontOf(deployment);
  if (quotas.size === 0 || isExempt(quotas, path)) return undefined;
  const mount = await mountOf(deployment, path);
  const isLogin = call.method === "POST" && path.startsWith(`${mount}/login`);
  if (quotas.roles.has(mount) && !said && isLogin) return "later";
  const quota = await quotaFor(deployment, quotas, { mount, path, said });
  return quota && counted(deployment, quotas, { quota, call, path });
}

interface Target {
  readonly mount: string;
  readonly path: string;
  /** Members of the body, where they are known. */
  readonly said: Readonly<Record<string, unknown>> | undefined;
}
/** Returns the most specific limit for a call: that of the role of a login, else of its path. */
export async function quotaFor(
  deployment: Deployment,
  quotas: Quotas,
  { mount, path, said }: Target,
): Promise<Quota | undefined> {
  const roles = quotas.roles.get(mount);
  return (
    (said && roles && (await ofRole(roles, said, () => unnamedRole(deployment, mount, said)))) ??
    forPath(quotas, mount, path)
  );
}

/** The path below `/v1/` as policies judge it. */
function pathOf({ path }: Call): string {
  const below = path.startsWith(base) ? path.slice(base.length) : path;
  try {
    return decodeURIComponent(below);
  } catch {
    return below;
  }
}
/** Reports whether no limit counts calls of a path. */
export const isExempt = ({ config }: Quotas, path: string): boolean =>
  config.rate_limit_exempt_paths.some((one) => {
    const at = trimmed(one);
    return at.endsWith("*") ? path.startsWith(at.slice(0, -1)) : path === at;
  });

/** The one for the role that a login names, or is for without naming it. */
async function ofRole(
  roles: ReadonlyMap<string, Quota>,
  { role, name }: Readonly<Record<string, unknown>>,
  unnamed: () => Promise<string>,
): Promise<Quota | undefined> {
  for (const named of [role, name]) {
    // as logins read it: no spelling of a role is without its limit
    const quota = typeof named === "string" ? roles.get(named.toLowerCase()) : undefined;
    if (quota) return quota;
  }
  return roles.get(await unnamed());
}
function forPath({ at, formed, below, all }: Quotas, mount: string, path: string) {
  const form = limitedForm(path);
  // mounts that differ in case are two
  const ofMount = ({ row }: Quota): boolean => trimmed(row.path).startsWith(mount);
  const spelled = formed.get(form);
  return (
    at.get(path) ??
    (spelled && ofMount(spelled) ? spelled : undefined) ??
    below.find(
      ([prefix, ofPrefix, quota]) =>
        path.startsWith(prefix) || (form.startsWith(ofPrefix) && ofMount(quota)),
    )?.[2] ??
    (mount === "" ? undefined : at.get(mount)) ??
    all
  );
}

interface Limited {
  readonly quota: Quota;
  readonly call: Pick<Call, "peer">;
  readonly path: string;
}
/** Counts a call by its limit, for the network that it comes from. */
export function counted(
  { ports }: Deployment,
  { config }: Quotas,
  { quota, call, path }: Limited,
): Allowance {
  const { granted, remaining, wait } = quota.count(
    subscriberNetwork(call.peer?.address ?? ""),
    ports.now(),
  );
  const left = String(Math.max(1, Math.ceil(wait / 1000)));
  const told = config.enable_rate_limit_response_headers
    ? {
        "x-ratelimit-limit": String(Math.ceil(quota.row.rate)),
        "x-ratelimit-remaining": String(remaining),
        "x-ratelimit-reset": left,
      }
    : {};
  if (granted) return { headers: told };
  return {
    headers: { ...told, "retry-after": left },
    refusal: new CaError(
      "too_many_requests",
      `request path "${path.slice(0, 256)}": rate limit quota exceeded`,
      { retryAfter: Number(left) },
    ),
  };
}
