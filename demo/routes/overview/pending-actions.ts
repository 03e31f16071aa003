import { stateOf, type Authority } from "../../api/issuer.ts";
import { isUsed, successorOf, usesOf, type IssuerUses } from "../../api/issuer-uses.ts";
import type { NamedRole } from "../../lib/role.ts";
import type { Life } from "../../lib/lifetime.ts";
import type { ExpiryForecast } from "./expiring.ts";
import { date, distance } from "../../lib/time-text.ts";

/**
 * Numbers of certificates that expire soon: CA certificates, which are listed individually, and all
 * others.
 */
export interface Ending {
  readonly authorities: number;
  readonly others: number;
}

/** Counts the certificates that expire soon. `wanting` contains the CAs that need action. */
export const ending = (
  { certificates }: ExpiryForecast,
  wanting: readonly PendingIssuer[],
): Ending => ({
  authorities: wanting.filter(({ state }) => state === "soon").length,
  others: certificates.filter(({ state }) => state === "soon").length,
});

/** A CA that needs action. */
export interface PendingIssuer {
  readonly one: Authority;
  readonly state: Life;
  readonly uses: IssuerUses;
  readonly successor: Authority | undefined;
}

/**
 * Reports whether a CA needs action: it is not valid yet, it is still used although its state is
 * not `valid`, or it expires soon and has no successor.
 */
function isPending({ one, state, uses, successor }: PendingIssuer): boolean {
  if (state === "valid") return false;
  if (state === "future" || isUsed(uses)) return true;
  // a CA without its key was imported only as a trust anchor, so it cannot be replaced here
  return state === "soon" && successor === undefined && one.record.key_id !== "";
}

/** Returns the CAs that need action. `roles` contains the roles that the token may read. */
export const pendingIssuers = (
  all: readonly Authority[],
  roles: readonly NamedRole[],
  now: Date,
): readonly PendingIssuer[] =>
  all
    .map((one) => ({
      one,
      state: stateOf(one, now),
      uses: usesOf(one, all, roles),
      successor: successorOf(one, all),
    }))
    .filter(isPending);

const numbered = (n: number, one: string, more: string): string =>
  n === 1 ? `one ${one}` : `${n} ${more}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Returns a sentence with the total number of CAs, and the numbers of CAs (`wanting`) and
 * certificates (`soon`) that need action. `soon` is undefined until the certificates have been
 * counted. `urls` is true if configured URLs name another mount.
 */
export function summary(
  total: number,
  wanting: number,
  soon: number | undefined,
  urls = false,
): string {
  const there = capital(numbered(total, "authority", "authorities"));
  if (urls && wanting === 0 && !soon) return `${there}. The configured URLs need action.`;
  if (wanting === 0 && soon === undefined) return `${there}.`;
  if (!soon)
    return `${there}. ${wanting === 0 ? "Nothing needs action." : wanting === 1 ? "1 needs action." : `${wanting} need action.`}`;
  const who = [
    ...(wanting > 0 ? [numbered(wanting, "authority", "authorities")] : []),
    numbered(soon, "certificate", "certificates"),
  ].join(" and ");
  return `${there}. ${capital(who)} ${wanting + soon === 1 ? "needs" : "need"} action.`;
}

const listed = (names: readonly string[]): string =>
  names.length > 3
    ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`
    : names.join(", ");

/** Returns a phrase for the remaining uses of a CA, or an empty string if there are none. */
const usesInWords = ({ isDefault, roles, below }: IssuerUses): string =>
  [
    ...(isDefault ? ["this CA is the default issuer"] : []),
    ...(roles.length > 0
      ? [
          `${roles.length === 1 ? "the role" : "the roles"} ${listed(roles)} ${roles.length === 1 ? "uses" : "use"} it`,
        ]
      : []),
    ...(below.length > 0 ? [`${listed(below)} ${below.length === 1 ? "is" : "are"} below it`] : []),
  ].join(", and ");

/**
 * Returns the problem of a CA, as a phrase that follows its name, and a sentence about the
 * consequence. Returns undefined if there is no problem.
 */
export function wantOf(
  { one: { view }, state, uses, successor }: PendingIssuer,
  now: Date,
): readonly [want: string, about: string] | undefined {
  const used = usesInWords(uses);
  const next = successor
    ? `${successor.name} replaces it, but ${used}.`
    : `Create a successor${uses.isDefault ? " and make it the default" : ""}.`;
  if (state === "soon")
    return [
      `expires ${distance(view.ends, now)}`,
      `Certificates it issued become invalid when it expires. ${next}`,
    ];
  if (state === "expired")
    return ["has expired", `Certificates it issued became invalid when it expired. ${next}`];
  if (state === "revoked")
    return ["is revoked", `Certificates it signed should not be trusted. ${next}`];
  if (state === "distrusted")
    return ["is below a revoked CA", `Clients reject the certificates that it issues. ${next}`];
  if (state === "future")
    return [
      `is not valid before ${date(view.begins)}`,
      "Clients reject its certificates until then.",
    ];
  return undefined;
}

/** Returns a title and an explanation for certificates that expire soon. */
export function expiryTexts({ authorities, others }: Ending): {
  readonly title: string;
  readonly about: string;
} {
  const count = authorities + others;
  const named =
    authorities === 0
      ? ""
      : ` ${capital(numbered(authorities, "of them is a CA certificate", "of them are CA certificates"))}, named above.`;
  return {
    title: capital(numbered(count, "certificate expires soon", "certificates expire soon")),
    about:
      count === 1
        ? "It expires within 30 days, and less than a third of its lifetime (at least a week) remains. It was not issued through ACME, and no later certificate has its names. Renew it unless its client does so automatically."
        : `They expire within 30 days, and less than a third of their lifetimes (at least a week each) remains. They were not issued through ACME, and no later certificate has their names. Renew those whose clients do not do so automatically.${named}`,
  };
}
