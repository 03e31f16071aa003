import { CaError } from "../base/errors.ts";
import { lastNumberKey, parseLastNumber, logKey } from "../base/row-keys.ts";
import type { Batch, Index } from "../engine/ports.ts";

/** Key of the row with the epoch, which batches only change with `epoch`. */
export const epochKey = "epoch";
/** Maximum bytes of a page of `append`: 64 KiB. */
export const pageBytes = 64 * 1024;
/**
 * Maximum total characters of a row's index values: at 3 bytes per character they take 786 kB, and
 * leave 1.2 MB of a 2 MB row to its key and value.
 */
const maxIndexText = 262_144;

const keyForm = /^[\0-\x7f]{1,512}$/;
const indexForm = /^[a-z_]{1,32}$/;
const prefixForm = /^[\0-\x7f]{0,512}$/;

/** Rejects keys that no store accepts. Throws TypeError. */
export function checkKeys(keys: readonly string[]): void {
  for (const key of keys) checkKey(key);
}
function checkKey(key: string): void {
  if (!keyForm.test(key))
    throw new TypeError(
      `a key must have 1 to 512 ASCII characters: ${JSON.stringify(key.slice(0, 80))}`,
    );
}

/**
 * Rejects a batch that is invalid in any store, so that all stores reject the same batches. Throws
 * TypeError.
 */
export function checkBatch(batch: Batch): void {
  for (const [key] of batch.expect ?? []) checkKey(key);
  if (batch.read) checkKeys(batch.read);
  for (const [key, value, index] of batch.put ?? []) {
    checkWritten(key);
    if (value === undefined) throw new TypeError(`no value for row ${key}`);
    if (index) checkIndex(index);
  }
  for (const key of batch.del ?? []) checkWritten(key);
  for (const [prefix] of batch.append ?? []) checkWritten(pageKey(prefix, 0));
  for (const [prefix, value, maxEntries = 1, joins] of batch.log ?? []) {
    checkLog(prefix);
    if (value === undefined) throw new TypeError(`no value for the log ${prefix}`);
    if (joins && !(value instanceof Uint8Array))
      throw new TypeError(`an entry that joins others must be a byte array: ${prefix}`);
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
      throw new TypeError("a log must keep a whole number of rows, at least one");
  }
}

/** The prefixes of logs that were checked last; there are few. */
const logPrefixes = new Set<string>();
const maxLogPrefixes = 100;
function checkLog(prefix: string): void {
  if (logPrefixes.has(prefix)) return;
  checkWritten(logKey(prefix, 0));
  checkKey(lastNumberKey(prefix));
  if (logPrefixes.size >= maxLogPrefixes) logPrefixes.clear();
  logPrefixes.add(prefix);
}

function checkWritten(key: string): void {
  checkKey(key);
  if (key === epochKey) throw new TypeError("only `epoch` may change the epoch");
}

function checkIndex(index: Index): void {
  let length = 0;
  for (const [name, value] of Object.entries(index)) {
    if (!indexForm.test(name))
      throw new TypeError(
        `the name of an index must have 1 to 32 characters of a-z and _: ${JSON.stringify(name)}`,
      );
    const isValid = typeof value === "string" || Number.isSafeInteger(value);
    if (!isValid) throw new TypeError(`index value ${name} is neither a text nor a safe integer`);
    length += typeof value === "string" ? value.length : 0;
  }
  if (length > maxIndexText) throw new TypeError("the index values of a row are too long");
}

/** Rejects a prefix that no key can have. Throws TypeError. */
export function checkPrefix(prefix: string): void {
  if (!prefixForm.test(prefix))
    throw new TypeError("a prefix must have at most 512 ASCII characters");
}

/** Returns the number after the last one that a log assigned, from the row that contains it. */
export const numberAfter = (last: unknown): number => parseLastNumber(last) + 1;
/**
 * Bytes after which entries that `joins` allows to share a row get another one, so that reading one
 * entry stays cheap.
 */
export const joinedBytes = 64 * 1024;
/** Number of log entries that are removed together. */
const removedTogether = 100;
/**
 * Returns the number up to which entries are removed after entry `n` was added; undefined if none
 * are removed now.
 */
export function endOfLog(n: number, maxEntries: number | undefined): number | undefined {
  return maxEntries === undefined || n % removedTogether !== 0 || n <= maxEntries
    ? undefined
    : n - maxEntries;
}
/**
 * Reports whether numbers are missing among the first entries of a log, of which `keys` are all up
 * to the number `end`. A restore leaves such a gap. Then entries are counted, so that those before
 * the gap are removed one for each new entry.
 */
export const hasGap = (keys: readonly string[], prefix: string, end: number): boolean =>
  keys[0] !== undefined && keys[0] !== logKey(prefix, end - keys.length + 1);

/** Maximum rows in one part of an export. */
export const exportedAtOnce = 500;
/**
 * Returns the key that stores the old form of a row changed before the export reached it. It sorts
 * after all regular keys, which are ASCII, and therefore after all other rows of the export.
 */
export const oldFormKey = (key: string): string => `\u{80}${key}`;
/** Returns the original key of an exported row, which may be an old form. */
export const exportedKey = (key: string): string => (key.startsWith("\u{80}") ? key.slice(1) : key);
/** Returns the error for the next part of an export whose snapshot was lost. */
export const exportLost = (): CaError =>
  new CaError("storage", "the export was interrupted: start it again");

/** Returns the first string after all keys with a prefix. Keys are ASCII. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{80}`;
}

/**
 * Returns the epoch after `batch` in a store whose epoch is `storedEpoch`; undefined if the batch's
 * conditions on the epoch do not hold.
 */
export function epochAfter(
  storedEpoch: number,
  { epoch, onlyAtEpoch }: Pick<Batch, "epoch" | "onlyAtEpoch">,
): number | undefined {
  if (onlyAtEpoch !== undefined && onlyAtEpoch !== storedEpoch) return undefined;
  if (epoch === "next") return storedEpoch + 1;
  if (epoch === undefined) return storedEpoch;
  return epoch < storedEpoch ? undefined : epoch;
}

/** Returns the key of page `n` below `prefix`. */
export function pageKey(prefix: string, n: number): string {
  return prefix + String(n).padStart(8, "0");
}

/** Reports whether `key` is that of a page below `prefix`. */
export function isPage(key: string, prefix: string): boolean {
  return (
    key.length === prefix.length + 8 &&
    key.startsWith(prefix) &&
    /^\d{8}$/.test(key.slice(prefix.length))
  );
}

/**
 * Returns the page to which `bytes` are appended, given the last page below `prefix`, and its new
 * content.
 */
export function appendTarget(
  prefix: string,
  last: readonly [key: string, page: Uint8Array] | undefined,
  bytes: Uint8Array,
): [key: string, page: Uint8Array] {
  if (!last) return [pageKey(prefix, 0), new Uint8Array(bytes)];
  const [key, page] = last;
  if (page.length + bytes.length > pageBytes)
    return [pageKey(prefix, Number(key.slice(prefix.length)) + 1), new Uint8Array(bytes)];
  const joined = new Uint8Array(page.length + bytes.length);
  joined.set(page);
  joined.set(bytes, page.length);
  return [key, joined];
}
