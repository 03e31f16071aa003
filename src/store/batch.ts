import { CaError } from "../base/errors.ts";
import { lastNumberKey, parseLastNumber, logKey } from "../base/row-keys.ts";
import type { Batch, Index } from "../engine/ports.ts";

/** The row that holds the epoch; batches change it by `epoch` only. */
export const epochKey = "epoch";
/** Most bytes of one page of `append`: 64 KiB. */
export const pageBytes = 64 * 1024;
/**
 * Most characters of a row's index values together: at 3 bytes each, 786 kB, they leave 1.2 MB of a
 * 2 MB row to its key and value.
 */
const maxIndexText = 262_144;

const keyForm = /^[\0-\x7f]{1,512}$/;
const indexForm = /^[a-z_]{1,32}$/;
const prefixForm = /^[\0-\x7f]{0,512}$/;

/** Refuses keys that no store takes. Throws TypeError. */
export function checkKeys(keys: readonly string[]): void {
  for (const key of keys) checkKey(key);
}
function checkKey(key: string): void {
  if (!keyForm.test(key))
    throw new TypeError(`a key is 1 to 512 ASCII characters: ${JSON.stringify(key.slice(0, 80))}`);
}

/**
 * Refuses a batch that no store takes, so that every store refuses the same ones. Throws TypeError.
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
  for (const [prefix, value, keep = 1] of batch.log ?? []) {
    checkWritten(logKey(prefix, 0));
    checkKey(lastNumberKey(prefix));
    if (value === undefined) throw new TypeError(`no value for the log ${prefix}`);
    if (!Number.isSafeInteger(keep) || keep < 1)
      throw new TypeError("a log keeps a whole number of rows, one at least");
  }
}

function checkWritten(key: string): void {
  checkKey(key);
  if (key === epochKey) throw new TypeError("the epoch changes by `epoch` only");
}

function checkIndex(index: Index): void {
  let length = 0;
  for (const [name, value] of Object.entries(index)) {
    if (!indexForm.test(name))
      throw new TypeError(`the name of an index is 1 to 32 of a-z and _: ${JSON.stringify(name)}`);
    const fits = typeof value === "string" || Number.isSafeInteger(value);
    if (!fits) throw new TypeError(`index value ${name} is neither a text nor a safe integer`);
    length += typeof value === "string" ? value.length : 0;
  }
  if (length > maxIndexText) throw new TypeError("the index values of a row are too long");
}

/** Refuses a prefix that no key can have. Throws TypeError. */
export function checkPrefix(prefix: string): void {
  if (!prefixForm.test(prefix)) throw new TypeError("a prefix is at most 512 ASCII characters");
}

/** The number after the one that a log gave last, by the row that holds it. */
export const numberAfter = (last: unknown): number => parseLastNumber(last) + 1;
/** Number of entries of a log that are removed together. */
const removedTogether = 100;
/** The number up to which entries go once `n` was added; undefined: none goes now. */
export function endOfLog(n: number, keep: number | undefined): number | undefined {
  return keep === undefined || n % removedTogether !== 0 || n <= keep ? undefined : n - keep;
}

/** Most rows of one part of an export. */
export const exportedAtOnce = 500;
/**
 * Key under which the old form of a row is kept that is changed before an export has come to it:
 * after all keys, which are ASCII, and so after all other rows of the export.
 */
export const oldFormKey = (key: string): string => `\u{80}${key}`;
/** The key of a row that an export has found, whether or not it is an old form. */
export const exportedKey = (key: string): string => (key.startsWith("\u{80}") ? key.slice(1) : key);
/** Refusal of the next part of an export whose moment is lost. */
export const exportLost = (): CaError =>
  new CaError("storage", "the export was interrupted: begin it again");

/** The first string after every key that begins with `prefix`; keys are ASCII. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{80}`;
}

/**
 * The epoch after `batch` in a store that holds `held`, or undefined when its conditions on the
 * epoch do not hold.
 */
export function epochAfter(
  held: number,
  { epoch, onlyAtEpoch }: Pick<Batch, "epoch" | "onlyAtEpoch">,
): number | undefined {
  if (onlyAtEpoch !== undefined && onlyAtEpoch !== held) return undefined;
  if (epoch === "next") return held + 1;
  if (epoch === undefined) return held;
  return epoch < held ? undefined : epoch;
}

/** Key of page `n` below `prefix`. */
export function pageKey(prefix: string, n: number): string {
  return prefix + String(n).padStart(8, "0");
}

/** Whether `key` is a page below `prefix`. */
export function isPage(key: string, prefix: string): boolean {
  return (
    key.length === prefix.length + 8 &&
    key.startsWith(prefix) &&
    /^\d{8}$/.test(key.slice(prefix.length))
  );
}

/** Where `bytes` go when `last` is the last page below `prefix`, and what that page holds then. */
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
