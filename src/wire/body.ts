import { concat } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";

/**
 * `null` where a request has no body, `undefined` where the platform does not say: Firefox has no
 * `Request.prototype.body`.
 */
const streamOf = (request: Request): ReadableStream<Uint8Array> | null | undefined => request.body;

/** Whether a request is known to have no body. */
export const isBodiless = (request: Request): boolean => streamOf(request) === null;

/**
 * The bytes of a request's body, however it is framed. Throws `too_large` with `told` when there
 * are more than `limit`.
 */
export async function readBody(request: Request, limit: number, told: string): Promise<Uint8Array> {
  const tooLarge = () => new CaError("too_large", told);
  const announced = request.headers.get("content-length");
  if (Number(announced ?? "0") > limit) throw tooLarge();
  const stream = streamOf(request);
  if (announced !== null || stream === undefined) {
    // what is announced is bounded by the server's framing; measured on Workers: asking for the
    // stream costs half as much as the whole of an empty request
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > limit) throw tooLarge();
    return bytes;
  }
  if (stream === null) return new Uint8Array(0);
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > limit) {
      // the rest is of no use to anyone; whether the sender hears of it does not matter
      reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    parts.push(part.value);
  }
  return parts.length === 1 && parts[0] ? parts[0] : concat(parts);
}
