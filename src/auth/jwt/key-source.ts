import { CaError } from "../../base/errors.ts";
import type { Ports } from "../../engine/ports.ts";
import { readDocument } from "../../net/guarded-fetch.ts";
import { urlFault } from "../../net/url-fault.ts";
import { NetError } from "../../net/failure.ts";
import { documentOf, keyOfPem, keysOfSet, type VerifyKey } from "./verify-key.ts";

/** Where the keys of those who sign tokens come from. */
export type KeySource =
  | { readonly from: "pinned"; readonly pems: readonly string[] }
  | {
      /** `discovery`: the document of OpenID Connect Discovery below the URL names the keys. */
      readonly from: "jwks" | "discovery";
      readonly url: string;
      /** Certificates, DER, that the server is trusted by; none: the platform decides. */
      readonly roots: readonly Uint8Array[];
      readonly privateNetworks: boolean;
    };

/** Milliseconds for which keys are used; so long one that its owner has withdrawn still counts. */
const keptFor = 5 * 60_000;
/** Milliseconds between two looks for a key that is not among those held. */
const lookAgainAfter = 10_000;
/** Milliseconds for which keys are used, also one that its owner has withdrawn meanwhile. */
const failureFor = 5000;
/** Requests under way at once to one server, and milliseconds until one counts as ended. */
const [maxConcurrent, askLimit] = [4, 10_000];
/** Bytes of a document: 100 keys of 4096 bits with certificates take 600 kB. */
const maxBytes = 1024 * 1024;
/** Sources that are held. */
const maxCached = 200;

interface Held {
  keys: readonly VerifyKey[];
  /** When the keys were asked for, Unix milliseconds; undefined: never with success. */
  at: number | undefined;
  /** When somebody asked last, and what came of it. */
  tried: number;
  fault: string | undefined;
  /** When requests began that have not ended. */
  underWay: readonly number[];
}
const heldBy = new WeakMap<Ports, Map<string, Held>>();

function heldOf(ports: Ports, source: KeySource): Held {
  const all = heldBy.get(ports) ?? new Map<string, Held>();
  heldBy.set(ports, all);
  const id = JSON.stringify(source, (_, value: unknown) =>
    value instanceof Uint8Array ? [...value] : value,
  );
  const known = all.get(id);
  if (known) return known;
  if (all.size >= maxCached) all.clear();
  const fresh: Held = { keys: [], at: undefined, tried: -Infinity, fault: undefined, underWay: [] };
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
 * The keys of a source: those held, up to five minutes old, or asked anew where none of them is
 * called `kid`. Throws CaError `busy` where they cannot be read now; why is not for strangers.
 */
export async function keysOf(
  ports: Ports,
  source: KeySource,
  kid: string | undefined,
): Promise<readonly VerifyKey[]> {
  const held = heldOf(ports, source);
  if (source.from === "pinned") {
    if (held.keys.length === 0) held.keys = source.pems.map(keyOfPem);
    return held.keys;
  }
  const now = ports.now();
  const isCurrent = held.at !== undefined && isWithin(held.at, now, keptFor);
  const isKnown = kid === undefined || held.keys.some((key) => key.kid === kid);
  if (isCurrent && (isKnown || isWithin(held.tried, now, lookAgainAfter))) return held.keys;
  if (!isCurrent && held.fault !== undefined && isWithin(held.tried, now, failureFor))
    throw unavailable();
  held.underWay = held.underWay.filter((begun) => isWithin(begun, now, askLimit));
  if (held.underWay.length >= maxConcurrent) {
    if (isCurrent) return held.keys;
    throw unavailable();
  }
  return await askAgain(ports, source, { held, now, isCurrent });
}

async function askAgain(
  ports: Ports,
  source: Exclude<KeySource, { readonly from: "pinned" }>,
  {
    held,
    now,
    isCurrent,
  }: { readonly held: Held; readonly now: number; readonly isCurrent: boolean },
): Promise<readonly VerifyKey[]> {
  held.tried = now;
  held.underWay = [...held.underWay, now];
  try {
    const keys = await askKeys(ports, source);
    // what was asked for before does not take the place of what was asked for since, unless the
    // clock was ahead then
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

/** Asks for the keys now. Rejects with `NetError`, which says why there are none. */
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
    throw new NetError("response", "the document names another issuer than the URL it is read by");
  const fault = typeof at === "string" ? urlFault(at) : "is missing";
  if (typeof at !== "string" || fault !== undefined)
    throw new NetError("response", `jwks_uri of the document ${fault}`);
  return keysOfSet(await read(at));
}
