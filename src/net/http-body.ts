import { concat } from "../base/bytes.ts";
import type { ByteSource } from "./byte-source.ts";
import {
  readFields,
  readLine,
  maxHeadBytes,
  invalidResponse,
  type Budget,
  type Head,
} from "./http-head.ts";

/** The rule that determines the end of a body (RFC 9112 section 6.3). */
type Framing =
  | { readonly by: "length"; readonly length: number }
  | { readonly by: "chunks" }
  | { readonly by: "close" };

/**
 * Returns the rule that determines the end of a response body. Throws `NetError` if the length is
 * given twice or ambiguously.
 */
export function framingOf({ status, version, fields }: Head, method: string): Framing {
  const codings = fields.get("transfer-encoding");
  const lengths = fields.get("content-length");
  if (codings && lengths)
    throw invalidResponse("the response has both Content-Length and Transfer-Encoding");
  if (codings && (version === "1.0" || codings.join().toLowerCase() !== "chunked"))
    throw invalidResponse("the response has an unsupported transfer coding");
  if (lengths && !/^[0-9]{1,15}$/.test(lengths.join()))
    throw invalidResponse("the length of the response cannot be parsed");
  if (method === "HEAD" || status === 204 || status === 304) return { by: "length", length: 0 };
  if (codings) return { by: "chunks" };
  return lengths ? { by: "length", length: Number(lengths[0]) } : { by: "close" };
}

const tooLong = (maxBytes: number) =>
  invalidResponse(`the response has more than ${maxBytes} bytes`);
const endedEarly = () => invalidResponse("the response body is incomplete");

/** Reads the body of a response. Rejects with `NetError` if it has more than `maxBytes` bytes. */
export async function bodyOf(
  source: ByteSource,
  framing: Framing,
  maxBytes: number,
): Promise<Uint8Array> {
  if (framing.by === "chunks") return chunksOf(source, maxBytes);
  if (framing.by === "length" && framing.length > maxBytes) throw tooLong(maxBytes);
  const body = await (framing.by === "length"
    ? source.exactly(framing.length)
    : source.rest(maxBytes));
  if (!body) throw framing.by === "length" ? endedEarly() : tooLong(maxBytes);
  return body;
}

/**
 * Reads a chunked body. Discards chunk extensions and trailers, to which the header limits apply.
 */
async function chunksOf(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const besides: Budget = { left: maxHeadBytes };
  for (let left = maxBytes; ;) {
    const size = await chunkSize(source, besides);
    if (size === 0) break;
    if (size > left) throw tooLong(maxBytes);
    left -= size;
    const chunk = await source.exactly(size + 2);
    if (!chunk) throw endedEarly();
    if (chunk.at(-2) !== 0x0d || chunk.at(-1) !== 0x0a)
      throw invalidResponse("a chunk of the response is longer than declared");
    chunks.push(chunk.subarray(0, size));
  }
  await readFields(source, besides);
  return concat(chunks);
}

/**
 * Reads the line with the size of a chunk. The digits of the size do not count towards the header
 * limit, but the chunk extensions and the line terminator do.
 */
async function chunkSize(source: ByteSource, besides: Budget): Promise<number> {
  const line = await readLine(source, besides);
  const [size, digits = "", extension] = /^([0-9a-fA-F]{1,8})([\t ]*;.*)?$/.exec(line) ?? [];
  if (size === undefined) throw invalidResponse("the length of a chunk cannot be parsed");
  besides.left += line.length - (extension?.length ?? 0);
  return Number.parseInt(digits, 16);
}
