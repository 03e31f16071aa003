import { asBytes, concat } from "../base/bytes.ts";
import type { Connection, Ports } from "../engine/ports.ts";
import { ByteSource } from "./byte-source.ts";
import { dnsFailed } from "./dns-message.ts";
import { NetError } from "./failure.ts";

/** A function that sends a DNS message and resolves to the response. */
export type DnsTransport = (message: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>;

/** Maximum length in bytes of a DNS message over TCP. */
const maxMessageBytes = 0xffff;

/** Converts a connection failure to a DNS error. Rethrows the reason of an abort. */
async function reaching<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof NetError && cause.failed === "dns") throw cause;
    throw dnsFailed("cannot connect to the nameserver", { cause });
  }
}

/**
 * Returns a transport over TCP (RFC 7766) that uses one connection per query. The nameserver, which
 * the operator chooses, may have any address.
 */
export const overTcp =
  (
    dial: NonNullable<Ports["dial"]>,
    nameserver: { readonly address: string; readonly port: number },
  ): DnsTransport =>
  async (message, signal) => {
    const connection = await reaching(dial(nameserver, signal), signal);
    try {
      return await reaching(queryOver(connection, message, signal), signal);
    } finally {
      connection.close();
    }
  };

async function queryOver(
  { readable, writable }: Connection,
  message: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const source = new ByteSource(readable, signal);
  // if sending fails, no response arrives, and reading reports the error
  writable
    .getWriter()
    .write(concat([Uint8Array.of(message.length >> 8, message.length & 0xff), message]))
    .catch(() => undefined);
  const [high = 0, low = 0] = (await source.exactly(2)) ?? [];
  const answer = await source.exactly((high << 8) | low);
  if (!answer?.length) throw dnsFailed("the nameserver closed the connection without a response");
  return answer;
}

const dnsMessage = "application/dns-message";

/** Returns a transport over HTTPS (RFC 8484). It uses POST, so that no cache responds. */
export const overHttps =
  (fetch: typeof globalThis.fetch, url: string): DnsTransport =>
  async (message, signal) => {
    const request = {
      method: "POST",
      headers: { "Content-Type": dnsMessage, Accept: dnsMessage },
      body: asBytes(message),
      redirect: "manual",
      signal,
    } as const;
    const response = await reaching(fetch(url, request), signal);
    const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
    if (response.status !== 200 || type !== dnsMessage || !response.body) {
      void response.body?.cancel().catch(() => undefined);
      throw dnsFailed(
        response.status === 200
          ? "the server at DNS_RESOLVER_URL does not support DNS over HTTPS"
          : `the DNS over HTTPS server returned status ${response.status}`,
      );
    }
    const answer = await reaching(
      new ByteSource(response.body, signal).rest(maxMessageBytes),
      signal,
    );
    if (answer) return answer;
    void response.body.cancel().catch(() => undefined);
    throw dnsFailed("the nameserver's response is too long");
  };
