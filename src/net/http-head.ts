import type { ByteSource } from "./byte-source.ts";
import { NetError } from "./failure.ts";

/** Header fields by their names in lower case, each value as it was sent, in that order. */
export type Fields = ReadonlyMap<string, readonly string[]>;
/** Status line and header fields of an answer. */
export interface Head {
  readonly status: number;
  readonly version: "1.0" | "1.1";
  readonly fields: Fields;
}

/** All heads of one answer together, those of interim answers too, and trailers. */
export const maxHeadBytes = 16 * 1024;
const maxFields = 100;

/** An answer that is not taken; `what` says why. */
export const invalidResponse = (what: string): NetError => new NetError("response", what);

/** Each byte a character, as header fields are read (RFC 9110 section 5.5). */
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/** How much of heads may still come. */
export interface Budget {
  left: number;
}

/** A line without its end, CRLF or a bare LF (RFC 9112 section 2.2). */
export async function readLine(source: ByteSource, budget: Budget): Promise<string> {
  const line = await source.line(budget.left);
  if (!line) {
    if (source.silent) throw new NetError("connection", "the connection was closed unanswered");
    throw invalidResponse("the head of the answer is too long, or ended early");
  }
  budget.left -= line.length;
  const text = latin1(line.subarray(0, line.at(-2) === 0x0d ? -2 : -1));
  // a tab may stand in a value; no other control character anywhere
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text))
    throw invalidResponse("the head of the answer has characters that may not stand in one");
  return text;
}

/** The lines up to the empty one, as fields. One that is folded over two lines is refused. */
export async function readFields(source: ByteSource, budget: Budget): Promise<Fields> {
  const fields = new Map<string, string[]>();
  for (let count = 0; ; count++) {
    const line = await readLine(source, budget);
    if (line === "") return fields;
    const [, name, value = ""] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || count === maxFields)
      throw invalidResponse(
        name === undefined
          ? "a header field of the answer cannot be read"
          : "the answer has too many header fields",
      );
    const key = name.toLowerCase();
    fields.set(key, [...(fields.get(key) ?? []), withoutBlanks(value)]);
  }
}
/** A value without the blanks around it; a pattern would look for its end from each of them. */
function withoutBlanks(value: string): string {
  const isBlank = (at: number) => value[at] === " " || value[at] === "\t";
  let [start, end] = [0, value.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return value.slice(start, end);
}

/**
 * The head of the final answer: interim ones (1xx) are passed over. Rejects with `NetError` for
 * what is no head of HTTP/1.0 or 1.1, or is more than 16 KiB or 100 fields.
 */
export async function readHead(source: ByteSource): Promise<Head> {
  const budget: Budget = { left: maxHeadBytes };
  for (;;) {
    const line = await readLine(source, budget);
    const [, version, digits] = /^HTTP\/(1\.[01]) ([1-9][0-9]{2})(?: .*)?$/.exec(line) ?? [];
    if (version !== "1.0" && version !== "1.1") throw invalidResponse("the answer is not HTTP/1.1");
    const status = Number(digits);
    const fields = await readFields(source, budget);
    if (status === 101) throw invalidResponse("the answer changes to another protocol");
    if (status >= 200) return { status, version, fields };
  }
}
