import { concat } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { Identity } from "../engine/ports.ts";
import type { Call } from "./call.ts";
import type { AnyEndpoint } from "./endpoint.ts";

/** 8 MiB unless an endpoint takes more (D 3). */
const largest = 8 * 1024 * 1024;
/**
 * Of a caller who is not known: what open endpoints take is small, and nobody may fill the memory
 * before a token was looked at.
 */
const largestOfStrangers = 64 * 1024;
const tooLarge = "http: request body too large";

/**
 * What reads the body of an admitted call, up to what its endpoint takes. A stranger may only call
 * an open one: `who` is asked where the body may be large.
 */
export function bodyReader(
  { body, unread }: Call,
  { access, takes }: AnyEndpoint,
  who: () => Promise<Identity | undefined>,
): () => Promise<Uint8Array> {
  const read = async (): Promise<Uint8Array> => {
    if (!unread) return body;
    const isSmall = unread.length !== undefined && unread.length <= largestOfStrangers;
    if (access !== "open" || isSmall || (await who()))
      return unread.read(takes?.bytes ?? largest, tooLarge);
    return unread.read(largestOfStrangers, `${tooLarge}: bodies above 64 KiB need a valid token`);
  };
  let reading: Promise<Uint8Array> | undefined;
  return () => (reading ??= read());
}

/**
 * `null` where a request has no body, `undefined` where the platform does not say: Firefox has no
 * `Request.prototype.body`.
 */
const streamOf = (request: Request): ReadableStream<Uint8Array> | null | undefined => request.body;

/**
 * Length of a request's body as it was announced, 0 where there is none; undefined where only
 * reading it will tell.
 */
export function announcedLength(request: Request, headers: Headers): number | undefined {
  const announced = headers.get("content-length");
  if (announced !== null) return Number(announced);
  return streamOf(request) === null ? 0 : undefined;
}

/**
 * The bytes of a request's body, however it is framed. `length`: as it was announced. Throws
 * `too_large` with `told` when there are more than `limit`.
 */
export async function readBody(
  request: Request,
  length: number | undefined,
  limit: number,
  told: string,
): Promise<Uint8Array> {
  const tooLarge = () => new CaError("too_large", told);
  if (length !== undefined && length > limit) throw tooLarge();
  // what is announced is bounded by the server's framing; measured on Workers: asking for the
  // stream costs half as much as the whole of an empty request
  const stream = length === undefined ? streamOf(request) : undefined;
  if (!stream) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > limit) throw tooLarge();
    return bytes;
  }
  const parts: Uint8Array[] = [];
  let taken = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    taken += part.value.length;
    if (taken > limit) {
      // the rest is of no use to anyone; whether the sender hears of it does not matter
      reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    parts.push(part.value);
  }
  return parts.length === 1 && parts[0] ? parts[0] : concat(parts);
}
