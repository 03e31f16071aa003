import { listing } from "../../api/call.ts";
import { listCertDetails } from "../../api/endpoints/pki.ts";
import { ApiError, unknownCall } from "../../api/transport.ts";
import { row } from "../../api/inventory.ts";
import { certificate } from "../../api/certificates.ts";
import {
  rowOfListing,
  rowOfCertificate,
  passesFilters,
  searchPage,
  type RowContext,
  type Filters,
  type Info,
  type Issuers,
  type InventoryRow,
  type Page,
} from "../../api/inventory-search.ts";
import { bareHex } from "../../lib/hex-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { rememberedRole } from "../../lib/issued-roles.ts";

/**
 * Returns a cursor just before the first serial number that begins with the digits, in sorted
 * order.
 */
function before(digits: string): string {
  const last = BigInt(`0x${digits}`) - 1n;
  return last < 0n ? "" : last.toString(16).padStart(digits.length, "0").padEnd(64, "f");
}

const maxSerials = 50;

async function detailed(
  digits: string,
  limit: number,
): Promise<readonly (readonly [serial: string, info: Info])[]> {
  const { keys, info } = await listing(listCertDetails, { after: before(digits), limit });
  return keys.flatMap((key) => {
    const [serial, about] = [bareHex(key), info[key]];
    return about && serial.startsWith(digits) ? [[serial, about] as const] : [];
  });
}

/**
 * Finds at most fifty certificates by a prefix of their serial numbers. On servers that cannot list
 * details, only a complete serial number matches.
 */
export async function bySerial(
  typed: string,
  issuers: Issuers,
  now: Date,
): Promise<readonly InventoryRow[]> {
  // The API returns serial numbers without leading zero octets.
  const digits = typed.replace(/^(?:00)+/, "") || "0";
  try {
    const details = await detailed(digits, maxSerials);
    const revoked = await Promise.all(
      details.map(async ([serial]) => (await certificate(serial)).revocation_time > 0),
    );
    return details.map(([serial, info], i) =>
      rowOfListing(serial, { ...info, state: revoked[i] ? "revoked" : "" }, issuers, now),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 404, 405].includes(error.status)) throw error;
    return findBySerial(digits, now);
  }
}

async function findBySerial(digits: string, now: Date): Promise<readonly InventoryRow[]> {
  if (!/^(?:..){8,20}$/.test(digits)) return [];
  try {
    return [rowOfCertificate(await row(digits, now))];
  } catch (error) {
    if (unknownCall(error)) return [];
    throw error;
  }
}

/** The origin of a certificate, if the server knows it. */
interface Origin {
  /** The role with which the certificate was issued; empty if it was issued without a role. */
  readonly role: string;
  /** The ACME account for which the certificate was issued; empty if there is none. */
  readonly account: string;
  /** The ID of the certificate's lease; empty if there is none. */
  readonly lease: string;
}

/**
 * Returns the origin of a certificate. If the certificate cannot be listed, returns the role with
 * which this page issued it.
 */
export async function originOf(serial: string): Promise<Origin> {
  const found = await detailed(serial, 1).catch(() => []);
  const info = found.find(([key]) => key === serial)?.[1];
  const role = info?.role ?? rememberedRole(serial) ?? "";
  return {
    role: visible(role),
    account: visible(info?.acme_account ?? ""),
    lease: info?.lease_id ?? "",
  };
}

/**
 * Returns the mount's CAs that expire soon and match the filters. The state `soon` begins earlier
 * for CAs than for other certificates.
 */
export async function soonAuthorities(
  filters: Filters,
  issuers: Issuers,
  now: Date,
): Promise<readonly InventoryRow[]> {
  const q = filters.q.trim().toLowerCase();
  const hasName = ({ title, others }: InventoryRow): boolean =>
    [title, ...others]
      .map((name) => name.toLowerCase())
      .some((name) => (filters.match === "any" ? name.includes(q) : name.startsWith(q)));
  const all = await Promise.all(
    [...issuers.serials].map((serial) => bySerial(serial, issuers, now)),
  );
  return all
    .flat()
    .filter((one) => hasName(one) && passesFilters(one, filters, issuers))
    .toSorted((a, b) => a.ends.getTime() - b.ends.getTime());
}

/**
 * Returns the next page of certificates with the given certificate or key fingerprint. The first
 * page also contains imported CAs, which are not among the issued certificates.
 */
export async function byPrint(
  digits: string,
  filters: Filters,
  cursor: string,
  at: RowContext,
): Promise<Page> {
  const { issuers, now } = at;
  const more = { fingerprint: digits };
  const result = await searchPage({ ...filters, q: "" }, cursor, { ...at, more });
  // an older server ignores the filter and returns every certificate
  if (result.rows.some(({ print }) => print === ""))
    throw new Error("This server is too old to search by fingerprint.");
  const own = cursor === "" ? await printed([...issuers.serials], digits, now) : [];
  const rows = [...own.filter((row) => passesFilters(row, filters, issuers)), ...result.rows];
  return { ...result, rows: [...new Map(rows.map((row) => [row.serial, row])).values()] };
}

/** Returns the CAs with this certificate or key fingerprint. */
async function printed(
  serials: readonly string[],
  digits: string,
  now: Date,
): Promise<readonly InventoryRow[]> {
  const read = await Promise.all(serials.map((serial) => row(serial, now).catch(() => undefined)));
  return read.flatMap((one) =>
    one && [one.view.sha256, one.view.keyPrint].includes(digits) ? [rowOfCertificate(one)] : [],
  );
}
