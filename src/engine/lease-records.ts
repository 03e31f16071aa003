import { rowReader } from "./row-reader.ts";
import type { Index, Row } from "./ports.ts";

/** A lease, in the store of its mount. It expires with its certificate, or earlier. */
interface LeaseRow {
  /** Serial number of its certificate, in the form of row keys. */
  readonly serial: string;
  /** Unix milliseconds. */
  readonly issued: number;
  /** Expiry (Unix seconds). */
  readonly expires: number;
  /** Expiry of its certificate (Unix seconds). */
  readonly not_after: number;
  /** Accessor of the token that requested it; absent for tokens that are not stored. */
  readonly token?: string;
}
/** A lease with its key. */
export interface StoredLease extends LeaseRow {
  readonly key: string;
}

/** Prefix of the keys of leases, followed by their id without the mount's path. */
export const belowLeases = "lease/";
/** Indexes of leases: by expiry (Unix seconds), and by token accessor. */
export const [leaseEnds, leaseTokens] = ["lease_end", "lease_token"] as const;
/** Returns a new lease for a batch. `path`: its id without the mount's path. */
export const leaseEntry = (
  path: string,
  row: LeaseRow,
): readonly [key: string, row: LeaseRow, index: Index] => [
  `${belowLeases}${path}`,
  row,
  { [leaseEnds]: row.expires, ...(row.token === undefined ? {} : { [leaseTokens]: row.token }) },
];

/** A revoked or expired token, in the store `sys`; stored until no more leases of it can appear. */
export interface EndedTokenRow {
  /** Unix milliseconds. */
  readonly at: number;
  /** Time of the next search for its leases (Unix ms). */
  readonly look: number;
}
/** Prefix of the keys of revoked and expired tokens. */
export const belowEndedTokens = "endedtoken/";
/** Index of revoked and expired tokens by the time of the next search (Unix seconds). */
export const endedTokenIndex = "lease_look";
/** Returns the row of a revoked or expired token for a batch. */
export const endedTokenEntry = (
  accessor: string,
  row: EndedTokenRow,
): readonly [key: string, row: EndedTokenRow, index: Index] => [
  `${belowEndedTokens}${accessor}`,
  row,
  { [endedTokenIndex]: Math.ceil(row.look / 1000) },
];

/** Parses a lease and its key. */
export const storedLease = ([key, { value }]: readonly [key: string, row: Row]): StoredLease => ({
  ...readLease(value),
  key,
});

/** Reads the row of a lease. */
const readLease = rowReader<LeaseRow>({ serial: "", issued: 0, expires: 0, not_after: 0 });
/** Reads the row of a revoked or expired token. */
export const storedEndedToken = rowReader<EndedTokenRow>({ at: 0, look: 0 });
