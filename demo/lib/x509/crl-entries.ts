import { toHex } from "../../../src/base/bytes.ts";
import { eachRevoked, revocationReasons, type Crl } from "../../../src/x509/crl.ts";

/** An entry of a CRL: a revoked certificate. */
export interface CrlEntry {
  /** Serial number in hexadecimal. */
  readonly serial: string;
  readonly time: Date;
  /** The revocation reason; empty if the entry has none. */
  readonly reason: string;
}

/** The entries of a CRL. Each is parsed on access, because a CRL can contain millions. */
export interface CrlEntries {
  readonly count: number;
  /** Returns the entries at these positions. */
  at(places: readonly number[]): readonly CrlEntry[];
  /**
   * Returns the positions of the entries whose hexadecimal serial number begins with these digits,
   * the last entries first.
   */
  beginning(serial: string): readonly number[];
  /** Finds the entry with the given hexadecimal serial number, which may have leading zeros. */
  find(serial: string): CrlEntry | undefined;
}

const reasons: ReadonlyMap<number, string> = new Map(
  Object.entries(revocationReasons).map(([name, code]) => [code, name]),
);

/** Returns the name of the given CRL reason code (RFC 5280 section 5.3.1). */
export const reasonName = (code: number | undefined): string =>
  code === undefined ? "" : (reasons.get(code) ?? String(code));

/** Removes the leading zero byte of a positive INTEGER. */
const unsigned = (content: Uint8Array): Uint8Array =>
  content[0] === 0 && content.length > 1 ? content.subarray(1) : content;

/** Number of entries to parse before yielding to other work of the page. */
const entriesPerTurn = 20_000;

const pause = (): Promise<void> => new Promise((done) => setTimeout(done));

/**
 * Returns the offsets of the entries, followed by the end of the last one. Throws if an entry is
 * malformed.
 */
async function placesIn(entries: Uint8Array): Promise<readonly number[]> {
  const offsets: number[] = [];
  for (const { der } of eachRevoked({ entries })) {
    offsets.push(der.byteOffset - entries.byteOffset);
    if (offsets.length % entriesPerTurn === 0) await pause();
  }
  offsets.push(entries.length);
  return offsets;
}

/**
 * Returns the offset of an element's content. Does not validate the element, because it has already
 * been parsed.
 */
const contentAt = (bytes: Uint8Array, at: number): number =>
  at + 2 + ((bytes[at + 1] ?? 0) < 0x80 ? 0 : (bytes[at + 1] ?? 0) & 0x7f);

/** Returns the serial number of the entry at the given offset. */
function serialAt(bytes: Uint8Array, at: number): Uint8Array {
  const integer = contentAt(bytes, at);
  const from = contentAt(bytes, integer);
  const length = bytes[integer + 1] ?? 0;
  const whole =
    length < 0x80 ? length : Number.parseInt(toHex(bytes.subarray(integer + 2, from)), 16);
  return unsigned(bytes.subarray(from, from + whole));
}

const bare = (serial: string): string => serial.toLowerCase().replace(/^0+/, "");

/** Reports whether bytes in hexadecimal begin with these digits. */
function begins(bytes: Uint8Array, digits: string, first: number): boolean {
  if (bytes[0] !== first) return false;
  return toHex(bytes.subarray(0, Math.ceil(digits.length / 2))).startsWith(digits);
}

/**
 * Parses and validates every entry once, and records its offset. Throws `CaError` if an entry is
 * malformed.
 */
export async function readEntries({ entries }: Pick<Crl, "entries">): Promise<CrlEntries> {
  const places = await placesIn(entries);
  const count = places.length - 1;
  const entryAt = (place: number): CrlEntry | undefined => {
    const slice = entries.subarray(places[place], places[place + 1]);
    const [one] = eachRevoked({ entries: slice });
    return (
      one && {
        serial: toHex(unsigned(one.serial)),
        time: new Date(one.revokedAt * 1000),
        reason: reasonName(one.reason),
      }
    );
  };
  const at = (indexes: readonly number[]): readonly CrlEntry[] =>
    indexes.flatMap((place) => entryAt(place) ?? []);
  const where = (matches: (serial: Uint8Array) => boolean): readonly number[] => {
    const indexes: number[] = [];
    for (let place = count - 1; place >= 0; place--)
      if (matches(serialAt(entries, places[place] ?? 0))) indexes.push(place);
    return indexes;
  };
  return {
    count,
    at,
    beginning(serial) {
      const digits = serial.toLowerCase();
      if (digits === "") return Array.from({ length: count }, (_, i) => count - 1 - i);
      const first = Number.parseInt(digits.slice(0, 2).padEnd(2, "0"), 16);
      return digits.length === 1
        ? where((bytes) => toHex(bytes.subarray(0, 1)).startsWith(digits))
        : where((bytes) => begins(bytes, digits, first));
    },
    find(serial) {
      const digits = bare(serial);
      const last = Number.parseInt(digits.slice(-2), 16);
      return at(where((bytes) => bytes.at(-1) === last && bare(toHex(bytes)) === digits))[0];
    },
  };
}
