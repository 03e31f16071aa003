import type { Bytes } from "../base/bytes.ts";
import type { Ports } from "../engine/ports.ts";
import { ipToBytes } from "../x509/address.ts";
import { unlessAborted } from "./abort.ts";
import { causeSuffix, NetError } from "./failure.ts";
import { targetRefusal } from "./target.ts";
import type { TlsIdentity } from "./tls-identity.ts";
import type { TlsTrust } from "./tls-trust.ts";

/** The ways out that a document is read by. */
export type NetworkPorts = Pick<Ports, "dial" | "resolve" | "fetch" | "random" | "now">;
/**
 * Which addresses may be asked, each with those before it: `public`; `private`: those of private
 * networks too; `loopback`: the own machine too. Link-local, metadata and other special addresses
 * never are.
 */
export type AddressScope = "public" | "private" | "loopback";
/** What another server is asked, and how far it is trusted. */
export interface FetchRequest {
  /** One that `urlFault` finds nothing wrong with. */
  readonly url: string;
  /**
   * `platform`: whoever the platform trusts. Else as TLS of our own judges it: roots, or pinned
   * certificates, each of which counts whatever its names and validity.
   */
  readonly trust: "platform" | Exclude<TlsTrust, "any">;
  /** Who we are, where the server asks; not with the trust of the platform. */
  readonly identity?: TlsIdentity | undefined;
  readonly scope: AddressScope;
  /** Bytes that the answer may have; 0: none of them is read. */
  readonly maxBytes: number;
  /** Milliseconds that all of it may take. */
  readonly limit: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a POST; absent: GET. */
  readonly sent?: Bytes;
  /** Judges the status before anything of the body is read; throws `NetError`. */
  demand?(status: number): void;
}
/** What a server answered; a redirect is such an answer. */
export interface FetchResponse {
  readonly status: number;
  readonly body: Uint8Array;
}
/** A document of another server, and how far it is trusted. */
export interface DocumentRequest {
  /** One that {@link urlFault} finds nothing wrong with. */
  readonly url: string;
  /**
   * Certificates, DER, one of which the server's chain leads to: such a server may have a private
   * address. None: the roots of the platform decide.
   */
  readonly roots: readonly Uint8Array[];
  /** Whether a server that the platform's roots vouch for may have a private address too. */
  readonly privateNetworks: boolean;
  /** Bytes that it may have. */
  readonly maxBytes: number;
  /** Milliseconds that all of it may take. */
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

/** Refuses an answer that is no document, or does not take one. Throws `NetError`. */
export function requireSuccess(status: number, sent: boolean): void {
  if (status >= 300 && status < 400)
    throw new NetError("response", "the server redirects, which is not followed");
  if (sent ? status < 200 || status > 299 : status !== 200)
    throw new NetError("response", `the server answers with status ${status}`);
}

/** The addresses of a host that may be asked. Rejects where none may. */
export async function permittedAddresses(
  ways: NetworkPorts,
  host: string,
  { reach, signal }: { readonly reach: AddressScope; readonly signal: AbortSignal },
): Promise<{ readonly permitted: readonly string[]; readonly refused: readonly string[] }> {
  const addresses = ipToBytes(host) ? [host] : await addressesOf(ways, host, signal);
  const rules = { permitted: [], excluded: [], privateNetworks: reach !== "public" };
  const verdicts = addresses.slice(0, 32).map((address) => ({
    address,
    refusal: reach === "loopback" && isOwn(address) ? undefined : targetRefusal(address, rules),
  }));
  const permitted = verdicts.filter(({ refusal }) => !refusal).map(({ address }) => address);
  const refused = verdicts.flatMap(({ refusal }) =>
    refusal ? [`${refusal.address} ${refusal.reason} and is not asked`] : [],
  );
  if (permitted.length === 0) throw new NetError("connection", refused[0] ?? "no address is known");
  return { permitted, refused };
}

/** Whether an address, in its usual spelling, is one of the own machine. */
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
