import { asBytes, concat, fromBase64, fromUtf8, toBase64, utf8 } from "../../base/bytes.ts";
import { decode, encode } from "../../base/encoding.ts";
import { CaError } from "../../base/errors.ts";
import type { CryptoKey } from "../../base/platform.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { ExportedRow, Index } from "../../engine/ports.ts";

/** What each part of a backup begins with. */
export interface Head {
  /** The form of backups, 1. */
  readonly sealwright_backup: 1;
  /** Of the backup. */
  readonly id: string;
  /** From 1. */
  readonly part: number;
  readonly mount: { readonly uuid: string; readonly type: string; readonly path: string };
  /** When the backup was begun, Unix seconds. */
  readonly time: number;
  /** Format of the rows, and the first version that reads it where that is not the first format. */
  readonly format: { readonly number: number; readonly version?: string };
  /** Key of the authentication codes, base64, sealed as the secrets of the rows are. */
  readonly key: string;
  /** Where the secrets are sealed under a passphrase: of PBKDF2 with SHA-256; salt in base64. */
  readonly passphrase?: { readonly salt: string; readonly rounds: number };
}
/** What stands before the authentication code. */
interface Foot {
  readonly rows: number;
  readonly last: boolean;
}
/** A row of a part: bytes of its value are the encoded ones, in base64. */
type Line = readonly [key: string, value: string, index?: Index];
/** A part that was read: it is what was written under its key. */
export interface Part {
  readonly head: Head;
  readonly rows: readonly Omit<ExportedRow, "rev">[];
  readonly last: boolean;
}

/** Most bytes of a part (D 3). */
export const maxPartBytes = 32 * 1024 * 1024;

const hmac = { name: "HMAC", hash: "SHA-256" } as const;
/** Imports the key of the authentication codes of a backup, by which all its parts are signed. */
export const signerOf = (key: Uint8Array): Promise<CryptoKey> => importKey(key, "sign");
const importKey = (key: Uint8Array, usage: "sign" | "verify"): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", asBytes(key), hmac, false, [usage]);
const encoded = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** The line of a row. */
export const lineOf = ({ key, value, index }: Omit<ExportedRow, "rev">): string => {
  const bytes = toBase64(encode(value));
  const line: Line = index ? [key, bytes, index] : [key, bytes];
  return encoded(line);
};

/** A part with its authentication code. */
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
/** Most bytes of the line of a code. */
const maxCodeLength = 128;
/** Refusal of what is no part of a backup, or was altered. */
export const notAPart = (why: string): CaError =>
  new CaError("malformed", `this is no intact part of a backup: ${why}`);

/** The first line of a part. Throws CaError `malformed`. */
export function headOf(part: Uint8Array): Head {
  const end = part.indexOf(newline);
  const head = end < 0 ? undefined : parsed(part.subarray(0, end));
  if (!isHead(head)) throw notAPart("its first line is not that of one");
  return head;
}
function isHead(head: unknown): head is Head {
  if (typeof head !== "object" || head === null) return false;
  const { sealwright_backup: form, id, part, mount, format, key } = head as Partial<Head>;
  if (typeof form === "number" && form > 1)
    throw new CaError("malformed", `the backup is of a later version (form ${form})`);
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
 * The rows of a part, whose key is known. Nothing of it is used before its authentication code was
 * verified. Throws CaError `malformed`.
 */
export async function readPart(head: Head, part: Uint8Array, key: Uint8Array): Promise<Part> {
  const end = part.at(-1) === newline ? part.length - 1 : part.length;
  const begin = part.subarray(0, end).lastIndexOf(newline) + 1;
  const { mac } = (parsed(part.subarray(begin, end)) ?? {}) as { readonly mac?: unknown };
  const code = typeof mac === "string" ? fromBase64(mac) : undefined;
  if (!code) throw notAPart("its end is missing");
  const signed = asBytes(part.subarray(0, begin));
  if (!(await crypto.subtle.verify("HMAC", await importKey(key, "verify"), asBytes(code), signed)))
    throw notAPart("it was altered");
  // from here on it is what `writePart` made
  const lines = fromUtf8(signed).split("\n").slice(1, -1);
  const { rows, last } = JSON.parse(lines.pop() ?? "") as Foot;
  if (rows !== lines.length) throw notAPart("rows are missing");
  return { head, last, rows: await rowsOf(lines) };
}
/** Rows that are read at once; other calls have their turns behind them. */
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
 * The parts in a backup that is cut into pieces anywhere. Throws CaError `malformed` where one has
 * no end.
 */
export async function* partsIn(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  let [held, length, line]: [Uint8Array[], number, Uint8Array[]] = [[], 0, []];
  for await (const piece of pieces)
    for (let from = 0; from < piece.length;) {
      const end = piece.indexOf(newline, from);
      const to = end < 0 ? piece.length : end + 1;
      const part = piece.subarray(from, to);
      from = to;
      length += part.length;
      if (length > maxPartBytes) throw notAPart("it has more than 32 MiB");
      held.push(part);
      line.push(part);
      if (end < 0) continue;
      // only the line of the code begins so, and is as short: those of rows begin with a bracket
      const size = line.reduce((sum, some) => sum + some.length, 0);
      if (size <= maxCodeLength && fromUtf8(concat(line)).startsWith('{"mac":')) {
        yield concat(held);
        [held, length] = [[], 0];
      }
      line = [];
    }
  if (length > 0) throw notAPart("its end is missing");
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
