import type { ByteSource } from "./byte-source.ts";
import { NetError } from "./failure.ts";

/** Header fields by lower-case name, with values in the order sent. */
export type Fields = ReadonlyMap<string, readonly string[]>;
/** Status line and header fields of a response. */
export interface Head {
  readonly status: number;
  readonly version: "1.0" | "1.1";
  readonly fields: Fields;
}

/**
 * Maximum total size in bytes of a response's header section and trailers, including those of
 * interim responses.
 */
export const maxHeadBytes = 16 * 1024;
const maxFields = 100;

/** Returns the error for an invalid response. `what` is the reason. */
export const invalidResponse = (what: string): NetError => new NetError("response", what);

/** Decodes each byte to one character (ISO 8859-1), as in header fields (RFC 9110 section 5.5). */
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/** The number of bytes left of `maxHeadBytes`. */
export interface Budget {
  left: number;
}

/**
 * Reads a line and returns it without the terminator, which is CRLF or a bare LF (RFC 9112 section
 * 2.2).
 */
export async function readLine(source: ByteSource, budget: Budget): Promise<string> {
  const line = await source.line(budget.left);
  if (!line) {
    if (source.silent)
      throw new NetError("connection", "the server closed the connection without a response");
    throw invalidResponse("the head of the response is too long or incomplete");
  }
  budget.left -= line.length;
  const text = latin1(line.subarray(0, line.at(-2) === 0x0d ? -2 : -1));
  // values may contain tabs, but no other control characters
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text))
    throw invalidResponse("the head of the response has invalid characters");
  return text;
}

/** Reads header fields up to the empty line. Rejects folded lines. */
export async function readFields(source: ByteSource, budget: Budget): Promise<Fields> {
  const fields = new Map<string, string[]>();
  for (let count = 0; ; count++) {
    const line = await readLine(source, budget);
    if (line === "") return fields;
    const [, name, value = ""] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || count === maxFields)
      throw invalidResponse(
        name === undefined
          ? "a header field of the response cannot be parsed"
          : "the response has too many header fields",
      );
    const key = name.toLowerCase();
    fields.set(key, [...(fields.get(key) ?? []), withoutBlanks(value)]);
  }
}
/** Trims a value. Does not use a regular expression, which could take quadratic time. */
function withoutBlanks(value: string): string {
  const isBlank = (at: number) => value[at] === " " || value[at] === "\t";
  let [start, end] = [0, value.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return value.slice(start, end);
}

/**
 * Reads the head of the final response, skipping interim responses (1xx). Rejects with `NetError`
 * unless the response is HTTP/1.0 or 1.1 and the head has at most 16 KiB and 100 fields.
 */
export async function readHead(source: ByteSource): Promise<Head> {
  const budget: Budget = { left: maxHeadBytes };
  for (;;) {
    const line = await readLine(source, budget);
    const [, version, digits] = /^HTTP\/(1\.[01]) ([1-9][0-9]{2})(?: .*)?$/.exec(line) ?? [];
    if (version !== "1.0" && version !== "1.1")
      throw invalidResponse("the response is not HTTP/1.1");
    const status = Number(digits);
    const fields = await readFields(source, budget);
    if (status === 101) throw invalidResponse("the response switches to another protocol");
    if (status >= 200) return { status, version, fields };
  }
}
