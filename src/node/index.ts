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
export {
  jobTimer,
  type JobLease,
  type JobTimer,
  type JobTimerOptions,
  type Schedule,
} from "./job-timer.ts";
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
 * The `dial` option of `createCa` for Node, used to validate ACME challenges. Rejects with the
 * abort reason of the signal, or with an error whose cause is the system's error. Rejects with
 * `TypeError` if the address is not an IP address.
 */
export const nodeDial: NonNullable<Ports["dial"]> = async ({ address, port }, signal) => {
  if (!ipToBytes(address)) throw new TypeError("the address must be a literal IP address");
  signal.throwIfAborted();
  // aborting the signal closes the socket at any time
  const socket = connect({ host: address, port, noDelay: true, signal });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.on("error", (cause) => reject(failureOf(signal, cause)));
  });
  const streams = Duplex.toWeb(socket);
  return {
    // the streams of a socket carry bytes; the stream types of Node and of the web platform differ
    // only in members that are not used here
    readable: streams.readable as Connection["readable"],
    writable: streams.writable as Connection["writable"],
    close: () => void socket.destroy(),
  };
};

/**
 * Returns the signal's abort reason if it was aborted, and otherwise the error for a failed
 * connection.
 */
const failureOf = (signal: AbortSignal, cause: Error): unknown =>
  signal.aborted
    ? signal.reason
    : new NetError("connection", `the connection failed (${codeOf(cause)})`, { cause });

const codeOf = (cause: Error): string =>
  "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;

/**
 * The `resolve` option of `createCa` for Node: looks up names in the hosts file, then queries the
 * first nameserver in `/etc/resolv.conf` over TCP. Reads both files for each query.
 */
export const nodeResolve: NonNullable<Ports["resolve"]> = (question, signal) => {
  const { DNS_NAMESERVER, DNS_HOSTS } = hostDns();
  const nameserver = nameserverOf(DNS_NAMESERVER);
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const resolve = nameserver ? resolver(overTcp(nodeDial, nameserver), random) : noNameserver;
  return withHosts(DNS_HOSTS, resolve)(question, signal);
};
