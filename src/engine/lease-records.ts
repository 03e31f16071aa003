import type { MountIndex } from "../base/mount-indexes.ts";
import { rowReader } from "./row-reader.ts";
import type { Index, Row } from "./ports.ts";

/**
 * The row of a lease, in the store of its mount. A lease expires with its certificate, or earlier.
 */
interface LeaseRow {
  /** Serial number of the certificate, in the form used in row keys. */
  readonly serial: string;
  /** Time of issuance (Unix ms). */
  readonly issued: number;
  /** Expiry of the lease (Unix seconds). */
  readonly expires: number;
  /** Expiry of the certificate (Unix seconds). */
  readonly not_after: number;
  /** Accessor of the token that requested the certificate. Absent if the token is not stored. */
  readonly token?: string;
}
/** A lease with the key of its row. */
export interface StoredLease extends LeaseRow {
  readonly key: string;
}

/** Key prefix of lease rows. The lease ID without the mount's path follows. */
export const belowLeases = "lease/";
/** Names of the lease indexes on the expiry (Unix seconds) and on the token accessor. */
export const [leaseEnds, leaseTokens] = ["lease_end", "lease_token"] as const;
/**
 * Returns the row of a lease, to be put in a batch. `path` is the lease ID without the mount's
 * path.
 */
export const leaseEntry = (
  path: string,
  row: LeaseRow,
): readonly [key: string, row: LeaseRow, index: MountIndex] => [
  `${belowLeases}${path}`,
  row,
  { [leaseEnds]: row.expires, ...(row.token === undefined ? {} : { [leaseTokens]: row.token }) },
];

/**
 * A revoked or expired token, in the `sys` store. The row is stored until no more leases of the
 * token can appear.
 */
export interface EndedTokenRow {
  /** Time of the revocation or expiry (Unix ms). */
  readonly at: number;
  /** Time of the next search for the token's leases (Unix ms). */
  readonly look: number;
}
/** Key prefix of the rows for revoked and expired tokens. */
export const belowEndedTokens = "endedtoken/";
/**
 * Name of the index on the time of the next search for leases of revoked and expired tokens (Unix
 * seconds).
 */
export const endedTokenIndex = "lease_look";
/** Returns the row of a revoked or expired token, to be put in a batch. */
export const endedTokenEntry = (
  accessor: string,
  row: EndedTokenRow,
): readonly [key: string, row: EndedTokenRow, index: Index] => [
  `${belowEndedTokens}${accessor}`,
  row,
  { [endedTokenIndex]: Math.ceil(row.look / 1000) },
];

/** Parses the row of a lease and adds its key. */
export const storedLease = ([key, { value }]: readonly [key: string, row: Row]): StoredLease => ({
  ...readLease(value),
  key,
});

/** Parses the row of a lease. */
const readLease = rowReader<LeaseRow>({ serial: "", issued: 0, expires: 0, not_after: 0 });
/** Parses the row of a revoked or expired token. */
export const storedEndedToken = rowReader<EndedTokenRow>({ at: 0, look: 0 });
