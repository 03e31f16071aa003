import { issuersById, keysById, type IssuerRow } from "../rows/records.ts";
import { issuersConfig } from "../rows/settings.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { isSameName } from "../../x509/name.ts";
import { certificateOf } from "./issuer.ts";

/** Number of seconds in a day. */
const day = 86_400;
/**
 * Time before the expiry of an issuer (seconds) from which warnings say that it needs a successor,
 * as in the console. There are no warnings before the last third of its lifetime.
 */
const noticePeriod = 90 * day;
/**
 * The numbers of days that warnings may state. There are only a few, so that the text of a warning
 * does not change daily.
 */
const shownDays = [7, 30, 90];

/**
 * Returns the issuers that can issue certificates: those that are not revoked, have a key, and have
 * the usage `issuing-certificates`.
 */
export const activeIssuers = (config: Snapshot): readonly IssuerRow[] =>
  [...config.get(issuersById).values()].filter(
    ({ key_id, usage, revoked }) =>
      revoked === undefined &&
      key_id !== "" &&
      config.get(keysById).has(key_id) &&
      usage.includes("issuing-certificates"),
  );

/** Reports whether one of the active issuers has the same subject and expires later. */
export const hasSuccessor = (
  { subject, notAfter }: Certificate,
  active: readonly IssuerRow[],
): boolean =>
  active.some((row) => {
    const other = certificateOf(row);
    return other.notAfter > notAfter && isSameName(other.subject, subject);
  });

/**
 * Returns warnings about issuers that expire soon, except issuers with a successor that are not the
 * default issuer. The warnings do not identify the issuers. `now` is in Unix seconds.
 */
export function expiryWarnings(config: Snapshot, now: number): readonly string[] {
  const active = activeIssuers(config);
  const texts = active.flatMap((row) => {
    const certificate = certificateOf(row);
    const { notBefore, notAfter } = certificate;
    const remaining = notAfter - now;
    if (remaining > Math.min(noticePeriod, (notAfter - notBefore) / 3)) return [];
    const isDefault = row.id === config.get(issuersConfig).default;
    if (!isDefault && hasSuccessor(certificate, active)) return [];
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
