import { memoize } from "../base/memo.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { sysKeys, storedSys } from "../engine/sys-records.ts";
import { type CaError, statusOfRefusal } from "../base/errors.ts";
import { auditHash } from "../engine/audit-key.ts";
import {
  maxAuditEvents,
  auditPrefixes,
  type AuditEvent,
  type AuditFields,
  type AuditLogName,
} from "../engine/audit-records.ts";
import type { Identity, LogEntry } from "../engine/ports.ts";
import type { AuditShare } from "./audits.ts";
import type { Caller } from "./endpoint.ts";
import type { RequestContext } from "./request-context.ts";

/** A rate limit for events: the burst, and the time in ms after which one more event is allowed. */
export type Share = readonly [burst: number, interval: number];
/** The state of a caller's rate limit for audited calls (a token bucket). */
interface Bucket {
  left: number;
  at: number;
  /** Number of events that were dropped since the last one was stored. */
  skipped: number;
}

/**
 * Rate limit per caller and endpoint for events in the caller's own log: `change`, `acme` or
 * `public`. It is per endpoint, so that a flood of calls to one endpoint cannot suppress events of
 * another.
 */
export const endpointShare: Share = [100, 600_000];
/** Rate limit per caller for events in the `frequent` log, over all endpoints. */
export const frequentShare: Share = [1000, 600_000];

/** Maximum number of rate limits whose state a store context remembers. */
const maxShares = 10_000;
/** The states of a store context's rate limits by name, least recently used first. */
const sharesOf = memoize<StoreContext, readonly [], Map<string, Bucket>>(() => new Map());

/** Returns the current state of the rate limit with the given name. */
export function bucketOf(
  storeContext: StoreContext,
  name: string,
  [burst, interval]: Share,
): Bucket {
  const shares = sharesOf(storeContext);
  const bucket = shares.get(name) ?? { left: burst, at: -Infinity, skipped: 0 };
  shares.delete(name);
  if (shares.size >= maxShares) {
    const [oldest = ""] = shares.keys();
    shares.delete(oldest);
  }
  shares.set(name, bucket);
  const now = storeContext.ports.now();
  // if the clock was set back, the elapsed time is unknown
  const passed = now - bucket.at;
  const more = passed < 0 ? 0 : Math.floor(passed / interval);
  if (more > 0 || passed < 0) {
    bucket.left = Math.min(burst, bucket.left + more);
    bucket.at = bucket.left === burst || passed < 0 ? now : bucket.at + more * interval;
  }
  return bucket;
}

/**
 * Counts one event against each rate limit if all of them allow it, and reports whether they do.
 * The owner's rate limit must come first: if it is exhausted, no state is created for the owner's
 * callers, and thus no other state is evicted.
 */
export function consumeShares(
  storeContext: StoreContext,
  ...shares: readonly (readonly [name: string, share: Share])[]
): boolean {
  const buckets: Bucket[] = [];
  for (const [name, share] of shares) {
    const bucket = bucketOf(storeContext, name, share);
    if (bucket.left <= 0) return false;
    buckets.push(bucket);
  }
  for (const bucket of buckets) bucket.left -= 1;
  return true;
}

/**
 * Rate limit per caller for events in a log of rejections. Without this limit, a token with few
 * permissions could fill the log or keep the disk busy.
 */
const callerShare: Share = [30, 600_000];
/**
 * Common rate limit for rejections of all tokens created by one token, or of all of one owner's
 * ACME accounts.
 */
const ownerShare: Share = [300, 60_000];
/** Number of rejections per caller that are stored even if many other callers are rejected. */
const certain = 5;
/** Common rate limit of all callers, for rejections beyond each caller's guaranteed number. */
const commonShare: Share = [300, 10_000];
/** Minimum time in ms between two writes of the number of calls without a valid token. */
const countEvery = 60_000;
/** Number of hours for which counts are kept. */
const maxHours = 48;
const hour = 3_600_000;

interface AnonymousCalls {
  /** Number of calls without a valid token that have not been written yet. */
  unwritten: number;
  written: number;
}
/** The calls without a valid token that this process has counted. */
const anonymousCallsOf = memoize<StoreContext, readonly [], AnonymousCalls>(() => ({
  unwritten: 0,
  written: -Infinity,
}));

/**
 * Counts one rejection against a caller's rate limit. Returns undefined if the rejection must not
 * be stored, and otherwise the number of rejections that were dropped since the last one was
 * stored. `storeContext` is the context of the store that contains the log. `owner` is the caller
 * itself, or the creator of its credential.
 */
export function withinLimit(
  storeContext: StoreContext,
  caller: string,
  owner: string,
): { readonly more: number } | undefined {
  const ofOwner =
    owner === caller ? undefined : bucketOf(storeContext, `refusals of ${owner}`, ownerShare);
  if (ofOwner && ofOwner.left <= 0) {
    // does not create a state for the caller, because states for many callers would evict other
    // states
    ofOwner.skipped += 1;
    return undefined;
  }
  const own = bucketOf(storeContext, `refusals ${caller}`, callerShare);
  const isLeft =
    own.left > 0 &&
    (own.left > callerShare[0] - certain || consumeShares(storeContext, ["refusals", commonShare]));
  if (!isLeft) {
    own.skipped += 1;
    return undefined;
  }
  let more = 0;
  for (const bucket of ofOwner ? [own, ofOwner] : [own]) {
    bucket.left -= 1;
    more += bucket.skipped;
    bucket.skipped = 0;
  }
  return { more };
}

/**
 * Counts a call without a valid token. One row contains the sum of the counts of all processes.
 * Each process adds to it at most once a minute, regardless of the number of calls.
 */
export async function countAnonymous(sys: StoreContext): Promise<void> {
  const calls = anonymousCallsOf(sys);
  const now = sys.ports.now();
  calls.unwritten += 1;
  if (now >= calls.written && now - calls.written < countEvery) return;
  const count = calls.unwritten;
  [calls.unwritten, calls.written] = [0, now];
  try {
    await sys.change(async () => {
      const [row] = await sys.store.get([sysKeys.anonymousCalls]);
      const begin = Math.floor(now / hour) * hour;
      const hours = storedSys.anonymousCalls(row?.value).hours;
      const last = hours.find(([at]) => at === begin)?.[1] ?? 0;
      const others = hours.filter(([at]) => at !== begin).slice(1 - maxHours);
      return {
        reply: undefined,
        batch: {
          expect: [[sysKeys.anonymousCalls, row?.rev ?? null]],
          put: [[sysKeys.anonymousCalls, { hours: [...others, [begin, last + count]] }]],
        },
      };
    });
  } catch (error) {
    calls.unwritten += count;
    throw error;
  }
}

/** Returns the number of calls without a valid token per hour. Hours are in Unix ms. */
export async function anonymousCallsPerHour(
  sys: StoreContext,
): Promise<readonly (readonly [number, number])[]> {
  const [row] = await sys.store.get([sysKeys.anonymousCalls]);
  return storedSys.anonymousCalls(row?.value).hours;
}

/** Returns the audit event of a change. */
export async function entryOf(request: RequestContext, log: AuditLogName): Promise<LogEntry> {
  const { audit } = request;
  const { names, ...draft } = audit.draft;
  const fields = {
    ...(await fieldsOf(request)),
    ...audit.fields,
    ...draft,
    ...(Array.isArray(names) && (await nameFields(request, names))),
  };
  return [auditPrefixes[log], eventOf(request, { fields }), maxAuditEvents];
}

/**
 * Returns the log for the event of a change. It is chosen so that no caller can evict the events of
 * others.
 */
export function logOf(request: RequestContext): AuditLogName {
  const { sys } = request.deployment;
  const { id, audits } = request.endpoint ?? {};
  const { method } = request.call;
  const sharer = sharerOf(request);
  if (!sharer) return "anonymous";
  const { log, name, owner = name } = sharer;
  // a read without `audits` can only store its wrapped response
  const isRead = method === "GET" || method === "LIST";
  if (log === "change" && (audits ? audits.own === true : isRead)) return "own";
  // anyone can register an account, so only endpoints that declare `audits` use the `acme` log
  if (log === "acme" ? !audits : log === "public" && !(audits && audits.always)) return "anonymous";
  const ofOwner: readonly (readonly [string, Share])[] =
    owner === name ? [] : [[`${log} all of ${owner}`, frequentShare]];
  if (consumeShares(sys, ...ofOwner, [`${log} ${name} ${id}`, endpointShare])) return log;
  if (log === "public") return "anonymous";
  return consumeShares(sys, [`${log} ${owner}`, frequentShare]) ? "frequent" : "overflow";
}
/** The audit quota of a caller with a credential, and the log for its events. */
interface Sharer extends Omit<AuditShare, "log"> {
  readonly log: AuditShare["log"] | "change";
}
/** Returns the audit quota of a caller with a credential, or undefined for an anonymous caller. */
function sharerOf({ identity, target, audit }: RequestContext): Sharer | undefined {
  const { share, fields, draft } = audit;
  if (share) return share;
  if (identity?.id) return { log: "change", name: ownerName(identity) };
  // a login knows the entity before it has an identity, and only a valid login changes anything
  const name =
    draft["entity"] ??
    fields["entity"] ??
    (target?.mount.startsWith("auth/") ? target.mount : undefined);
  return name === undefined ? undefined : { log: "change", name: String(name) };
}

type Principal = Identity | Caller["identity"];
/**
 * Returns the name under which a caller's changes are counted. All logins of an entity are counted
 * together, and so are all tokens created by one token.
 */
export function ownerName({ id, token, entity, accessor }: Principal): string {
  if (token?.origin !== undefined) return `made by ${token.origin}`;
  return entity?.id ?? token?.hash ?? accessor ?? id;
}
/**
 * Returns the name under which a caller's rejections are counted. A token created by another token
 * is counted alone, because it must not use up the rate limit of its creator.
 */
function principalName(holder: Principal): string {
  const { token } = holder;
  return (token?.origin === undefined ? undefined : token.hash) ?? ownerName(holder);
}

/** Matches the values that events may contain unhashed. */
const plainForm = /^[\w.:-]{1,128}$/;
/** Matches the names of path parameters whose values are never stored. */
const secretParameter = /token|secret/;
/** Maximum number of values of a member in an event. */
const maxValues = 20;

/**
 * Returns the hashes of the names of what a call created, except those that the request contains:
 * the event has their hashes already. Comparing texts takes less time than hashing them.
 */
async function nameFields(
  { endpoint, input: { input }, deployment: { sys } }: RequestContext,
  names: readonly string[],
): Promise<AuditFields> {
  const { hashed = [] } = endpoint?.audits || {};
  const others = new Set(names);
  for (const name of hashed)
    for (const sent of [partsOf(input[name])].flat().slice(0, maxValues))
      if (typeof sent === "string") others.delete(sent);
  if (others.size === 0) return {};
  const hashes = [...others].slice(0, maxValues).map(async (name) => auditHash(sys, name));
  return { names: await Promise.all(hashes) };
}
/** Returns the values in a text with commas. Returns other values unchanged. */
const partsOf = (value: unknown): unknown =>
  typeof value === "string" && value.includes(",")
    ? value
        .split(",")
        .map((one) => one.trim())
        .filter(Boolean)
    : value;

async function fieldsOf({
  endpoint,
  match,
  input: { input },
  deployment: { sys },
}: RequestContext): Promise<AuditFields> {
  const fields: Record<string, AuditFields[string]> = {};
  for (const [name, value] of Object.entries(match?.params ?? {}))
    if (!secretParameter.test(name)) fields[name] = value.slice(0, 256);
  const { hashed = [], plain = [] } = endpoint?.audits || {};
  for (const name of [...hashed, ...plain]) {
    const value = valueOf(sys, input[name], plain.includes(name));
    const auditValue = value instanceof Promise ? await value : value;
    if (auditValue !== undefined) fields[name] = auditValue;
  }
  return fields;
}

function valueOf(
  sys: StoreContext,
  sent: unknown,
  plain: boolean,
): Promise<AuditFields[string]> | AuditFields[string] | undefined {
  const value = partsOf(sent);
  if (value === undefined) return undefined;
  if (typeof value === "number" || typeof value === "boolean") return value;
  const toAuditText = (one: unknown): Promise<string> | string => {
    const text = typeof one === "string" ? one : JSON.stringify(one);
    return plain && plainForm.test(text) ? text : auditHash(sys, text);
  };
  if (typeof value === "string") return value === "" ? undefined : toAuditText(value);
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return Promise.all(value.slice(0, maxValues).map(async (one) => toAuditText(one)));
}

function eventOf(request: RequestContext, more: Partial<AuditEvent>): AuditEvent {
  const { endpoint, identity, call, target, match, requestId, deployment } = request;
  const address = call.peer?.address;
  const { fields, ...rest } = more;
  return {
    time: deployment.ports.now(),
    request: requestId,
    endpoint: endpoint?.id ?? "none",
    method: call.method,
    mount: target?.mount ?? "",
    path: match?.shape ?? "",
    ...(identity?.id ? { caller: identity.id } : {}),
    ...(identity?.accessor === undefined ? {} : { accessor: identity.accessor }),
    ...(identity?.entity === undefined ? {} : { entity: identity.entity.id }),
    ...(address === undefined ? {} : { address }),
    ...rest,
    ...(fields && Object.keys(fields).length > 0 ? { fields } : {}),
  };
}
/**
 * Stores the rejection of an authenticated caller if its rate limit allows that. Rejections of
 * anonymous callers are only counted.
 */
export async function storeRefusal(request: RequestContext, failure: CaError): Promise<void> {
  const { sys } = request.deployment;
  if (failure === request.audit.unauthenticated) return countAnonymous(sys);
  const status = statusOfRefusal(failure.code, request.call.method === "GET");
  const { identity, target } = request;
  const { share } = request.audit;
  if (status !== 403 || !identity?.id || !(request.call.token || request.audit.isIdentitySet))
    return;
  // anyone can register an ACME account, so rejections of accounts go to a separate log
  const on = share && target?.on;
  const storeContext = on && "decide" in on ? on.storeContext : sys;
  const name = share?.name ?? principalName(identity);
  const owner = share ? (share.owner ?? name) : ownerName(identity);
  const granted = withinLimit(storeContext, name, owner);
  if (!granted) return;
  const event = eventOf(request, {
    status,
    refusal: failure.code,
    ...(granted.more > 0 ? { more: granted.more } : {}),
  });
  const log = storeContext === sys ? "refusal" : "acme_refusal";
  await storeContext.commit({ log: [[auditPrefixes[log], event, maxAuditEvents]] });
}
