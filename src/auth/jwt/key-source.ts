import { CaError } from "../../base/errors.ts";
import type { Ports } from "../../engine/ports.ts";
import { readDocument } from "../../net/guarded-fetch.ts";
import { urlFault } from "../../net/url-fault.ts";
import { NetError } from "../../net/failure.ts";
import { documentOf, keyOfPem, keysOfSet, type VerifyKey } from "./verify-key.ts";

/** The source of the public keys of token signers. */
export type KeySource =
  | { readonly from: "pinned"; readonly pems: readonly string[] }
  | {
      /**
       * `discovery`: the OpenID Connect Discovery document below the URL has the address of the
       * keys.
       */
      readonly from: "jwks" | "discovery";
      readonly url: string;
      /** Trusted CA certificates for the server, DER; empty: those of the platform. */
      readonly roots: readonly Uint8Array[];
      readonly privateNetworks: boolean;
    };

/** Milliseconds for which keys are cached, even if their owner withdraws one. */
const keptFor = 5 * 60_000;
/** Milliseconds between two fetches for unknown key ids. */
const lookAgainAfter = 10_000;
/** Milliseconds for which a failed fetch is not repeated. */
const failureFor = 5000;
/** Maximum concurrent requests to a server, and timeout of a request in ms. */
const [maxConcurrent, askLimit] = [4, 10_000];
/** Maximum bytes of a document: 100 keys of 4096 bits with certificates take 600 kB. */
const maxBytes = 1024 * 1024;
/** Maximum cached sources. */
const maxCached = 200;

interface CachedKeys {
  keys: readonly VerifyKey[];
  /** Time of the last successful key fetch (Unix ms), if any. */
  at: number | undefined;
  /** Time of the last fetch, and its result. */
  tried: number;
  fault: string | undefined;
  /** Start times of pending requests. */
  underWay: readonly number[];
}
const caches = new WeakMap<Ports, Map<string, CachedKeys>>();

function cachedKeysOf(ports: Ports, source: KeySource): CachedKeys {
  const all = caches.get(ports) ?? new Map<string, CachedKeys>();
  caches.set(ports, all);
  const id = JSON.stringify(source, (_, value: unknown) =>
    value instanceof Uint8Array ? [...value] : value,
  );
  const known = all.get(id);
  if (known) return known;
  if (all.size >= maxCached) all.clear();
  const fresh: CachedKeys = {
    keys: [],
    at: undefined,
    tried: -Infinity,
    fault: undefined,
    underWay: [],
  };
  all.set(id, fresh);
  return fresh;
}

const isWithin = (since: number, now: number, span: number): boolean =>
  now >= since && now - since < span;
const unavailable = (): CaError =>
  new CaError("busy", "the keys of this login method cannot be read now; try again", {
    retryAfter: failureFor / 1000,
  });

/**
 * Returns the keys of a source: cached for up to five minutes, or fetched again if none has the id
 * `kid`. Throws CaError `busy` if they cannot be fetched; the reason is not shown to anonymous
 * callers.
 */
export async function keysOf(
  ports: Ports,
  source: KeySource,
  kid: string | undefined,
): Promise<readonly VerifyKey[]> {
  const cached = cachedKeysOf(ports, source);
  if (source.from === "pinned") {
    if (cached.keys.length === 0) cached.keys = source.pems.map(keyOfPem);
    return cached.keys;
  }
  const now = ports.now();
  const isCurrent = cached.at !== undefined && isWithin(cached.at, now, keptFor);
  const isKnown = kid === undefined || cached.keys.some((key) => key.kid === kid);
  if (isCurrent && (isKnown || isWithin(cached.tried, now, lookAgainAfter))) return cached.keys;
  if (!isCurrent && cached.fault !== undefined && isWithin(cached.tried, now, failureFor))
    throw unavailable();
  cached.underWay = cached.underWay.filter((begun) => isWithin(begun, now, askLimit));
  if (cached.underWay.length >= maxConcurrent) {
    if (isCurrent) return cached.keys;
    throw unavailable();
  }
  return await askAgain(ports, source, { held: cached, now, isCurrent });
}

async function askAgain(
  ports: Ports,
  source: Exclude<KeySource, { readonly from: "pinned" }>,
  {
    held,
    now,
    isCurrent,
  }: { readonly held: CachedKeys; readonly now: number; readonly isCurrent: boolean },
): Promise<readonly VerifyKey[]> {
  held.tried = now;
  held.underWay = [...held.underWay, now];
  try {
    const keys = await askKeys(ports, source);
    // an older fetch does not replace a newer one, unless the clock was ahead then
    if (held.at === undefined || held.at <= now || held.at > ports.now()) {
      held.keys = keys;
      held.at = now;
      held.fault = undefined;
    }
    return keys;
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    held.fault = error.message;
    if (isCurrent) return held.keys;
    throw unavailable();
  } finally {
    const at = held.underWay.indexOf(now);
    held.underWay = held.underWay.filter((_, i) => i !== at);
  }
}

/** Fetches the keys. Rejects with `NetError` with the reason. */
export async function askKeys(
  ports: Ports,
  source: Exclude<KeySource, { readonly from: "pinned" }>,
): Promise<readonly VerifyKey[]> {
  const { from, url, roots, privateNetworks } = source;
  const read = (at: string) =>
    readDocument(ports, { url: at, roots, privateNetworks, maxBytes, limit: askLimit });
  if (from === "jwks") return keysOfSet(await read(url));
  const below = url.replace(/\/$/, "");
  const { issuer, jwks_uri: at } = documentOf(
    await read(`${below}/.well-known/openid-configuration`),
  );
  if (issuer !== url)
    throw new NetError(
      "response",
      "the issuer in the document differs from the URL it was fetched from",
    );
  const fault = typeof at === "string" ? urlFault(at) : "is missing";
  if (typeof at !== "string" || fault !== undefined)
    throw new NetError("response", `jwks_uri of the document ${fault}`);
  return keysOfSet(await read(at));
}
