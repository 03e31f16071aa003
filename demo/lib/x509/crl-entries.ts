import { toHex } from "../../../src/base/bytes.ts";
import { eachRevoked, revocationReasons, type Crl } from "../../../src/x509/crl.ts";

/** A revoked certificate on a list. */
export interface CrlEntry {
  /** Hexadecimal. */
  readonly serial: string;
  readonly time: Date;
  /** Empty where none is given. */
  readonly reason: string;
}

/** The entries of a list: read when they are looked at, because a list may have many. */
export interface CrlEntries {
  readonly count: number;
  /** The entries at some places. */
  at(places: readonly number[]): readonly CrlEntry[];
  /** Where the serial number, in hexadecimal, begins so, the last entries first. */
  beginning(serial: string): readonly number[];
  /** The entry of a serial number in hexadecimal; leading zeros do not matter. */
  find(serial: string): CrlEntry | undefined;
}

const reasons: ReadonlyMap<number, string> = new Map(
  Object.entries(revocationReasons).map(([name, code]) => [code, name]),
);

/** Name of a reason code. */
export const reasonName = (code: number | undefined): string =>
  code === undefined ? "" : (reasons.get(code) ?? String(code));

/** A number without the byte that only says that it is not negative. */
const unsigned = (content: Uint8Array): Uint8Array =>
  content[0] === 0 && content.length > 1 ? content.subarray(1) : content;

/** So many entries are read before the page may do something else. */
const atOnce = 20_000;

const pause = (): Promise<void> => new Promise((done) => setTimeout(done));

/** Where entries begin, and in the last place where they end; throws at the first that is wrong. */
async function placesIn(entries: Uint8Array): Promise<readonly number[]> {
  const found: number[] = [];
  for (const { der } of eachRevoked({ entries })) {
    found.push(der.byteOffset - entries.byteOffset);
    if (found.length % atOnce === 0) await pause();
  }
  found.push(entries.length);
  return found;
}

/** Where the content of the element at a place begins. Short, because it was read before. */
const contentAt = (bytes: Uint8Array, at: number): number =>
  at + 2 + ((bytes[at + 1] ?? 0) < 0x80 ? 0 : (bytes[at + 1] ?? 0) & 0x7f);

/** The serial number of the entry at a place. */
function serialAt(bytes: Uint8Array, at: number): Uint8Array {
  const integer = contentAt(bytes, at);
  const from = contentAt(bytes, integer);
  const length = bytes[integer + 1] ?? 0;
  const whole =
    length < 0x80 ? length : Number.parseInt(toHex(bytes.subarray(integer + 2, from)), 16);
  return unsigned(bytes.subarray(from, from + whole));
}

const bare = (serial: string): string => serial.toLowerCase().replace(/^0+/, "");

/** Reports whether bytes begin with some hexadecimal digits. */
function begins(bytes: Uint8Array, digits: string, first: number): boolean {
  if (bytes[0] !== first) return false;
  return toHex(bytes.subarray(0, Math.ceil(digits.length / 2))).startsWith(digits);
}

/**
 * Reads every entry once, strictly, and keeps where each begins. Throws `CaError` at the first that
 * is wrong.
 */
export async function readEntries({ entries }: Pick<Crl, "entries">): Promise<CrlEntries> {
  const places = await placesIn(entries);
  const count = places.length - 1;
  const read = (place: number): CrlEntry | undefined => {
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
  const at = (wanted: readonly number[]): readonly CrlEntry[] =>
    wanted.flatMap((place) => read(place) ?? []);
  const where = (fits: (serial: Uint8Array) => boolean): readonly number[] => {
    const found: number[] = [];
    for (let place = count - 1; place >= 0; place--)
      if (fits(serialAt(entries, places[place] ?? 0))) found.push(place);
    return found;
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
      const wanted = bare(serial);
      const last = Number.parseInt(wanted.slice(-2), 16);
      return at(where((bytes) => bytes.at(-1) === last && bare(toHex(bytes)) === wanted))[0];
    },
  };
}
