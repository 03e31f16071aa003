import { isRetired, type Authority } from "../../api/issuer.ts";
import { life, type Life } from "../../lib/lifetime.ts";
import type { ExpiryForecast } from "./expiring.ts";
import { date, distance } from "../../lib/format.ts";

/** Certificates that expire soon: those of CAs, listed one by one, and the others. */
export interface Ending {
  readonly authorities: number;
  readonly others: number;
}

/** Counts the certificates that expire soon. */
export const ending = (
  { found }: ExpiryForecast,
  all: readonly Authority[],
  now: Date,
): Ending => ({
  authorities: all.filter((one) => stateOf(one, now) === "soon").length,
  others: found.filter(({ state }) => state === "soon").length,
});

const numbered = (n: number, one: string, more: string): string =>
  n === 1 ? `one ${one}` : `${n} ${more}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the state of a CA's certificate. */
export const stateOf = ({ view, record }: Authority, now: Date): Life =>
  life(view, record.revoked, now);

/** Reports whether a CA needs action. */
export const needsAction = (one: Authority, now: Date): boolean =>
  stateOf(one, now) !== "valid" && !isRetired(one);

/**
 * Returns a sentence with the number of CAs, and how many of them and of the certificates need
 * action. `soon`: undefined until counted.
 */
export function summary(all: readonly Authority[], soon: number | undefined, now: Date): string {
  const there = capital(numbered(all.length, "authority", "authorities"));
  const wanting = all.filter((one) => needsAction(one, now)).length;
  if (wanting === 0 && soon === undefined) return `${there}.`;
  if (!soon)
    return `${there}. ${wanting === 0 ? "Nothing needs action." : wanting === 1 ? "1 needs action." : `${wanting} need action.`}`;
  const who = [
    ...(wanting > 0 ? [numbered(wanting, "authority", "authorities")] : []),
    numbered(soon, "certificate", "certificates"),
  ].join(" and ");
  return `${there}. ${capital(who)} ${wanting + soon === 1 ? "needs" : "need"} action.`;
}

/** Returns the problem of a CA, to follow its name, and its consequence; undefined for none. */
export function wantOf(
  { view }: Authority,
  state: Life,
  now: Date,
): readonly [want: string, about: string] | undefined {
  const successor = "Create a successor and make it the default.";
  if (state === "soon")
    return [
      `expires ${distance(view.ends, now)}`,
      `Certificates it issued become invalid when it expires. ${successor}`,
    ];
  if (state === "expired")
    return ["has expired", `Certificates it issued became invalid when it expired. ${successor}`];
  if (state === "revoked")
    return ["is revoked", `Certificates it signed should not be trusted. ${successor}`];
  if (state === "future")
    return [
      `is not valid before ${date(view.begins)}`,
      "Certificates it signs are rejected until then.",
    ];
  return undefined;
}

/** Returns the texts about certificates that expire soon. */
export function endingWords({ authorities, others }: Ending): {
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
        ? "It is in the last third of its lifetime of a week or more, expires within 30 days, was not issued by ACME, and no later certificate has its names. Renew it unless its client does so automatically."
        : `Each is in the last third of its lifetime of a week or more, expires within 30 days, was not issued by ACME, and has no later certificate with its names. Renew those whose clients do not do so automatically.${named}`,
  };
}
