import { asBytes, concat, fromBase64, fromUtf8, toBase64, utf8 } from "../../base/bytes.ts";
import { decode, encode } from "../../base/encoding.ts";
import { CaError } from "../../base/errors.ts";
import type { CryptoKey } from "../../base/platform.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { ExportedRow, Index } from "../../engine/ports.ts";

/** The first line of a backup part. */
export interface Head {
  /** Version of the format, 1. */
  readonly sealwright_backup: 1;
  /** Id of the backup. */
  readonly id: string;
  /** Number of the part, from 1. */
  readonly part: number;
  readonly mount: {
    readonly uuid: string;
    readonly type: string;
    readonly path: string;
    /** Number of partitions, unless it has one. */
    readonly partitions?: number;
  };
  /** Start of the backup (Unix seconds). */
  readonly time: number;
  /** Format of the rows, and the first version that reads it, unless it is the first format. */
  readonly format: { readonly number: number; readonly version?: string };
  /** Key of the MACs, base64, sealed like the secrets of the rows. */
  readonly key: string;
  /** PBKDF2-SHA-256 parameters if the secrets are sealed under a passphrase; salt in base64. */
  readonly passphrase?: { readonly salt: string; readonly rounds: number };
}
/** The line before the MAC. */
interface Foot {
  readonly rows: number;
  readonly last: boolean;
}
/** A row of a part; bytes in its value are base64. */
type Line = readonly [key: string, value: string, index?: Index];
/** A verified part. */
export interface Part {
  readonly head: Head;
  readonly rows: readonly Omit<ExportedRow, "rev">[];
  readonly last: boolean;
}

/** Maximum bytes of a part (D 3). */
export const maxPartBytes = 32 * 1024 * 1024;

const hmac = { name: "HMAC", hash: "SHA-256" } as const;
/** Imports the MAC key of a backup. */
export const signerOf = (key: Uint8Array): Promise<CryptoKey> => importKey(key, "sign");
const importKey = (key: Uint8Array, usage: "sign" | "verify"): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", asBytes(key), hmac, false, [usage]);
const encoded = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Returns the line of a row. */
export const lineOf = ({ key, value, index }: Omit<ExportedRow, "rev">): string => {
  const bytes = toBase64(encode(value));
  const line: Line = index ? [key, bytes, index] : [key, bytes];
  return encoded(line);
};

/** Encodes a part with its MAC. */
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
/** Maximum bytes of the line with the MAC. */
const maxCodeLength = 128;
/** Returns the error for data that is not a backup part, or was altered. */
const notAPart = (why: string): CaError =>
  new CaError("malformed", `this is not an intact part of a backup: ${why}`);

/** Parses the first line of a part. Throws CaError `malformed`. */
export function headOf(part: Uint8Array): Head {
  const end = part.indexOf(newline);
  const head = end < 0 ? undefined : parsed(part.subarray(0, end));
  if (!isHead(head)) throw notAPart("the first line is not that of a part");
  return head;
}
function isHead(head: unknown): head is Head {
  if (typeof head !== "object" || head === null) return false;
  const { sealwright_backup: form, id, part, mount, format, key } = head as Partial<Head>;
  if (typeof form === "number" && form > 1)
    throw new CaError("malformed", `the backup is of a later version (format ${form})`);
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
 * Verifies the MAC of a part before anything else, and returns its rows. Throws CaError
 * `malformed`.
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
  // the MAC is valid, so `writePart` wrote this
  const lines = fromUtf8(signed).split("\n").slice(1, -1);
  const { rows, last } = JSON.parse(lines.pop() ?? "") as Foot;
  if (rows !== lines.length) throw notAPart("rows are missing");
  return { head, last, rows: await rowsOf(lines) };
}
/** Number of rows parsed between yields to other calls. */
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
 * Yields the parts of a backup that arrives in arbitrary chunks. Throws CaError `malformed` if one
 * is incomplete.
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
      // only the line with the MAC begins like this and is as short; lines of rows begin with a
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
