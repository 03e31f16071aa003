import { CaError } from "../../base/errors.ts";
import type { Connection } from "../../engine/ports.ts";
import { unlessAborted } from "../../net/abort.ts";
import { causeSuffix } from "../../net/failure.ts";
import { TlsError } from "../../net/tls-error.ts";
import { targetRefusal, type TargetRefusal } from "../../net/target.ts";
import { ipToBytes } from "../../x509/address.ts";
import { PermanentFailure, type ValidationNetwork } from "./challenge-type.ts";

/** The target of a connection. */
interface Host {
  /** A DNS name, or an IP address without brackets. */
  readonly name: string;
  readonly port: number;
  /** Number of redirects before this target, or 0 for the identifier itself. */
  readonly hop: number;
}

/** Timeout of a connection to one address in ms (B 5.10). */
const dialLimit = 10_000;
/** Timeout of an address lookup in ms. */
const lookupLimit = 10_000;
/**
 * Maximum number of addresses per family to try, and to check. A DNS response may contain thousands
 * of addresses, and each check takes a tenth of a millisecond.
 */
const [maxPerFamily, maxChecked] = [2, 16];

/**
 * Returns the name of a target for error messages. The name of a redirect target is omitted,
 * because it comes from a response and may identify an internal host.
 */
export const namedAs = ({ name, hop }: Pick<Host, "name" | "hop">): string =>
  hop === 0 ? name : `the target of redirect ${hop}`;

/** Returns a signal that aborts after a number of milliseconds or when another signal aborts. */
export const abortAfter = (
  { timeout }: Pick<ValidationNetwork, "timeout">,
  signal: AbortSignal,
  milliseconds: number,
): AbortSignal => AbortSignal.any([signal, timeout(milliseconds)]);

/** A timeout that restarts with each step of an operation. */
interface Deadline {
  /** A signal that aborts at the timeout of a step or when another signal aborts. */
  readonly signal: AbortSignal;
  /** Starts a step with a timeout in milliseconds. */
  within(milliseconds: number): void;
  /** Disables the timeout. */
  off(): void;
}
/** Creates a deadline for an operation with several steps. */
export function deadlineOf(
  { timeout }: Pick<ValidationNetwork, "timeout">,
  signal: AbortSignal,
): Deadline {
  const stop = new AbortController();
  const abort = () => stop.abort();
  let limit: AbortSignal | undefined;
  const off = () => limit?.removeEventListener("abort", abort);
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    within(milliseconds) {
      off();
      limit = timeout(milliseconds);
      limit.addEventListener("abort", abort, { once: true });
    },
    off,
  };
}

/** Connects to one of the allowed addresses of a host, IPv6 first. */
export async function connectTo(
  network: ValidationNetwork,
  host: Host,
  signal: AbortSignal,
): Promise<{ readonly connection: Connection; readonly address: string }> {
  const permitted = permittedOf(network, host, await addressesOf(network, host, signal));
  for (const address of permitted) {
    const connection = await dialled(network, { address, port: host.port }, signal);
    if (connection) return { connection, address };
  }
  const where =
    host.hop === 0 ? ` at ${permitted.join(" and ")} port ${host.port}` : ` at port ${host.port}`;
  throw new CaError("connection", `cannot connect to ${namedAs(host)}${where}`);
}

/** Connects to an address. Resolves to undefined if the connection fails. */
async function dialled(
  network: ValidationNetwork,
  to: Parameters<ValidationNetwork["dial"]>[0],
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const limit = deadlineOf(network, signal);
  limit.within(dialLimit);
  try {
    return await unlessAborted(network.dial(to, limit.signal), limit.signal);
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    // the deadline limits only connecting; an open connection may last as long as the attempt
    limit.off();
  }
}

/**
 * Returns the allowed addresses, IPv6 first. Throws if there are none (D 5, security rows 35 and
 * 38).
 */
function permittedOf(
  { rules }: ValidationNetwork,
  host: Host,
  addresses: readonly string[],
): readonly string[] {
  const isSix = (address: string) => address.includes(":");
  const six = addresses.filter(isSix).slice(0, maxChecked);
  const four = addresses.filter((address) => !isSix(address)).slice(0, maxChecked);
  const refused: TargetRefusal[] = [];
  const isPermitted = (address: string): boolean => {
    const refusal = targetRefusal(address, rules);
    if (refusal) refused.push(refusal);
    return !refusal;
  };
  const permitted = [six, four].flatMap((family) =>
    family.filter(isPermitted).slice(0, maxPerFamily),
  );
  const [first] = refused;
  if (permitted.length === 0 && first)
    throw new PermanentFailure(
      "connection",
      host.hop === 0
        ? `${namedAs(host)}: ${first.text}`
        : `${namedAs(host)} has an address that is not contacted, because of ${first.setting}`,
    );
  return permitted;
}

async function addressesOf(
  network: ValidationNetwork,
  host: Host,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { name } = host;
  if (ipToBytes(name)) return [name];
  const soon = abortAfter(network, signal, lookupLimit);
  const answers = await Promise.allSettled(
    (["AAAA", "A"] as const).map((type) =>
      unlessAborted(network.resolve({ name, type }, soon), soon),
    ),
  );
  signal.throwIfAborted();
  const addresses = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (addresses.length > 0) return addresses;
  const failed = answers.find((one) => one.status === "rejected");
  if (!failed) throw new CaError("dns", `DNS has no A or AAAA record for ${namedAs(host)}`);
  const cause: unknown = failed.reason;
  const what = `cannot resolve the addresses of ${namedAs(host)}${causeSuffix(cause)}`;
  throw new CaError("dns", what, { cause });
}

/**
 * Returns the error for a failed TLS handshake. Its message quotes nothing received from the
 * server.
 */
export function tlsFault(where: string, soon: AbortSignal, cause: unknown): CaError {
  if (soon.aborted)
    return new CaError("connection", `the TLS handshake with ${where} timed out`, { cause });
  const why = cause instanceof TlsError ? `: ${cause.message}` : "";
  return new CaError("tls", `the TLS handshake with ${where} failed${why}`, { cause });
}
