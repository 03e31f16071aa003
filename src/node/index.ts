import { connect } from "node:net";
import { Duplex } from "node:stream";
import type { Connection, Ports } from "../engine/ports.ts";
import { NetError } from "../net/failure.ts";
import { nameserverOf, noNameserver, resolver, withHosts } from "../net/dns.ts";
import { overTcp } from "../net/dns-transport.ts";
import { ipToBytes } from "../x509/address.ts";
import { hostDns } from "./host-dns.ts";

export { fileKey } from "./file-key.ts";
export {
  requestListener,
  type ListenerOptions,
  type ListeningCa,
  type RequestListener,
} from "./request-listener.ts";
export { jobTimer, type JobTimer, type JobTimerOptions, type Schedule } from "./job-timer.ts";
export {
  renewingCertificate,
  type CertificateSource,
  type RenewalEvents,
  type RenewingCertificate,
  type RenewingCertificateOptions,
  type ServerCertificate,
} from "./renewing-certificate.ts";
export { nodeCrypto } from "./crypto.ts";
export { sqliteStore, type SqliteStores } from "./sqlite.ts";

/**
 * `dial` of `createCa` in Node, by which challenges of ACME are validated. Rejects with the reason
 * of the signal, or with an error whose cause is what the system said. Throws `TypeError` for what
 * is no literal address.
 */
export const nodeDial: NonNullable<Ports["dial"]> = async ({ address, port }, signal) => {
  if (!ipToBytes(address)) throw new TypeError("only a literal IP address is dialled");
  signal.throwIfAborted();
  // the signal ends it whenever it aborts
  const socket = connect({ host: address, port, noDelay: true, signal });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.on("error", (cause) => reject(failureOf(signal, cause)));
  });
  const streams = Duplex.toWeb(socket);
  return {
    // those of a socket carry bytes; the types of Node and of the platform differ in what no one
    // uses
    readable: streams.readable as Connection["readable"],
    writable: streams.writable as Connection["writable"],
    close: () => void socket.destroy(),
  };
};

/** What a signal was aborted with, an error or not; else that there is no connection. */
const failureOf = (signal: AbortSignal, cause: Error): unknown =>
  signal.aborted
    ? signal.reason
    : new NetError("connection", `there is no connection (${codeOf(cause)})`, { cause });

const codeOf = (cause: Error): string =>
  "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;

/**
 * `resolve` of `createCa` in Node: the hosts file of the host, then the first nameserver of
 * `/etc/resolv.conf` over TCP. Both are read at each question.
 */
export const nodeResolve: NonNullable<Ports["resolve"]> = (question, signal) => {
  const { DNS_NAMESERVER, DNS_HOSTS } = hostDns();
  const nameserver = nameserverOf(DNS_NAMESERVER);
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const resolve = nameserver ? resolver(overTcp(nodeDial, nameserver), random) : noNameserver;
  return withHosts(DNS_HOSTS, resolve)(question, signal);
};
