import type { Ports } from "../../engine/ports.ts";
import { readDocument } from "../../net/guarded-fetch.ts";
import { discoveryDocument, endpointIn, type DocumentSource } from "./discovery.ts";
import { cachedFetch, cacheEntry, fetchCache, fetchTimeout } from "./fetch-cache.ts";
import { keyOfPem, keysOfSet, type VerifyKey } from "./verify-key.ts";

/** The source of the public keys that verify tokens. */
export type KeySource =
  | { readonly from: "pinned"; readonly pems: readonly string[] }
  /**
   * For `jwks`, the URL of a key set. For `discovery`, the URL of an issuer, whose OpenID Connect
   * Discovery document contains the URL of the key set.
   */
  | ({ readonly from: "jwks" | "discovery" } & DocumentSource);
/** A source whose keys are fetched from a URL. */
type RemoteSource = Exclude<KeySource, { readonly from: "pinned" }>;

/**
 * Maximum size of a document in bytes. A set of 100 RSA keys of 4096 bits with certificates takes
 * 600 kB.
 */
const maxBytes = 1024 * 1024;

const caches = fetchCache<readonly VerifyKey[]>();
/**
 * Returns the keys of a source, cached for at most five minutes. Fetches the keys again if no
 * cached key has the ID `kid`. Throws CaError `busy` if they cannot be fetched; the error does not
 * show the reason, because callers are anonymous.
 */
export async function keysOf(
  ports: Ports,
  source: KeySource,
  kid: string | undefined,
): Promise<readonly VerifyKey[]> {
  const entry = cacheEntry(caches, ports, source);
  if (source.from === "pinned") return (entry.value ??= source.pems.map(keyOfPem));
  return await cachedFetch(entry, ports, {
    what: "the keys of this login method",
    fetch: () => fetchKeys(ports, source),
    suffices: (keys) => kid === undefined || keys.some((key) => key.kid === kid),
  });
}

/** Fetches the keys of a source. Rejects with a `NetError` that states the reason. */
export async function fetchKeys(ports: Ports, source: RemoteSource): Promise<readonly VerifyKey[]> {
  const { from, ...document } = source;
  const url =
    from === "jwks" ? source.url : endpointIn(await discoveryDocument(ports, document), "jwks_uri");
  return keysOfSet(await readDocument(ports, { ...document, url, maxBytes, limit: fetchTimeout }));
}
