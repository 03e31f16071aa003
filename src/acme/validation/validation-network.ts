import { CaError } from "../../base/errors.ts";
import type { Connection } from "../../engine/ports.ts";
import { unlessAborted } from "../../net/abort.ts";
import { causeSuffix } from "../../net/failure.ts";
import { TlsError } from "../../net/tls-error.ts";
import { targetRefusal, type TargetRefusal } from "../../net/target.ts";
import { ipToBytes } from "../../x509/address.ts";
import { PermanentFailure, type ValidationNetwork } from "./challenge-type.ts";

/** Where a connection is to lead. */
export interface Host {
  /** A DNS name, or an IP address without brackets. */
  readonly name: string;
  readonly port: number;
  /** Number of redirects followed to get here; 0 for the identifier itself. */
  readonly hop: number;
}

/** Milliseconds for one address to accept a connection (B 5.10). */
const dialLimit = 10_000;
/** Milliseconds for the DNS to tell the addresses of a name. */
const lookupLimit = 10_000;
/**
 * Addresses of one family that are tried, and that are judged: an answer of the DNS holds
 * thousands, each of which takes a tenth of a millisecond.
 */
const [maxPerFamily, maxChecked] = [2, 16];

/**
 * How a message names what was asked. What only a redirect led to is not named: it was fetched, and
 * may be the name or the address of something inside.
 */
export const namedAs = ({ name, hop }: Pick<Host, "name" | "hop">): string =>
  hop === 0 ? name : `the target of redirect ${hop}`;

/** A signal that aborts after some milliseconds, or with another one. */
export const abortAfter = (
  { timeout }: Pick<ValidationNetwork, "timeout">,
  signal: AbortSignal,
  milliseconds: number,
): AbortSignal => AbortSignal.any([signal, timeout(milliseconds)]);

/** A signal whose time is set anew for each step of a work. */
export interface Deadline {
  /** Aborts when the time of a step is over, or with another signal. */
  readonly signal: AbortSignal;
  /** Begins a step that may take some milliseconds. */
  within(milliseconds: number): void;
  /** There is no limit of time any more. */
  off(): void;
}
/** A deadline of several steps. */
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

/** A connection to one of the addresses of a host: those that may be asked, IPv6 first. */
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
  throw new CaError("connection", `${namedAs(host)}${where} cannot be connected to`);
}

/** Undefined where there is no connection. */
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
    // what stands ends with the attempt alone
    limit.off();
  }
}

/** Those that may be asked, IPv6 first; refuses where none may (D 5, security rows 35 and 38). */
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
        : `${namedAs(host)} has an address that is not asked; ${first.setting} decides that`,
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
  if (!failed) throw new CaError("dns", `the DNS has no A or AAAA record of ${namedAs(host)}`);
  const cause: unknown = failed.reason;
  const what = `the DNS gave no answer for the addresses of ${namedAs(host)}${causeSuffix(cause)}`;
  throw new CaError("dns", what, { cause });
}

/** What went wrong with TLS; its own errors quote nothing that was received. */
export function tlsFault(where: string, soon: AbortSignal, cause: unknown): CaError {
  if (soon.aborted)
    return new CaError("connection", `the server of ${where} took too long`, { cause });
  const why = cause instanceof TlsError ? `: ${cause.message}` : "";
  return new CaError("tls", `the TLS handshake with ${where} failed${why}`, { cause });
}
