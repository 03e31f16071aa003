import { isUsable, type Life } from "./lifetime.ts";

/** The properties of a certificate that identify its renewals. */
interface Renewable {
  readonly serial: string;
  readonly title: string;
  readonly others: readonly string[];
  readonly unread: number;
  readonly role: string;
  readonly authority: boolean;
  readonly begins: Date;
  readonly ends: Date;
  readonly state: Life;
}

/** Returns a map key that is equal for a certificate and its renewals. */
const kindOf = ({ title, others, unread, role }: Renewable): string =>
  JSON.stringify([title, others.toSorted(), unread, role]);

/** Reports whether a certificate was issued later, or in the same second and expires later. */
const isLater = (one: Renewable, other: Renewable): boolean =>
  one.begins > other.begins || (+one.begins === +other.begins && one.ends > other.ends);

/**
 * Reports whether a certificate renews another one: whether it has the same names and role, was not
 * issued earlier and expires later. For a revoked certificate it may also expire earlier if it was
 * issued later.
 */
export const isRenewalOf = (next: Renewable, row: Renewable): boolean =>
  kindOf(next) === kindOf(row) &&
  next.begins >= row.begins &&
  (next.ends > row.ends || (row.state === "revoked" && next.begins > row.begins)) &&
  isUsable(next.state);

/**
 * Returns the latest renewal of each given certificate that another given certificate renews, by
 * serial number.
 */
export function successors<T extends Renewable>(rows: readonly T[]): ReadonlyMap<string, T> {
  const last = new Map<string, T>();
  const leaves = rows.filter(({ authority }) => !authority);
  for (const row of leaves) {
    const latest = last.get(kindOf(row));
    if (isUsable(row.state) && (!latest || isLater(row, latest))) last.set(kindOf(row), row);
  }
  return new Map(
    leaves.flatMap((row) => {
      const next = last.get(kindOf(row));
      return next && isRenewalOf(next, row) ? [[row.serial, next] as const] : [];
    }),
  );
}
