import { issuersById, keysById, type IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { certificateOf } from "./issuer.ts";

/** Seconds. */
const day = 86_400;
/**
 * An issuer needs a successor 90 days before it expires, as in the console, but not before the last
 * third of its lifetime.
 */
const noticePeriod = 90 * day;
/** Numbers of days in the text of a warning, which should not change daily. */
const shownDays = [7, 30, 90];

/** Returns the issuers that can issue certificates. */
export const activeIssuers = (config: Snapshot): readonly IssuerRow[] =>
  [...config.get(issuersById).values()].filter(
    ({ key_id, usage, revoked }) =>
      revoked === undefined &&
      key_id !== "" &&
      config.get(keysById).has(key_id) &&
      usage.includes("issuing-certificates"),
  );

/** Returns warnings, without names, about issuers that expire soon. `now`: Unix seconds. */
export function expiryWarnings(config: Snapshot, now: number): readonly string[] {
  const texts = activeIssuers(config).flatMap((row) => {
    const { notBefore, notAfter } = certificateOf(row);
    const remaining = notAfter - now;
    if (remaining > Math.min(noticePeriod, (notAfter - notBefore) / 3)) return [];
    if (remaining < 0)
      return [
        "An issuer has expired: create a successor and make it the default, or remove issuing-certificates from its usage.",
      ];
    const days = shownDays.find((limit) => remaining <= limit * day) ?? 0;
    return [
      `An issuer expires in less than ${days} days: create a successor and make it the default.`,
    ];
  });
  return [...new Set(texts)];
}
