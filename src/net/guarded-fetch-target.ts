import type { Bytes } from "../base/bytes.ts";
import type { Ports } from "../engine/ports.ts";
import { ipToBytes } from "../x509/address.ts";
import { unlessAborted } from "./abort.ts";
import { causeSuffix, NetError } from "./failure.ts";
import { targetRefusal } from "./target.ts";
import type { TlsIdentity } from "./tls-identity.ts";
import type { TlsTrust } from "./tls-trust.ts";

/** Network ports used for the fetch. */
export type NetworkPorts = Pick<Ports, "dial" | "resolve" | "fetch" | "random" | "now">;
/**
 * The permitted addresses, each value including those before it: `public`; `private` adds private
 * networks; `loopback` adds this machine. Link-local, metadata and other special addresses are
 * never permitted.
 */
export type AddressScope = "public" | "private" | "loopback";
/** A request to another server, and how to authenticate it. */
export interface FetchRequest {
  /** Accepted by `urlFault`. */
  readonly url: string;
  /**
   * `platform`: the platform's roots. Otherwise our own TLS checks roots, or pinned certificates,
   * which are accepted regardless of their names and validity.
   */
  readonly trust: "platform" | Exclude<TlsTrust, "any">;
  /** Our client certificate; not available with `platform`. */
  readonly identity?: TlsIdentity | undefined;
  readonly scope: AddressScope;
  /** Bytes that the answer may have; 0: none of them is read. */
  readonly maxBytes: number;
  /** Timeout of the whole exchange (ms). */
  readonly limit: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a POST; absent: GET. */
  readonly sent?: Bytes;
  /** Judges the status before anything of the body is read; throws `NetError`. */
  demand?(status: number): void;
}
/** The response of a server, possibly a redirect. */
export interface FetchResponse {
  readonly status: number;
  readonly body: Uint8Array;
}
/** A document of another server, and how far it is trusted. */
export interface DocumentRequest {
  /** Accepted by {@link urlFault}. */
  readonly url: string;
  /**
   * Certificates, DER, one of which the server's chain leads to: such a server may have a private
   * address. None: the roots of the platform decide.
   */
  readonly roots: readonly Uint8Array[];
  /** Whether a server with a publicly trusted certificate may have a private address. */
  readonly privateNetworks: boolean;
  /** Bytes that it may have. */
  readonly maxBytes: number;
  /** Timeout of the whole exchange (ms). */
  readonly limit: number;
}
/** A document that is sent, and header fields for it. */
export interface OutgoingDocument {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Bytes;
}

/** Header fields of the request for a document. */
export const documentHeaders = { Accept: "application/json", "User-Agent": "sealwright" };
/** The host of a URL, an address without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");

/** Requires a success status. Throws `NetError`. */
export function requireSuccess(status: number, sent: boolean): void {
  if (status >= 300 && status < 400)
    throw new NetError("response", "the server redirects, which is not followed");
  if (sent ? status < 200 || status > 299 : status !== 200)
    throw new NetError("response", `the server returned status ${status}`);
}

/** Resolves a host to its permitted addresses. Rejects if there are none. */
export async function permittedAddresses(
  ways: NetworkPorts,
  host: string,
  { scope, signal }: { readonly scope: AddressScope; readonly signal: AbortSignal },
): Promise<{ readonly permitted: readonly string[]; readonly refused: readonly string[] }> {
  const addresses = ipToBytes(host) ? [host] : await addressesOf(ways, host, signal);
  const rules = { permitted: [], excluded: [], privateNetworks: scope !== "public" };
  const verdicts = addresses.slice(0, 32).map((address) => ({
    address,
    refusal: scope === "loopback" && isOwn(address) ? undefined : targetRefusal(address, rules),
  }));
  const permitted = verdicts.filter(({ refusal }) => !refusal).map(({ address }) => address);
  const refused = verdicts.flatMap(({ refusal }) =>
    refusal ? [`${refusal.address} ${refusal.reason} and is not contacted`] : [],
  );
  if (permitted.length === 0) throw new NetError("connection", refused[0] ?? "no address is known");
  return { permitted, refused };
}

/** Reports whether a canonical address is a loopback address. */
const isOwn = (address: string): boolean =>
  address === "::1" || (ipToBytes(address)?.[0] === 127 && !address.includes(":"));

async function addressesOf(
  ways: NetworkPorts,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const resolve = ways.resolve?.bind(ways);
  if (!resolve) throw new NetError("dns", "nothing here can resolve the name of the server");
  const answers = await Promise.allSettled(
    (["AAAA", "A"] as const).map((type) => unlessAborted(resolve({ name, type }, signal), signal)),
  );
  signal.throwIfAborted();
  const found = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (found.length > 0) return found;
  const failed = answers.find((one) => one.status === "rejected");
  throw new NetError(
    "dns",
    failed
      ? `the DNS gave no answer for the name of the server${causeSuffix(failed.reason)}`
      : "the DNS has no address of the server",
  );
}
