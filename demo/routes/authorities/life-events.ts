import { canSign, stateOf, type Authority } from "../../api/issuer.ts";
import { rolesOf, successorOf } from "../../api/issuer-uses.ts";
import type { NamedRole } from "../../lib/role.ts";
import { day, lasting } from "../../lib/time-text.ts";
import { roleSeconds } from "../../lib/durations.ts";

/** An event in the life of a CA. */
export interface LifeEvent {
  readonly title: string;
  readonly at: Date;
  readonly about: string;
  /** The other CA that the event is about, if any. */
  readonly other?: Authority;
  /** Whether the event is overdue. */
  readonly isLate: boolean;
}

/** Minimum time in ms between the creation of a CA's successor and the expiry of the CA. */
const successorAhead = 90 * day;

/** Sentences about certificates that would outlast their issuer, by API value. */
const laterOnes: Readonly<Record<string, string>> = {
  err: "Requests for later certificates that would outlast the CA are rejected.",
  always_enforce_err: "Requests for later certificates that would outlast the CA are rejected.",
  truncate: "Later certificates expire with the CA.",
  permit: "Later certificates outlast the CA, so clients reject them once the CA has expired.",
};

/** Returns the longest default lifetime among a CA's roles in seconds, or 0 if none is known. */
const maxDefaultTtl = (one: Authority, roles: readonly NamedRole[]): number =>
  Math.max(
    0,
    ...rolesOf(one, roles).map(([, role]) => roleSeconds(role.ttl) || roleSeconds(role.max_ttl)),
  );

/**
 * Returns the event after which a CA can no longer issue certificates with the full lifetime of its
 * roles.
 */
function lastIssuance(one: Authority, roles: readonly NamedRole[]): readonly LifeEvent[] {
  const ttl = maxDefaultTtl(one, roles);
  const at = new Date(one.view.ends.getTime() - ttl * 1000);
  if (ttl === 0 || at <= one.view.begins || !canSign(one)) return [];
  const title = `Last certificate valid for ${lasting(ttl)}`;
  const about = laterOnes[one.record.leaf_not_after_behavior] ?? "";
  return [{ title, at, about, isLate: false }];
}

/**
 * Returns the event for the successor's creation, or for the day by which a CA needs a successor.
 */
function succession(
  one: Authority,
  all: readonly Authority[],
  last: Date | undefined,
  now: Date,
): readonly LifeEvent[] {
  const other = successorOf(one, all);
  if (other) {
    const about = other.isDefault ? "The default issuer" : "";
    return [{ title: "Successor created", at: other.view.begins, about, other, isLate: false }];
  }
  const latest = one.view.ends.getTime() - successorAhead;
  const at = new Date(
    Math.max(one.view.begins.getTime(), Math.min(latest, Number(last ?? latest))),
  );
  if (stateOf(one, now) === "expired" || !canSign(one)) return [];
  const about = "By then, create the CA that replaces this one.";
  return [{ title: "Successor due", at, about, isLate: at < now }];
}

/** The data on which the events in the life of a CA depend. */
interface LifeContext {
  readonly all: readonly Authority[];
  /** The roles that the token may read. */
  readonly roles: readonly NamedRole[];
  /** Revocation time, if known. */
  readonly revoked: Date | undefined;
  readonly now: Date;
}

/** Returns the events in the life of a CA in order. */
export function lifeEvents(
  one: Authority,
  { all, roles, revoked, now }: LifeContext,
): readonly LifeEvent[] {
  const { begins, ends } = one.view;
  const [last] = lastIssuance(one, roles);
  return [
    { title: "Created", at: begins, about: "", isLate: false },
    ...succession(one, all, last?.at, now),
    ...(last ? [last] : []),
    ...(revoked
      ? [
          {
            title: "Revoked",
            at: revoked,
            about: "The CA can never issue certificates again.",
            isLate: false,
          },
        ]
      : []),
    {
      title: ends < now ? "Expired" : "Expires",
      at: ends,
      about: ends < now ? "" : "Certificates issued by this CA become invalid.",
      isLate: false,
    },
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}
