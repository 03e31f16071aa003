import { approle } from "../auth/types/approle.ts";
import { jwt } from "../auth/types/jwt.ts";
import type { Deployment } from "../engine/deployment.ts";
import { hashedName, storedLogin } from "../auth/rows/logins.ts";
import { methods } from "../auth/rows/methods.ts";
import { rowReader } from "../engine/row-reader.ts";
import { methodKeys } from "../auth/rows/method-records.ts";
import { CaError } from "../base/errors.ts";
import { referenceForm } from "../base/forms.ts";
import { memoize } from "../base/memo.ts";
import { subscriberNetwork } from "../base/network.ts";
import { foldPolicyName } from "../base/policy-name.ts";
import { type RateCounter, createRateCounter } from "../base/rate-counter.ts";
import { kindOf, type StoreContext } from "../engine/store-context.ts";
import type { QuotaDecision, Api } from "../wire/api.ts";
import type { Call } from "../wire/call.ts";
import { mountOf } from "./mount-of.ts";
import {
  type CorsRow,
  type QuotaConfigRow,
  type QuotaRow,
  belowQuotas,
  corsKey,
  quotaKeys,
  storedCors,
  storedQuotas,
} from "./records.ts";

const config = rowReader<{ readonly default_role: string }>({ default_role: "" });

/**
 * Returns the role of a login that does not specify a role, in lower case: the role with the
 * AppRole role ID, or the method's default role. Returns "" if there is none. `mount` is the path
 * of the method, `auth/…`.
 */
async function unnamedRole(
  { sys }: Deployment,
  mount: string,
  { role, role_id }: Readonly<Record<string, unknown>>,
): Promise<string> {
  const method = (await methods(sys)).get(mount.slice("auth/".length));
  const rowOf = async (rest: string): Promise<unknown> =>
    method && (await sys.store.get([methodKeys.data(method.uuid, rest)]))[0]?.value;
  if (typeof role_id === "string" && role_id !== "")
    return storedLogin.id(await rowOf(`${approle.rows.roleIds}${await hashedName(role_id)}`)).id;
  return role === "" ? config(await rowOf(jwt.rows.config)).default_role.toLowerCase() : "";
}

/** Removes leading and trailing slashes from a path. */
export const trimSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, "");

/** Normalizes the case of a path, because names in many paths are case-insensitive. */
const limitedForm = (path: string): string =>
  /^(?:auth|identity|sys)\//.test(path)
    ? foldPolicyName(path)
    : path.split("/").map(referenceForm).join("/");

/** An active rate limit. */
interface Quota {
  readonly name: string;
  readonly row: QuotaRow;
  readonly count: RateCounter;
}
/** All rate limits, by scope. */
interface Quotas {
  readonly config: QuotaConfigRow;
  readonly size: number;
  /** The limit on all requests, if any. */
  readonly all: Quota | undefined;
  /** Limits by path. The limit of a mount also applies to paths under the mount. */
  readonly at: ReadonlyMap<string, Quota>;
  /** Limits by normalized path. */
  readonly formed: ReadonlyMap<string, Quota>;
  /** Limits on path prefixes, both as written and normalized, longest first. */
  readonly below: readonly (readonly [prefix: string, formed: string, quota: Quota])[];
  /** Limits on logins with a role, by path of the login method, then by role in lower case. */
  readonly roles: ReadonlyMap<string, ReadonlyMap<string, Quota>>;
}
/** The state of rate limiting in an isolate. */
interface State {
  readonly counters: Map<string, RateCounter>;
  /** Whether any limit existed at the last read. */
  isLimited: boolean;
  /** Whether CORS was enabled at the last read. */
  isOpen: boolean;
}
/** Returns a deployment's state, which belongs to the store context of its `sys` store. */
export const stateOf = memoize<StoreContext, readonly [], State>(() => ({
  counters: new Map(),
  isLimited: false,
  isOpen: false,
}));

/** The values that a request needs before it is routed. */
interface EarlyValues {
  readonly quotas: Quotas;
  readonly cors: CorsRow;
}
const earlyValues = kindOf<EarlyValues>(1, [belowQuotas, quotaKeys.config, corsKey]);
/** Returns the early values, which are read together, from a cache that is at most a second old. */
export const earlyValuesOf = ({ sys }: Deployment): Promise<EarlyValues> | EarlyValues =>
  sys.cache.recent(earlyValues, "", async () => {
    const [[config, origins], rows] = await Promise.all([
      sys.store.get([quotaKeys.config, corsKey]),
      sys.store.list(belowQuotas),
    ]);
    const cors = storedCors(origins?.value);
    const state = stateOf(sys);
    state.isLimited = rows.length > 0;
    state.isOpen = cors.allowed_origins.length > 0;
    const counters = new Map<string, RateCounter>();
    const all = rows.map(([key, { value }]): Quota => {
      const name = key.slice(belowQuotas.length);
      const row = storedQuotas.quota(value);
      // the counter of a changed limit starts from zero
      const rule = JSON.stringify([name, row.path, row.rate, row.interval, row.block_interval]);
      const count = state.counters.get(rule) ?? createRateCounter(rateOf(row));
      counters.set(rule, count);
      return { name, row, count };
    });
    state.counters.clear();
    for (const [rule, count] of counters) state.counters.set(rule, count);
    const quotas = {
      ...sorted(all),
      config: storedQuotas.config(config?.value),
      size: all.length,
    };
    return { quotas, cors };
  });
const rateOf = ({ rate, interval, block_interval }: QuotaRow) => ({
  limit: Math.ceil(rate),
  window: interval * 1000,
  block: block_interval * 1000,
});

function sorted(quotas: readonly Quota[]): Omit<Quotas, "config" | "size"> {
  const at = new Map<string, Quota>();
  const formed = new Map<string, Quota>();
  const below: [string, string, Quota][] = [];
  const roles = new Map<string, Map<string, Quota>>();
  for (const quota of quotas) {
    const { role } = quota.row;
    const path = trimSlashes(quota.row.path);
    if (role !== "")
      roles.set(path, (roles.get(path) ?? new Map<string, Quota>()).set(role.toLowerCase(), quota));
    else if (path.endsWith("*")) {
      const prefix = path.slice(0, -1);
      below.push([prefix, limitedForm(prefix), quota]);
    } else {
      at.set(path, quota);
      formed.set(limitedForm(path), quota);
    }
  }
  below.sort(([a], [b]) => b.length - a.length);
  return { all: at.get(""), at, formed, below, roles };
}

/** Paths that are exempt from rate limits because operators and load balancers poll them. */
const exempt = ["sys/health", "sys/seal-status", "sys/unseal"];
const base = "/v1/";

/**
 * Reports whether any rate limit existed at the last read. The result is false before the first
 * read.
 */
export const mayBeLimited: NonNullable<Api["isRateLimited"]> = ({ sys }) => stateOf(sys).isLimited;

/**
 * Counts a call against the most specific rate limit for its path, by client network. Each isolate
 * has its own counters. Calls from within the process are not counted. Returns "later" if the limit
 * may depend on a role in the request body, and `parameters` is absent.
 */
export function throttle(
  deployment: Deployment,
  call: Call,
  parameters?: Readonly<Record<string, unknown>>,
): Promise<QuotaDecision | "later" | undefined> | undefined {
  if (call.origin === undefined) return undefined;
  const path = pathOf(call);
  if (exempt.includes(path)) return undefined;
  const front = earlyValuesOf(deployment);
  if (!(front instanceof Promise) && front.quotas.size === 0) return undefined;
  return countCall(deployment, call, { front, path, parameters });
}
/** Matches the paths of a login method that log in, or begin a login in a browser. */
const logins = /^\/(?:login|oidc\/auth_url)/;
async function countCall(
  deployment: Deployment,
  call: Call,
  {
    front,
    path,
    parameters,
  }: Pick<Target, "path" | "parameters"> & { front: Promise<EarlyValues> | EarlyValues },
): Promise<QuotaDecision | "later" | undefined> {
  // if the limits cannot be read, reject the call, because limits must not be bypassed (security
  // row 51)
  const { quotas } = await front;
  if (quotas.size === 0 || isExempt(quotas, path)) return undefined;
  const mount = await mountOf(deployment, path);
  const isLogin = call.method === "POST" && logins.test(path.slice(mount.length));
  if (quotas.roles.has(mount) && !parameters && isLogin) return "later";
  const quota = await quotaFor(deployment, quotas, { mount, path, parameters });
  return quota && throttleCall(deployment, quotas, { quota, call, path });
}

interface Target {
  readonly mount: string;
  readonly path: string;
  /** Members of the request body, if it has been parsed. */
  readonly parameters: Readonly<Record<string, unknown>> | undefined;
}
/**
 * Returns the most specific rate limit for a call: the limit of the login's role if there is one,
 * and the limit of the path otherwise.
 */
export async function quotaFor(
  deployment: Deployment,
  quotas: Quotas,
  { mount, path, parameters }: Target,
): Promise<Quota | undefined> {
  const roles = quotas.roles.get(mount);
  return (
    (parameters &&
      roles &&
      (await ofRole(roles, parameters, () => unnamedRole(deployment, mount, parameters)))) ??
    forPath(quotas, mount, path)
  );
}

/** Returns the path of a call under `/v1/`, in the form that policies evaluate. */
function pathOf({ path }: Call): string {
  const below = path.startsWith(base) ? path.slice(base.length) : path;
  if (!below.includes("%")) return below;
  try {
    return decodeURIComponent(below);
  } catch {
    return below;
  }
}
/** Reports whether calls to a path are exempt from rate limits. */
export const isExempt = ({ config }: Quotas, path: string): boolean =>
  config.rate_limit_exempt_paths.some((one) => {
    const at = trimSlashes(one);
    return at.endsWith("*") ? path.startsWith(at.slice(0, -1)) : path === at;
  });

/**
 * Returns the rate limit for the role of a login, regardless of whether the login specifies the
 * role.
 */
async function ofRole(
  roles: ReadonlyMap<string, Quota>,
  { role, name }: Readonly<Record<string, unknown>>,
  unnamed: () => Promise<string>,
): Promise<Quota | undefined> {
  for (const candidate of [role, name]) {
    // parse the role in the same way as logins, so that the limit applies to every spelling
    const quota = typeof candidate === "string" ? roles.get(candidate.toLowerCase()) : undefined;
    if (quota) return quota;
  }
  return roles.get(await unnamed());
}
function forPath({ at, formed, below, all }: Quotas, mount: string, path: string) {
  const form = limitedForm(path);
  // paths of mounts are case-sensitive
  const ofMount = ({ row }: Quota): boolean => trimSlashes(row.path).startsWith(mount);
  const byForm = formed.get(form);
  return (
    at.get(path) ??
    (byForm && ofMount(byForm) ? byForm : undefined) ??
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
/** Counts a call against a rate limit, by client network. */
export function throttleCall(
  { ports }: Deployment,
  { config }: Quotas,
  { quota, call, path }: Limited,
): QuotaDecision {
  const { granted, remaining, wait } = quota.count(
    subscriberNetwork(call.peer?.address ?? ""),
    ports.now(),
  );
  const resetSeconds = String(Math.max(1, Math.ceil(wait / 1000)));
  const headers = config.enable_rate_limit_response_headers
    ? {
        "x-ratelimit-limit": String(Math.ceil(quota.row.rate)),
        "x-ratelimit-remaining": String(remaining),
        "x-ratelimit-reset": resetSeconds,
      }
    : {};
  if (granted) return { headers };
  return {
    headers: { ...headers, "retry-after": resetSeconds },
    refusal: new CaError(
      "too_many_requests",
      `request path "${path.slice(0, 256)}": rate limit quota exceeded`,
      { retryAfter: Number(resetSeconds) },
    ),
  };
}

/** Returns the CORS settings from a cache that is at most a second old. */
export const corsSettings: NonNullable<Api["allowed"]> = async (deployment) => {
  const { cors } = await earlyValuesOf(deployment);
  return { origins: cors.allowed_origins, headers: cors.allowed_headers };
};
/** Reports whether CORS was enabled at the last read. The result is false before the first read. */
export const isCorsOpen: NonNullable<Api["allows"]> = ({ sys }) => stateOf(sys).isOpen;
