import { CaError } from "../base/errors.ts";
import { lastNumberKey, logKey } from "../base/row-keys.ts";
import type { Batch, Index, Page, Row } from "../engine/ports.ts";

/** Key of the row that stores the epoch; batches change it only through `epoch`. */
export const epochKey = "epoch";
/** Returns the epoch in the row with {@link epochKey}, or 0 if there is no such row. */
export const epochIn = (row: Row | undefined): number =>
  typeof row?.value === "number" ? row.value : 0;
/** Returns a copy of a page request, because the caller may change the original later. */
export const copyPage = (page: Page): Page =>
  page.by ? { ...page, by: { ...page.by } } : { ...page };
/** Maximum size of a page that `append` extends: 64 KiB. */
export const pageBytes = 64 * 1024;
/**
 * Maximum total length of a row's index values in characters: at 3 bytes per character, they take
 * 786 kB of a 2 MB row, which leaves 1.2 MB for its key and value.
 */
const maxIndexText = 262_144;

const keyForm = /^[\0-\x7f]{1,512}$/;
const indexForm = /^[a-z_]{1,32}$/;
const prefixForm = /^[\0-\x7f]{0,512}$/;

/** Throws TypeError if a key is invalid. All stores have the same rules for keys. */
export function checkKeys(keys: readonly string[]): void {
  for (const key of keys) checkKey(key);
}
function checkKey(key: string): void {
  if (!keyForm.test(key))
    throw new TypeError(
      `a key must have 1 to 512 ASCII characters, but is ${JSON.stringify(key.slice(0, 80))}`,
    );
}

/**
 * Throws TypeError if a batch is invalid. All stores call this, so that all reject the same
 * batches.
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
      throw new TypeError(`an entry of the log ${prefix} that shares a row must be a byte array`);
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
      throw new TypeError("the maximum number of log entries must be a positive integer");
  }
}

/** Log prefixes that were checked recently; a deployment has few. */
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
        `the name of an index must consist of 1 to 32 characters from a-z and _, but is ${JSON.stringify(name)}`,
      );
    const isValid = typeof value === "string" || Number.isSafeInteger(value);
    if (!isValid) throw new TypeError(`index value ${name} must be a string or a safe integer`);
    length += typeof value === "string" ? value.length : 0;
  }
  if (length > maxIndexText) throw new TypeError(`index values exceed ${maxIndexText} characters`);
}

/** Throws TypeError if no key can have the given prefix. */
export function checkPrefix(prefix: string): void {
  if (!prefixForm.test(prefix))
    throw new TypeError("a prefix must have at most 512 ASCII characters");
}

/**
 * Size in bytes at which a row shared by log entries (`joins`) is full, so that the next entry
 * begins another row. It is limited so that reading one entry stays cheap.
 */
export const joinedBytes = 64 * 1024;
/** Number of old log entries to remove at a time. */
const removedTogether = 100;
/**
 * Returns the sequence number of the last log entry to remove after entry `n` was added. Returns
 * undefined if no entry is to be removed yet.
 */
export function endOfLog(n: number, maxEntries: number | undefined): number | undefined {
  return maxEntries === undefined || n % removedTogether !== 0 || n <= maxEntries
    ? undefined
    : n - maxEntries;
}
/**
 * Reports whether numbers are missing among the oldest entries of a log, for example after a
 * restore. `keys` contains the keys of all entries up to the number `end`. If there is a gap, the
 * caller counts the entries, so that it removes only those in excess of the maximum.
 */
export const hasGap = (keys: readonly string[], prefix: string, end: number): boolean =>
  keys[0] !== undefined && keys[0] !== logKey(prefix, end - keys.length + 1);

/** Maximum number of rows in one part of an export. */
export const exportedAtOnce = 500;
/**
 * Returns the key under which the old form of a row is saved if the row changes before the running
 * export reaches it. It sorts after all regular keys, which are ASCII, and therefore after all
 * other rows of the export.
 */
export const oldFormKey = (key: string): string => `\u{80}${key}`;
/** Returns the original key of an exported row, which may be stored under `oldFormKey`. */
export const exportedKey = (key: string): string => (key.startsWith("\u{80}") ? key.slice(1) : key);
/** Returns the error for the next part of an export whose snapshot was lost. */
export const exportLost = (): CaError =>
  new CaError("storage", "the export was interrupted: start it again");

/** Returns a string that sorts after all keys with the given prefix, because keys are ASCII. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{80}`;
}

/**
 * Returns the epoch after a batch in a store whose epoch is `storedEpoch`. Returns undefined if the
 * batch's conditions on the epoch do not hold.
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

/** Returns the key of page `n` under `prefix`. */
export function pageKey(prefix: string, n: number): string {
  return prefix + String(n).padStart(8, "0");
}

/** Reports whether `key` is the key of a page under `prefix`. */
export function isPage(key: string, prefix: string): boolean {
  return (
    key.length === prefix.length + 8 &&
    key.startsWith(prefix) &&
    /^\d{8}$/.test(key.slice(prefix.length))
  );
}

/**
 * Returns the key and the new content of the page to which `bytes` are appended: the last page
 * under `prefix`, or a new page if `last` has no room or is undefined.
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
