import { asBytes, concat, fromBase64, fromUtf8, toBase64, utf8 } from "../../base/bytes.ts";
import { decode, encode } from "../../base/encoding.ts";
import { CaError } from "../../base/errors.ts";
import type { CryptoKey } from "../../base/platform.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { ExportedRow, Index } from "../../engine/ports.ts";

/** The first line of a backup part. */
export interface Head {
  /** Version of the backup format: 1. */
  readonly sealwright_backup: 1;
  /** ID of the backup. */
  readonly id: string;
  /** Sequence number of the part, starting at 1. */
  readonly part: number;
  readonly mount: {
    readonly uuid: string;
    readonly type: string;
    readonly path: string;
    /** Number of partitions. Absent if there is only one. */
    readonly partitions?: number;
  };
  /** Start of the backup (Unix seconds). */
  readonly time: number;
  /**
   * Format of the rows. `version` is the first version that reads it, absent for the first format.
   */
  readonly format: { readonly number: number; readonly version?: string };
  /** Key of the MACs in base64, sealed like the secrets in the rows. */
  readonly key: string;
  /**
   * Parameters of PBKDF2 with SHA-256 if the secrets are sealed under a passphrase. The salt is in
   * base64.
   */
  readonly passphrase?: { readonly salt: string; readonly rounds: number };
}
/** The line before the MAC of a part. */
interface Foot {
  readonly rows: number;
  readonly last: boolean;
}
/** A row in a part. `value` is its encoded value in base64. */
type Line = readonly [key: string, value: string, index?: Index];
/** A verified backup part. */
export interface Part {
  readonly head: Head;
  readonly rows: readonly Omit<ExportedRow, "rev">[];
  readonly last: boolean;
}

/** Maximum size of a part in bytes (D 3). */
export const maxPartBytes = 32 * 1024 * 1024;

const hmac = { name: "HMAC", hash: "SHA-256" } as const;
/** Imports the MAC key of a backup for signing. */
export const signerOf = (key: Uint8Array): Promise<CryptoKey> => importKey(key, "sign");
const importKey = (key: Uint8Array, usage: "sign" | "verify"): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", asBytes(key), hmac, false, [usage]);
const encoded = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Encodes a row as a line. */
export const lineOf = ({ key, value, index }: Omit<ExportedRow, "rev">): string => {
  const bytes = toBase64(encode(value));
  const line: Line = index ? [key, bytes, index] : [key, bytes];
  return encoded(line);
};

/** Encodes a part and appends its MAC. */
export async function writePart(
  head: Head,
  lines: readonly string[],
  last: boolean,
  key: CryptoKey,
): Promise<Uint8Array> {
  const foot: Foot = { rows: lines.length, last };
  const signed = utf8(encoded(head) + lines.join("") + encoded(foot));
  const mac = await crypto.subtle.sign("HMAC", key, signed);
  return concat([signed, utf8(encoded({ mac: toBase64(new Uint8Array(mac)) }))]);
}

const newline = 0x0a;
/** Maximum length of the line with the MAC in bytes. */
const maxCodeLength = 128;
/** Returns the error for data that is not a backup part, or that was altered. */
const notAPart = (why: string): CaError =>
  new CaError("malformed", `this is not an intact part of a backup: ${why}`);

/**
 * Parses the first line of a part. Throws CaError `malformed` if it is not the first line of a
 * part, or if a later version wrote it.
 */
export function headOf(part: Uint8Array): Head {
  const end = part.indexOf(newline);
  const head = end < 0 ? undefined : parsed(part.subarray(0, end));
  if (!isHead(head)) throw notAPart("its first line is not the header of a part");
  return head;
}
function isHead(head: unknown): head is Head {
  if (typeof head !== "object" || head === null) return false;
  const { sealwright_backup: form, id, part, mount, format, key } = head as Partial<Head>;
  if (typeof form === "number" && form > 1)
    throw new CaError("malformed", `the backup is from a later version (format ${form})`);
  return (
    form === 1 &&
    typeof id === "string" &&
    Number.isSafeInteger(part) &&
    typeof mount?.uuid === "string" &&
    typeof mount.type === "string" &&
    typeof format?.number === "number" &&
    typeof key === "string"
  );
}

/**
 * Verifies the MAC of a part before anything else, and returns its rows. Rejects with CaError
 * `malformed` if the part was altered or is incomplete.
 */
export async function readPart(head: Head, part: Uint8Array, key: Uint8Array): Promise<Part> {
  const end = part.at(-1) === newline ? part.length - 1 : part.length;
  const begin = part.subarray(0, end).lastIndexOf(newline) + 1;
  const { mac } = (parsed(part.subarray(begin, end)) ?? {}) as { readonly mac?: unknown };
  const code = typeof mac === "string" ? fromBase64(mac) : undefined;
  if (!code) throw notAPart("the end is missing");
  const signed = asBytes(part.subarray(0, begin));
  if (!(await crypto.subtle.verify("HMAC", await importKey(key, "verify"), asBytes(code), signed)))
    throw notAPart("it was altered");
  // the MAC is valid, so `writePart` wrote this part
  const lines = fromUtf8(signed).split("\n").slice(1, -1);
  const { rows, last } = JSON.parse(lines.pop() ?? "") as Foot;
  if (rows !== lines.length) throw notAPart("rows are missing");
  return { head, last, rows: await rowsOf(lines) };
}
/** Number of rows to parse between two yields to the event loop. */
const rowsAtOnce = 200;
async function rowsOf(lines: readonly string[]): Promise<Part["rows"]> {
  const rows: Part["rows"][number][] = [];
  for (let at = 0; at < lines.length; at += rowsAtOnce) {
    if (at > 0) await yieldToEventLoop();
    rows.push(...lines.slice(at, at + rowsAtOnce).map(rowOf));
  }
  return rows;
}
/**
 * Yields the parts of a backup that arrives in arbitrary chunks. Rejects with CaError `malformed`
 * if a part is incomplete or too large.
 */
export async function* partsIn(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  let [chunks, length, line]: [Uint8Array[], number, Uint8Array[]] = [[], 0, []];
  for await (const piece of pieces)
    for (let from = 0; from < piece.length;) {
      const end = piece.indexOf(newline, from);
      const to = end < 0 ? piece.length : end + 1;
      const part = piece.subarray(from, to);
      from = to;
      length += part.length;
      if (length > maxPartBytes) throw notAPart("it is larger than 32 MiB");
      chunks.push(part);
      line.push(part);
      if (end < 0) continue;
      // only the short line with the MAC begins with these characters; lines with rows begin with a
      // bracket
      const size = line.reduce((sum, some) => sum + some.length, 0);
      if (size <= maxCodeLength && fromUtf8(concat(line)).startsWith('{"mac":')) {
        yield concat(chunks);
        [chunks, length] = [[], 0];
      }
      line = [];
    }
  if (length > 0) throw notAPart("the end is missing");
  return undefined;
}
function rowOf(text: string): Omit<ExportedRow, "rev"> {
  const [key, value, index] = JSON.parse(text) as Line;
  return {
    key,
    value: decode(fromBase64(value) ?? new Uint8Array(0)),
    ...(index ? { index } : {}),
  };
}
function parsed(line: Uint8Array): unknown {
  try {
    return JSON.parse(fromUtf8(line));
  } catch {
    return undefined;
  }
}
