import { ApiError, list, mount, unknownCall } from "./api.ts";
import { row, type Row } from "./inventory.ts";
import { certificate } from "./pki.ts";
import {
  listed,
  listedOf,
  passes,
  searchPage,
  type At,
  type Filters,
  type Info,
  type Issuers,
  type Listed,
} from "./search.ts";
import { bareHex, visible } from "./words.ts";

/**
 * Digits that a serial number may begin with, as a row shows them or as it is written elsewhere;
 * empty for any other text.
 */
export function digitsIn(q: string): string {
  const digits = bareHex(q.replace(/…\s*$/, ""));
  return /^[0-9a-f]{4,64}$/.test(digits) ? digits : "";
}

/**
 * Whether digits are those of a SHA-256 fingerprint, and no serial number, which has forty at most.
 */
export const isPrint = (digits: string): boolean => digits.length === 64;

/** A place in the list of serial numbers, just before the first that begins with the digits. */
function before(digits: string): string {
  const last = BigInt(`0x${digits}`) - 1n;
  return last < 0n ? "" : last.toString(16).padStart(digits.length, "0").padEnd(64, "f");
}

const mostSerials = 50;

async function detailed(
  digits: string,
  limit: number,
): Promise<readonly (readonly [serial: string, info: Info])[]> {
  const { keys, info } = await list<Info>(
    mount(`certs/detailed?after=${before(digits)}&limit=${limit}`),
  );
  return keys.flatMap((key) => {
    const [serial, about] = [bareHex(key), info[key]];
    return about && serial.startsWith(digits) ? [[serial, about] as const] : [];
  });
}

/**
 * Certificates whose serial number begins with the digits, fifty at most. Where details cannot be
 * listed, that of the whole number.
 */
export async function bySerial(
  typed: string,
  known: Issuers,
  now: Date,
): Promise<readonly Listed[]> {
  // The API knows serial numbers without leading zero octets.
  const digits = typed.replace(/^(?:00)+/, "") || "0";
  try {
    const found = await detailed(digits, mostSerials);
    const revoked = await Promise.all(
      found.map(async ([serial]) => (await certificate(serial)).revocation_time > 0),
    );
    return found.map(([serial, info], i) =>
      listed(serial, { ...info, state: revoked[i] ? "revoked" : "" }, known, now),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 404, 405].includes(error.status)) throw error;
    return whole(digits, now);
  }
}

async function whole(digits: string, now: Date): Promise<readonly Listed[]> {
  if (!/^(?:..){8,20}$/.test(digits)) return [];
  try {
    return [listedOf(await row(digits, now))];
  } catch (error) {
    if (unknownCall(error)) return [];
    throw error;
  }
}

/** How a certificate came to be, as far as the authority can say. */
export interface Origin {
  /** The role that issued it; empty when there was none. */
  readonly role: string;
  /** The account of ACME that it was issued to; empty when ACME did not issue it. */
  readonly account: string;
}

/** How a certificate came to be. */
export async function originOf(serial: string): Promise<Origin> {
  const found = await detailed(serial, 1).catch(() => []);
  const info = found.find(([key]) => key === serial)?.[1];
  return { role: visible(info?.role ?? ""), account: visible(info?.acme_account ?? "") };
}

/**
 * The authorities of this mount that expire soon by their own rule, longer before their end than
 * other certificates.
 */
export async function soonAuthorities(
  filters: Filters,
  known: Issuers,
  now: Date,
): Promise<readonly Listed[]> {
  const q = filters.q.trim().toLowerCase();
  const named = ({ title, others }: Listed): boolean =>
    [title, ...others]
      .map((name) => name.toLowerCase())
      .some((name) => (filters.match === "any" ? name.includes(q) : name.startsWith(q)));
  const all = await Promise.all([...known.serials].map((serial) => bySerial(serial, known, now)));
  return all
    .flat()
    .filter((one) => named(one) && passes(one, filters, known))
    .toSorted((a, b) => a.ends.getTime() - b.ends.getTime());
}

/** What a walk for a fingerprint has found. */
export interface Compared {
  readonly rows: readonly Listed[];
  readonly cursor: string;
  /** How many certificates were compared. */
  readonly compared: number;
}

const hasPrint = (digits: string, { view }: Row): boolean =>
  view.sha256 === digits || view.keyPrint === digits;

/**
 * Compares the next hundred certificates with a fingerprint, of the certificate or of its key; the
 * authorities come first. The API has no index of fingerprints.
 */
export async function byPrint(
  digits: string,
  filters: Filters,
  cursor: string,
  at: At,
): Promise<Compared> {
  const next = await searchPage({ ...filters, q: "" }, cursor, at);
  const { known, now } = at;
  const serials = [
    ...(cursor === "" ? known.serials : []),
    ...next.rows.map(({ serial }) => serial).filter((serial) => !known.serials.has(serial)),
  ];
  const read = await Promise.allSettled(serials.map((serial) => row(serial, now)));
  const failed = read.find((one) => one.status === "rejected" && !unknownCall(one.reason));
  if (failed?.status === "rejected") throw failed.reason;
  const found = read.flatMap((one) =>
    one.status === "fulfilled" && hasPrint(digits, one.value) ? [one.value] : [],
  );
  const rows = (await Promise.all(found.map(({ serial }) => bySerial(serial, known, now))))
    .flat()
    .filter((one) => passes(one, filters, known));
  // Nothing else has the fingerprint of a whole certificate; a key may have several.
  return {
    rows,
    cursor: found.some(({ view }) => view.sha256 === digits) ? "" : next.cursor,
    compared: serials.length,
  };
}
