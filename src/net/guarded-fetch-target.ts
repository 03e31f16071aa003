import type { Bytes } from "../base/bytes.ts";
import type { Ports } from "../engine/ports.ts";
import { ipToBytes } from "../x509/address.ts";
import { unlessAborted } from "./abort.ts";
import { causeSuffix, NetError } from "./failure.ts";
import { targetRefusal } from "./target.ts";
import type { TlsIdentity } from "./tls-identity.ts";
import type { TlsTrust } from "./tls-trust.ts";

/** The host's network functions that a fetch uses. */
export type NetworkPorts = Pick<Ports, "dial" | "resolve" | "fetch" | "random" | "now">;
/**
 * Scope of permitted addresses: only public ones (`public`), also private ones (`private`), or also
 * those of this machine (`loopback`). Link-local, cloud metadata and other special addresses are
 * never permitted.
 */
export type AddressScope = "public" | "private" | "loopback";
/** A request to another server, and the certificates that authenticate the server. */
export interface FetchRequest {
  /** A URL that `urlFault` accepts. */
  readonly url: string;
  /**
   * With `platform`, the platform's root certificates are trusted. Otherwise, the TLS client of
   * this library verifies the server against roots or pinned certificates. Pinned certificates are
   * accepted regardless of names and validity.
   */
  readonly trust: "platform" | Exclude<TlsTrust, "any">;
  /** The client certificate to send. Not supported with `platform`. */
  readonly identity?: TlsIdentity | undefined;
  readonly scope: AddressScope;
  /** Maximum size of the response body in bytes. If 0, the body is not read. */
  readonly maxBytes: number;
  /** Timeout of the whole exchange in ms. */
  readonly limit: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a POST. If absent, the request is a GET. */
  readonly sent?: Bytes;
  /** Checks the status before the body is read. Throws `NetError` to reject the response. */
  checkStatus?(status: number): void;
}
/** A response, which may be a redirect. */
export interface FetchResponse {
  readonly status: number;
  readonly body: Uint8Array;
}
/** A request for a document on another server, and the roots that authenticate that server. */
export interface DocumentRequest {
  /** A URL that {@link urlFault} accepts. */
  readonly url: string;
  /**
   * Trusted root certificates (DER). A server whose chain ends at one of them may have a private
   * address. If empty, the platform's roots are trusted.
   */
  readonly roots: readonly Uint8Array[];
  /** Whether a server with a publicly trusted certificate may have a private address. */
  readonly privateNetworks: boolean;
  /** Maximum size of the document in bytes. */
  readonly maxBytes: number;
  /** Timeout of the whole exchange in ms. */
  readonly limit: number;
}
/** A document to send, and its header fields. */
export interface OutgoingDocument {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Bytes;
}

/** Header fields of requests for documents. */
export const documentHeaders = { Accept: "application/json", "User-Agent": "sealwright" };
/** Returns the host in a URL. An IPv6 address has no brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");

/** Requires a success status. Throws `NetError`. */
export function requireSuccess(status: number, sent: boolean): void {
  if (status >= 300 && status < 400)
    throw new NetError("response", "the server redirects, but redirects are not followed");
  if (sent ? status < 200 || status > 299 : status !== 200)
    throw new NetError("response", `the server returned status ${status}`);
}

/** Resolves a host to its permitted addresses. Rejects with `NetError` if there are none. */
export async function permittedAddresses(
  network: NetworkPorts,
  host: string,
  { scope, signal }: { readonly scope: AddressScope; readonly signal: AbortSignal },
): Promise<{ readonly permitted: readonly string[]; readonly refused: readonly string[] }> {
  const addresses = ipToBytes(host) ? [host] : await addressesOf(network, host, signal);
  const rules = { permitted: [], excluded: [], privateNetworks: scope !== "public" };
  const verdicts = addresses.slice(0, 32).map((address) => ({
    address,
    refusal: scope === "loopback" && isOwn(address) ? undefined : targetRefusal(address, rules),
  }));
  const permitted = verdicts.filter(({ refusal }) => !refusal).map(({ address }) => address);
  const refused = verdicts.flatMap(({ refusal }) =>
    refusal ? [`${refusal.address} ${refusal.reason} and is not contacted`] : [],
  );
  if (permitted.length === 0)
    throw new NetError("connection", refused[0] ?? `${host} has no address`);
  return { permitted, refused };
}

/**
 * Returns the reason why the host in a URL must never be contacted: it is a name of this machine,
 * or an address that is not permitted. Returns undefined for other names, whose addresses are
 * checked later.
 */
export function hostRefusal(url: string, scope: AddressScope): string | undefined {
  const host = hostOf(new URL(url)).replace(/\.$/, "");
  if (scope !== "loopback" && /(?:^|\.)localhost$/i.test(host))
    return `${host} is a name of this machine and is not contacted`;
  if (!ipToBytes(host) || (scope === "loopback" && isOwn(host))) return undefined;
  const rules = { permitted: [], excluded: [], privateNetworks: scope !== "public" };
  const refusal = targetRefusal(host, rules);
  return refusal && `${refusal.address} ${refusal.reason} and is not contacted`;
}

/** Reports whether an address in canonical form is a loopback address. */
const isOwn = (address: string): boolean =>
  address === "::1" || (ipToBytes(address)?.[0] === 127 && !address.includes(":"));

async function addressesOf(
  network: NetworkPorts,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const resolve = network.resolve?.bind(network);
  if (!resolve)
    throw new NetError(
      "dns",
      "the name of the server cannot be resolved, because this runtime cannot resolve host names",
    );
  const answers = await Promise.allSettled(
    (["AAAA", "A"] as const).map((type) => unlessAborted(resolve({ name, type }, signal), signal)),
  );
  signal.throwIfAborted();
  const addresses = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (addresses.length > 0) return addresses;
  const failed = answers.find((one) => one.status === "rejected");
  throw new NetError(
    "dns",
    failed
      ? `cannot resolve the name of the server${causeSuffix(failed.reason)}`
      : "DNS has no address for the server",
  );
}
