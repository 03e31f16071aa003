import { referenceForm } from "../base/forms.ts";
import { memoize } from "../base/memo.ts";
import { foldPolicyName } from "../base/policy-name.ts";
import { createRateCounter, type RateCounter } from "../base/rate-counter.ts";
import type { Deployment } from "../engine/deployment.ts";
import { kindOf } from "../engine/cache.ts";
import {
  type CorsRow,
  corsKey,
  storedCors,
  type QuotaConfigRow,
  type QuotaRow,
  belowQuotas,
  quotaKeys,
  storedQuotas,
} from "./records.ts";
import type { Unit } from "../engine/unit.ts";

/** A path without the slashes around it. */
export const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, "");

/** Returns a path in the form that all its spellings have: names in many paths have no case. */
export const limitedForm = (path: string): string =>
  /^(?:auth|identity|sys)\//.test(path)
    ? foldPolicyName(path)
    : path.split("/").map(referenceForm).join("/");

/** A rate limit that is in force. */
export interface Quota {
  readonly name: string;
  readonly row: QuotaRow;
  readonly count: RateCounter;
}
/** All of them, by what they are for. */
export interface Quotas {
  readonly config: QuotaConfigRow;
  readonly size: number;
  /** For everything. */
  readonly all: Quota | undefined;
  /** For a path, and where that is a mount's, for what is below it. */
  readonly at: ReadonlyMap<string, Quota>;
  /** The same by the path in the form that all its spellings have. */
  readonly formed: ReadonlyMap<string, Quota>;
  /** For what begins so, as written and in that form; the longest first. */
  readonly below: readonly (readonly [prefix: string, formed: string, quota: Quota])[];
  /** For a role that a login names: by the mount of the method, then by role in lower case. */
  readonly roles: ReadonlyMap<string, ReadonlyMap<string, Quota>>;
}
/** What one isolate has counted, by the rules that it is counted by. */
interface State {
  readonly counters: Map<string, RateCounter>;
  /** Whether there was a limit when they were last read. */
  isLimited: boolean;
  /** Whether pages of other origins were allowed to call when that was last read. */
  isOpen: boolean;
}
/** By the unit of what all mounts share. */
export const stateOf = memoize<Unit, readonly [], State>(() => ({
  counters: new Map(),
  isLimited: false,
  isOpen: false,
}));

/** What is read of requests before it is known where they lead. */
export interface Front {
  readonly quotas: Quotas;
  readonly cors: CorsRow;
}
const fronts = kindOf<Front>(1, [belowQuotas, quotaKeys.config, corsKey]);
/** All of it, in one look at the store, at most a second old. */
export const frontOf = ({ sys }: Deployment): Promise<Front> =>
  sys.cache.recent(fronts, "", async () => {
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
      // what was counted by another rule says nothing of this one
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
    const path = trimmed(quota.row.path);
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
