import { crlConfig } from "../rows/settings.ts";
import { toBase64, toHex } from "../../base/bytes.ts";
import { parseDuration } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { sha1 } from "../../base/hashes.ts";
import { freshFor, kindOf } from "../../engine/store-context.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowPrefixes } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { parseOcspRequest, type OcspRequest } from "../../x509/ocsp-request.ts";
import { defaultMembers, membersOf, responderOf, type Members } from "./ocsp-issuer.ts";
import { signOcsp, type Responder } from "./ocsp-sign.ts";
import { statusesOf, type CertificateStatuses } from "./ocsp-status.ts";
import { confirmedAt, revokedOf } from "./revoked-set.ts";

/** A signed OCSP response. */
export interface OcspAnswer {
  /** DER-encoded OCSPResponse. */
  readonly der: Uint8Array;
  /** Time at which the response was signed, Unix seconds. */
  readonly producedAt: number;
  /** The status of each requested certificate: `good`, `revoked` or `unknown`. */
  readonly statuses: readonly string[];
  /** Returns the ETag of the response. */
  etag(): string;
  /**
   * Returns the time at which the oldest input of the response was read or confirmed (Unix ms). The
   * response may be reused until that time is a second ago (D 4). If `since` is absent, the
   * response must not be reused.
   */
  since?(): number;
  /**
   * Returns false once this process has changed an input of the response, or once the response is
   * too old.
   */
  isCurrent(): boolean;
}
/**
 * A cached response. `version` is the version of the revoked set, if the statuses depend on the set
 * alone.
 */
type CachedAnswer = OcspAnswer &
  Required<Pick<OcspAnswer, "since">> & { readonly version: number | undefined };

/**
 * Cached responses by request. A revocation drops them immediately in the process that commits it,
 * and within a second elsewhere.
 */
const cachedAnswers = kindOf<Map<string, CachedAnswer>>(1, [
  rowPrefixes.revoked,
  rowPrefixes.listed,
]);
const newMap = (): Map<string, CachedAnswer> => new Map();
/**
 * Maximum number of cached responses, and maximum length of a request whose response is cached.
 * That length is sufficient for a single certificate. Both are limited because clients choose the
 * requests.
 */
const [maxAnswers, maxRequestLength] = [5000, 256];
/** Maximum time (ms) for which a response is reused if nothing changes. */
const maxCacheAge = 5000;

/**
 * Returns the response to an OCSP request for certificates of the mount. Throws `malformed` for an
 * invalid request, and `unauthorized` if OCSP is disabled or no issuer may respond.
 */
export async function answerOcsp(
  mount: Mount,
  request: Uint8Array,
  unified: boolean,
): Promise<OcspAnswer> {
  const config = await mount.config();
  if (config.get(crlConfig).ocsp_disable || (unified && !config.get(crlConfig).unified_crl))
    throw new CaError("unauthorized", "OCSP is disabled");
  const answers = mount.storeContext.cache.lasting(cachedAnswers, newMap);
  const key = request.length > maxRequestLength ? undefined : toBase64(request);
  const cached = key === undefined ? undefined : answers.get(key);
  const now = mount.ports.now();
  if (cached && (await isUsable(mount, cached, now))) return cached;
  const parsed = parseOcspRequest(request);
  const { checked } = mount;
  const { lasts, version, read, ...signed } = await signedFor(mount, config, parsed);
  const ends = now + Math.min(maxCacheAge, lasts * 500);
  const isCurrent = () =>
    mount.cachedConfig === config &&
    mount.storeContext.cache.lasting(cachedAnswers, newMap) === answers &&
    isBetween(now, mount.ports.now(), ends);
  if (parsed.nonce || key === undefined) return { ...signed, isCurrent };
  const since = () =>
    version === undefined
      ? Math.min(checked, read)
      : Math.min(mount.checked, confirmedAt(mount, version) ?? -Infinity);
  const answer = { ...signed, version, since, isCurrent };
  if (answers.size >= maxAnswers) answers.clear();
  answers.set(key, answer);
  return answer;
}
/**
 * Reports whether `now` is in a range of times. This is false if the clock was set back, because
 * ages are then unknown.
 */
const isBetween = (from: number, now: number, end: number): boolean => now >= from && now < end;

/**
 * Reports whether a cached response may be reused. If it depends on the revoked set, checks the set
 * for changes.
 */
async function isUsable(mount: Mount, cached: CachedAnswer, now: number): Promise<boolean> {
  if (!cached.isCurrent()) return false;
  const isFresh = () => isBetween(cached.since(), now, cached.since() + freshFor);
  if (isFresh() || cached.version === undefined) return isFresh();
  return (await revokedOf(mount))?.version === cached.version && isFresh();
}

interface Signed
  extends
    Pick<OcspAnswer, "der" | "producedAt" | "statuses" | "etag">,
    Pick<CertificateStatuses, "version" | "read"> {
  /** Validity of the response in seconds. */
  readonly lasts: number;
}
async function signedFor(mount: Mount, config: Snapshot, request: OcspRequest): Promise<Signed> {
  const { certIds, nonce } = request;
  const members: (Members | undefined)[] = [];
  // one by one, because the first lookup hashes all issuers, and the others reuse the result
  for (const certId of certIds) members.push(await membersOf(config, certId));
  const responder = await answering(mount, config, members);
  const { statuses, ...freshness } = await statusesOf(
    mount,
    config,
    certIds.map(({ serial }, i) => ({ serial, members: members[i] })),
  );
  const producedAt = Math.floor(mount.ports.now() / 1000);
  const expiry = Math.floor(parseDuration(config.get(crlConfig).ocsp_expiry) ?? 0);
  const der = await signOcsp(responder, {
    producedAt,
    nextUpdate: expiry > 0 ? producedAt + expiry : undefined,
    responses: certIds.map((certId, i) => ({
      certId: certId.der,
      status: statuses[i] ?? "unknown",
    })),
    nonce,
  });
  const etag = () => toHex(sha1(der));
  const names = statuses.map((status) => (typeof status === "string" ? status : "revoked"));
  const lasts = Math.min(expiry || Infinity, (responder.ends ?? Infinity) - producedAt);
  return { der, producedAt, statuses: names, etag, lasts, ...freshness };
}

/**
 * Returns the signer of a response: that of the first known issuer in the request, or else that of
 * the default issuer. Throws `unauthorized` if any of the known issuers cannot sign OCSP responses.
 */
async function answering(
  mount: Mount,
  config: Snapshot,
  queried: readonly (Members | undefined)[],
): Promise<Responder> {
  const distinct = [...new Set(queried.filter((members) => members !== undefined))];
  let first: Responder | undefined;
  for (const members of distinct.length > 0 ? distinct : [defaultMembers(config)]) {
    const responder = await responderOf(mount, config, members);
    if (!responder)
      throw new CaError("unauthorized", "the issuer has no key, or lacks the usage ocsp-signing");
    first ??= responder;
  }
  if (!first) throw new CaError("unauthorized", "no issuer can sign OCSP responses");
  return first;
}
