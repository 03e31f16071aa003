import { userpass } from "../types/userpass.ts";
import { CaError } from "../../base/errors.ts";
import type { Method } from "../rows/methods.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";

/**
 * Minimum and maximum accepted cost of a hash. Each guess by an anonymous caller costs the CPU time
 * of one hash. That is 0.1 s for cost 10, the default of most libraries, and four times as much for
 * cost 12.
 */
const [minCost, maxCost] = [4, 10];

/** Returns the cost of a bcrypt hash, which is the binary logarithm of its number of iterations. */
export const costOf = (bcrypt: string): number => Number(bcrypt.slice(4, 6));

/**
 * Validates a bcrypt hash from a request. Throws `malformed`, with an error that does not quote the
 * hash.
 */
export function checkHash(bcrypt: string): void {
  if (!/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(bcrypt))
    throw new CaError(
      "malformed",
      "password_hash must be a bcrypt hash of 60 characters that begins with $2a$, $2b$ or $2y$",
    );
  const cost = costOf(bcrypt);
  if (cost < minCost || cost > maxCost)
    throw new CaError(
      "malformed",
      `password_hash has cost ${cost}, but the cost must be ${minCost} to ${maxCost}, because every login attempt takes the CPU time of a hash`,
    );
}

/** The row with the highest cost of the bcrypt hashes that were imported into a method. */
interface CostRow {
  readonly highest: number;
}
const storedCost = rowReader<CostRow>({ highest: 0 });
/** Returns the key of the row with the highest bcrypt cost of a method. */
export const costKey = (method: Method): string => method.key(userpass.rows.bcryptCost);
/** Returns the highest bcrypt cost in a method's row, or 0 if there is no row. */
export const highestCost = (row: Row | undefined): number => storedCost(row?.value).highest;

/**
 * Returns the change that records the cost of a new hash, or undefined if a hash of at least that
 * cost is already recorded.
 */
export async function raisedCost(method: Method, bcrypt: string): Promise<Batch | undefined> {
  const key = costKey(method);
  const [row] = await method.sys.store.get([key]);
  const highest = costOf(bcrypt);
  if (highestCost(row) >= highest) return undefined;
  return { expect: [[key, row?.rev ?? null]], put: [[key, { highest } satisfies CostRow]] };
}
