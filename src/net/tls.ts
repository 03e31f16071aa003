import type { Connection } from "../engine/ports.ts";
import { handshake12 } from "./tls-12.ts";
import { handshake13 } from "./tls-13.ts";
import { applicationStreams, fail } from "./tls-application.ts";
import { violation } from "./tls-error.ts";
import { Handshake, messageType } from "./tls-handshake.ts";
import {
  clientHello,
  extensionType,
  newShare,
  readServerHello,
  sniName,
  type Offer,
  type ServerHello,
} from "./tls-hello.ts";
import { Records } from "./tls-record.ts";
import type { NegotiatedSession, ClientHandshake, TlsOptions } from "./tls-session.ts";
import { groups } from "./tls-suites.ts";
import { Transport } from "./tls-transport.ts";
import { WireReader } from "./tls-wire.ts";

export type { TlsOptions } from "./tls-session.ts";
export type { TlsTrust } from "./tls-trust.ts";
export type { TlsIdentity } from "./tls-identity.ts";
export { TlsError } from "./tls-error.ts";

/**
 * An established TLS connection. `readable` yields data until the peer's close_notify, and fails
 * with `TlsError` `closed` if the connection ends without one. Closing `writable` sends
 * close_notify. `close` sends close_notify and closes both directions.
 */
export interface TlsConnection extends Connection, Omit<NegotiatedSession, "update"> {}

/**
 * Connects over a byte stream as a client of TLS 1.3, or of TLS 1.2 with ECDHE and AES-GCM. Uses
 * only WebCrypto, so servers that require ChaCha20-Poly1305 are not supported. Owns the connection,
 * and closes it on failure. Rejects with `TlsError`. If a TLS 1.3 server rejects the client
 * certificate, only the first read reports this.
 */
export async function connectTls(
  connection: Connection,
  options: TlsOptions,
): Promise<TlsConnection> {
  const { random, signal, trust, address } = options;
  const serverName = options.serverName === undefined ? undefined : sniName(options.serverName);
  if (trust !== "any" && "roots" in trust && serverName === undefined && address === undefined)
    throw new TypeError("options: trust.roots requires serverName or address");
  const transport = new Transport(connection, signal);
  const shake = new Handshake(new Records(transport));
  try {
    const shares = await Promise.all(groups.filter(({ atOnce }) => atOnce).map(newShare));
    const { alpn = [] } = options;
    const offer = { random: random(32), session: random(32), serverName, alpn, shares };
    const agreed = await agree({ ...options, serverName }, shake, offer);
    const { version, cipher, alpn: chosen, chain } = agreed;
    const streams = applicationStreams({ transport, shake, agreed });
    return { version, cipher, alpn: chosen, chain, ...streams };
  } catch (error) {
    throw fail({ transport, shake }, error);
  }
}

/** Performs the handshake, with a second ClientHello if the server requests another group. */
async function agree(
  options: ClientHandshake["options"],
  shake: Handshake,
  first: Offer,
): Promise<NegotiatedSession> {
  let changeSent = false;
  const sendChangeOnce = (): void => {
    if (!changeSent) shake.sendChange();
    changeSent = true;
  };
  shake.send(messageType.clientHello, clientHello(first));
  shake.flush();
  const { body } = await shake.next(messageType.serverHello);
  const hello = readServerHello(body, first);
  const client: ClientHandshake = { options, shake, offer: first, sendChangeOnce };
  if (hello.version === "1.2") return await handshake12(client, hello);
  if (!hello.retry) return await handshake13(client, hello);

  shake.boundary();
  sendChangeOnce();
  const offer = await secondOffer(first, hello);
  await shake.retry(hello.suite.hash);
  shake.send(messageType.clientHello, clientHello(offer));
  shake.flush();
  const again = readServerHello((await shake.next(messageType.serverHello)).body, offer);
  if (again.retry)
    throw violation("unexpected_message", "the server sent a second HelloRetryRequest");
  if (again.suite !== hello.suite)
    throw violation(
      "illegal_parameter",
      "the server selected another cipher suite after its HelloRetryRequest",
    );
  return await handshake13({ ...client, offer }, again);
}

/** Builds the offer that a HelloRetryRequest requires (RFC 8446 section 4.1.4). */
async function secondOffer(first: Offer, { extensions }: ServerHello): Promise<Offer> {
  const keyShare = extensions.get(extensionType.keyShare);
  const cookie = extensions.get(extensionType.cookie);
  const useless = () =>
    violation("illegal_parameter", "the server sent a HelloRetryRequest that changes nothing");
  if (!keyShare && !cookie) throw useless();
  const id = keyShare && readWhole(keyShare, (reader) => reader.number(2));
  const group = groups.find((one) => one.id === id);
  if (keyShare && (!group || group.atOnce)) throw useless();
  return {
    ...first,
    shares: group ? [await newShare(group)] : first.shares,
    ...(cookie ? { cookie: readWhole(cookie, (reader) => reader.vector(2)) } : {}),
  };
}

function readWhole<T>(bytes: Uint8Array, read: (reader: WireReader) => T): T {
  const reader = new WireReader(bytes, "the HelloRetryRequest");
  const value = read(reader);
  reader.end();
  return value;
}
