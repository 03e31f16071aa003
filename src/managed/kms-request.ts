import { fromBase64, fromUtf8, utf8 } from "../base/bytes.ts";
import { decodePem } from "../base/pem.ts";
import type { ManagedKeyRow } from "./records.ts";
import { guardedFetch } from "../net/guarded-fetch.ts";
import type { FetchResponse, FetchRequest, NetworkPorts } from "../net/guarded-fetch-target.ts";
import { KmsError } from "./remote.ts";

/** Maximum size of a response in bytes, and timeout of a request in ms. */
const [maxReplyBytes, limit] = [64 * 1024, 10_000];

const certificatesOf = (pem = ""): readonly Uint8Array[] => decodePem(pem).map(({ der }) => der);

/**
 * Returns the trust anchors or pinned certificates for the TLS server of a managed key's provider.
 */
function trustOf({ settings }: Pick<ManagedKeyRow, "settings">): FetchRequest["trust"] {
  const pinned = certificatesOf(settings["trusted_leaf_certificate_bundle"]);
  if (pinned.length > 0) return { pinned };
  const roots = certificatesOf(settings["trusted_ca"]);
  return roots.length > 0 ? { roots } : "platform";
}

/** A request to a provider: its URL, headers and, if any, body and client certificate. */
type KmsRequest = Pick<FetchRequest, "url" | "identity"> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};
/**
 * Sends a request to the provider of a managed key. Rejects with `NetError` if there is no
 * response.
 */
export const requestKms = (
  network: NetworkPorts,
  row: ManagedKeyRow,
  { url, identity, headers = {}, body }: KmsRequest,
): Promise<FetchResponse> =>
  guardedFetch(network, {
    url,
    trust: trustOf(row),
    identity,
    scope: row.allow_private_network ? "loopback" : "public",
    maxBytes: maxReplyBytes,
    limit,
    headers,
    ...(body === undefined ? {} : { sent: utf8(body) }),
  });

/** Parses a response whose body is a JSON object. Throws `KmsError` if it is not. */
export function parseObject({ body }: FetchResponse): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(fromUtf8(body));
    // an array is also accepted, but has none of the expected members
    if (typeof read === "object" && read !== null) return read as Readonly<Record<string, unknown>>;
  } catch {
    // the error is reported below
  }
  throw new KmsError("its response is not a JSON object");
}
/** Decodes a base64 member of a response. Throws `KmsError` if it is missing or malformed. */
export function parseBytes(answer: Readonly<Record<string, unknown>>, member: string): Uint8Array {
  const text = answer[member];
  const bytes = typeof text === "string" ? fromBase64(text) : undefined;
  if (!bytes?.length) throw new KmsError(`its response has no valid base64 in ${member}`);
  return bytes;
}
