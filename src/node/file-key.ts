import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { fromBase64 } from "../base/bytes.ts";
import { storageError } from "./failure.ts";

/**
 * Reads the `sealingKey` of an authority from a file: one line with the base64 of 32 bytes, as
 * `openssl rand -base64 32` prints it. If the file is missing, creates it with a new key that only
 * its owner can read. Processes that start at the same time use the same key. With `create: false`,
 * a missing file is an error, so that a lost key is not silently replaced. Keep a copy of the file:
 * without the sealing key, the authority's keys cannot be decrypted. Throws CaError `storage` if
 * the file cannot be read or created, or does not contain a key.
 */
export function fileKey(file: string, { create = true }: { create?: boolean } = {}): Uint8Array {
  try {
    return keyIn(create ? (readThere(file) ?? createKey(file)) : readFileSync(file, "utf8"));
  } catch (cause) {
    throw storageError(`the sealing key cannot be read from ${file}`, cause);
  }
}

function keyIn(text: string): Uint8Array {
  const key = fromBase64(text.trim());
  if (key?.length !== 32) throw new TypeError("it must contain the base64 of 32 bytes");
  return key;
}

function readThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/**
 * Generates a key and writes it to a temporary file. Of several processes, only the first can link
 * its temporary file to the final name. Returns the content of the final file.
 */
function createKey(file: string): string {
  const written = `${file}.${randomUUID()}`;
  const text = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
  try {
    writeFileSync(written, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
    linkSync(written, file);
    flushFolder(file);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    tryUnlink(written);
  }
  return readFileSync(file, "utf8");
}

function tryUnlink(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // the file may be missing because it could not be written, which the caller reports
  }
}

/** Flushes the directory of a file, so that the file's name survives a power failure. */
function flushFolder(file: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
