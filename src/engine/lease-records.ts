import { rowReader } from "./row-reader.ts";
import type { Index, Row } from "./ports.ts";

/** A lease, in the store of its mount: its end is the end of what was handed out with it. */
interface LeaseRow {
  /** Serial number of its certificate, as the keys of rows have it. */
  readonly serial: string;
  /** Unix milliseconds. */
  readonly issued: number;
  /** When it ends, Unix seconds. */
  readonly expires: number;
  /** When its certificate ends, Unix seconds. */
  readonly not_after: number;
  /** Accessor of the token that asked; absent where none of a stored token did. */
  readonly token?: string;
}
/** A lease with its key. */
export interface StoredLease extends LeaseRow {
  readonly key: string;
}

/** What the keys of leases begin with: behind it stands their id without the path of the mount. */
export const belowLeases = "lease/";
/** Names of the indexes of leases: by their end, Unix seconds, and by the accessor of a token. */
export const [leaseEnds, leaseTokens] = ["lease_end", "lease_token"] as const;
/** A new lease as a batch puts it. `path`: its id without the path of the mount. */
export const leaseEntry = (
  path: string,
  row: LeaseRow,
): readonly [key: string, row: LeaseRow, index: Index] => [
  `${belowLeases}${path}`,
  row,
  { [leaseEnds]: row.expires, ...(row.token === undefined ? {} : { [leaseTokens]: row.token }) },
];

/** A token that has ended, in the store `sys`, until no lease of it can come any more. */
export interface EndedTokenRow {
  /** Unix milliseconds. */
  readonly at: number;
  /** When it is looked for leases next, Unix milliseconds. */
  readonly look: number;
}
/** What the keys of ended tokens begin with. */
export const belowEndedTokens = "endedtoken/";
/** Name of the index by which they are found: when they are looked at next, Unix seconds. */
export const endedTokenLooks = "lease_look";
/** An ended token as a batch puts it. */
export const endedTokenEntry = (
  accessor: string,
  row: EndedTokenRow,
): readonly [key: string, row: EndedTokenRow, index: Index] => [
  `${belowEndedTokens}${accessor}`,
  row,
  { [endedTokenLooks]: Math.ceil(row.look / 1000) },
];

/** A lease as it was read. */
export const storedLease = ([key, { value }]: readonly [key: string, row: Row]): StoredLease => ({
  ...readLease(value),
  key,
});

/** Reads the row of a lease. */
const readLease = rowReader<LeaseRow>({ serial: "", issued: 0, expires: 0, not_after: 0 });
/** Reads the row of an ended token. */
export const storedEndedToken = rowReader<EndedTokenRow>({ at: 0, look: 0 });
