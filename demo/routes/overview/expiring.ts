import { unknownCall } from "../../api/transport.ts";
import type { Life } from "../../lib/lifetime.ts";
import { rows } from "../../api/inventory.ts";
import { serials } from "../../api/certificates.ts";
import {
  filtersOf,
  rowOfCertificate,
  searchPage,
  type InventoryRow,
  type Issuers,
  type RowContext,
} from "../../api/inventory-search.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { date, day } from "../../lib/time-text.ts";
import { weeks } from "./expiry-weeks.ts";
import { respondersAmong } from "./responders.ts";

/** Maximum number of pages to read. */
const maxPages = 10;
/**
 * Maximum number of certificates to read from a server that cannot search, where each requires a
 * request.
 */
const maxRead = 100;

/** A certificate that is currently valid. */
interface Expiring {
  readonly ends: Date;
  /** Whether an ACME client renews the certificate. */
  readonly acme?: boolean;
  /** The state; `valid` if the certificate expires soon but has been renewed. */
  readonly state: Life;
}
/** The certificates that expire in the forecast period, excluding CA and revoked certificates. */
export interface ExpiryForecast {
  readonly certificates: readonly Expiring[];
  /** Certificates of external CAs that expire soon. */
  readonly elsewhere?: readonly Pick<InventoryRow, "serial" | "title" | "ends">[];
  /** A sentence about certificates that were not counted; empty if all were counted. */
  readonly left: string;
  /**
   * The time up to which all certificates were counted. Absent if the whole forecast is complete.
   */
  readonly until?: Date;
}

const successorSearch = lazyLoad(() => import("../../api/successor-search.ts"));

/** Returns the successors of certificates that expire soon. */
const renewedAmong = async (
  soon: readonly InventoryRow[],
  context: RowContext,
): Promise<ReadonlyMap<string, InventoryRow>> =>
  soon.length === 0 ? new Map() : (await successorSearch()).findSuccessors(soon, context);

/** Marks renewed certificates as valid, because they need no action. */
const renewedAreValid = (
  rows: readonly InventoryRow[],
  renewed: ReadonlyMap<string, InventoryRow>,
): readonly Expiring[] =>
  rows.map((row) => (renewed.has(row.serial) ? { ...row, state: "valid" } : row));

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

async function searchExpiring(now: Date, issuers: Issuers): Promise<ExpiryForecast> {
  const filters = filtersOf(
    new URLSearchParams({
      status: "valid",
      from: isoDay(now.getTime()),
      to: isoDay(now.getTime() + weeks * 7 * day),
    }),
  );
  const read: InventoryRow[] = [];
  let cursor = "";
  for (let page = 0; page < maxPages && (page === 0 || cursor !== ""); page++) {
    const next = await searchPage(filters, cursor, { issuers, now });
    read.push(...next.rows);
    cursor = next.cursor;
  }
  const responders = await respondersAmong(read);
  const leaves = read.filter((row) => !row.authority && !responders.has(row) && row.ends > now);
  const soon = leaves.filter(({ state }) => state === "soon");
  const certificates = renewedAreValid(leaves, await renewedAmong(soon, { issuers, now }));
  const elsewhere = expiringElsewhere(read, issuers, now);
  const until = read.at(-1)?.ends;
  if (cursor === "" || !until) return { certificates, elsewhere, left: "" };
  const left = `Incomplete after ${date(until)}: more than ${read.length} certificates expire in this period, and only the first ${read.length} are counted.`;
  return { certificates, elsewhere, left, until };
}

/** Returns the certificates of external CAs that expire soon and have not been renewed. */
const expiringElsewhere = (
  read: readonly InventoryRow[],
  { serials }: Issuers,
  now: Date,
): readonly InventoryRow[] =>
  read.filter(
    (row) =>
      row.authority &&
      !serials.has(row.serial) &&
      row.state === "soon" &&
      row.ends > now &&
      !read.some(
        ({ authority, title, begins, ends }) =>
          authority && title === row.title && begins > row.begins && ends > row.ends,
      ),
  );

async function readEach(now: Date): Promise<ExpiryForecast> {
  const keys = await serials();
  const read = (await rows(keys.slice(0, maxRead), now)).filter(
    ({ view, state }) => !view.authority && state !== "revoked" && state !== "expired",
  );
  const left =
    keys.length > maxRead
      ? `Incomplete: only ${maxRead} of ${keys.length} certificates are counted.`
      : "";
  const counted = read.map(rowOfCertificate);
  const { successors } = await import("../../lib/successors.ts");
  return { certificates: renewedAreValid(counted, successors(counted)), left };
}

/**
 * Counts the certificates that expire in the next thirteen weeks, excluding CA certificates. Reads
 * at most ten pages. `issuers` contains the mount's issuers.
 */
export async function countExpiring(now: Date, issuers: Issuers): Promise<ExpiryForecast> {
  try {
    return await searchExpiring(now, issuers);
  } catch (error) {
    if (unknownCall(error)) return readEach(now);
    throw error;
  }
}
