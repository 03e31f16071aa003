import type { MountIndex } from "../../base/mount-indexes.ts";
import { crlConfig } from "../rows/settings.ts";
import { rfc3339nano } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowsBeside } from "../../engine/placement.ts";
import type { Batch, Expect } from "../../engine/ports.ts";
import type { Decision } from "../../engine/store-context.ts";
import {
  certIndex,
  keys,
  rowPrefixes,
  type CertRow,
  type RevocationRequestRow,
  type RevokedRow,
  unlistedIndex,
} from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { revocationReasons } from "../../x509/crl.ts";
import { retainFirst } from "../issuer/crl-retention.ts";
import { firstName } from "../request/template.ts";
import { crlIdOf } from "../crl/crl-set.ts";
import { pagesFor, prepareSeries } from "../crl/page-series.ts";
import { encodeEntry } from "../crl/crl-revocations.ts";
import type { MissingCertificate, RevocationSubject } from "./revoke-subject.ts";

/**
 * Names of the accepted revocation reasons. Revocation is permanent, so certificateHold and
 * removeFromCRL are not accepted.
 */
export const reasonNames: readonly string[] = Object.keys(revocationReasons).filter(
  (reason) => reason !== "removeFromCRL" && reason !== "certificateHold",
);

/**
 * Parses the name of a reason, ignoring case. Returns undefined if it is absent or `unspecified`.
 * Throws `malformed` for an unknown reason, and for a reason that does not revoke permanently.
 */
export function readReason(name: string | undefined): number | undefined {
  if (name === undefined || name === "") return undefined;
  const entry = Object.entries(revocationReasons).find(
    ([reason]) => reasonNames.includes(reason) && reason.toLowerCase() === name.toLowerCase(),
  );
  if (!entry)
    throw new CaError(
      "malformed",
      `unknown revocation reason ${name.slice(0, 64)}: use one of ${reasonNames.join(", ")}`,
    );
  return entry[1] === 0 ? undefined : entry[1];
}

/**
 * Reports whether a certificate can no longer be revoked because it has expired (B 1.1 rule 2).
 * `notAfter` is in Unix seconds, `now` in Unix milliseconds.
 */
export const isTooOldToRevoke = (config: Snapshot, notAfter: number, now: number): boolean =>
  !config.get(crlConfig).allow_expired_cert_revocation && notAfter < Math.floor(now / 1000) + 2;
/** Returns the row of a revocation. `at` is in Unix milliseconds. */
export const revokedRow = (
  { issuer, crl_set, shard }: CertRow,
  at: number,
  reason: number | undefined,
): RevokedRow => ({
  at,
  issuer,
  crl_set,
  ...(reason === undefined ? {} : { reason }),
  ...(shard === undefined ? {} : { shard }),
});

/** Returns the batch entry that stores a presented certificate. */
const presentedRow = (certificate: Certificate, cert: CertRow) =>
  [
    keys.cert(certificate.serial),
    cert,
    certIndex({
      ...cert,
      notBefore: certificate.notBefore,
      notAfter: certificate.notAfter,
      name: firstName(certificate),
    }),
  ] as const;

/**
 * Returns the precondition that the row of a certificate is unchanged. Returns none if the
 * certificate is in a different partition from its revocation, as in mounts that were partitioned
 * before revocations were spread. In these mounts, only tidy removes a certificate, after it has
 * expired.
 */
export const expectCertificate = (
  { store }: Pick<Mount, "store">,
  serial: Uint8Array,
  rev: number | null,
): readonly Expect[] => rowsBeside(store, keys.revoked(serial), [[keys.cert(serial), rev]]);

/** A change that can be merged with others into one batch. */
export type RevocationChange = Required<Pick<Batch, "expect" | "put" | "append">>;
/**
 * Returns the change that stores a presented certificate if it is not yet stored. If the
 * certificate belongs in a different partition from its revocation, stores it immediately, which is
 * safe to repeat. Throws `busy` if another request stores it at the same time.
 */
export async function storeChange(
  mount: Mount,
  { certificate, cert, row, isNew, needs = [] }: RevocationSubject,
): Promise<RevocationChange> {
  const { serial } = certificate;
  const rev = row?.rev ?? null;
  const expect = expectCertificate(mount, serial, rev);
  const put = isNew ? [presentedRow(certificate, cert)] : [];
  const retention = isNew ? await retainFirst(mount, { put: needs }) : { put: [] };
  if (expect.length > 0) return { expect, put: [...put, ...retention.put], append: [] };
  const before = [[keys.cert(serial), rev] as const];
  if (isNew && !(await mount.storeContext.commit({ expect: before, put })))
    throw new CaError("busy", "another request is storing the certificate; try again");
  return { expect, put: [], append: [] };
}
/** Returns the change that revokes a certificate: the row of the revocation, and the CRL entry. */
export async function revokeChange(
  mount: Mount,
  config: Snapshot,
  { serial, notAfter }: Pick<Certificate, "serial" | "notAfter">,
  revoked: RevokedRow,
): Promise<RevocationChange> {
  const group = crlIdOf(revoked.crl_set, revoked.shard);
  // both read the placement before anything is awaited, because the number of partitions may change
  // at any later time
  const pages = pagesFor(mount.store, group, serial);
  await prepareSeries(mount, config, group, serial);
  const key = keys.revoked(serial);
  return {
    expect: [[key, null]],
    // the row includes the expiry, because the certificate may be deleted before the revocation
    put: [[key, { ...revoked, not_after: notAfter }, revokedIndex(revoked, notAfter)]],
    append: [[pages, encodeEntry(serial, revoked)]],
  };
}
/** Returns the response for a revocation. */
export const revocationOutput = ({ at }: RevokedRow) => ({
  revocation_time: Math.floor(at / 1000),
  revocation_time_rfc3339: rfc3339nano(at),
  state: "revoked",
});

/**
 * Name of the index that orders revocations by certificate expiry. No other rows are in this index,
 * so that a search need not skip all expired certificates.
 */
export const revokedExpiryIndex = "revoked_end";
/**
 * Returns the index values of a revocation. `notAfter` is the expiry of the certificate, in Unix
 * seconds.
 */
export const revokedIndex = (
  { issuer, crl_set, shard, unlisted }: RevokedRow,
  notAfter: number,
): MountIndex => ({
  [revokedExpiryIndex]: notAfter,
  issuer,
  ...(unlisted ? { [unlistedIndex]: 1 } : {}),
  // used to find the revocations of a shard
  ...(shard === undefined ? {} : { shard: crlIdOf(crl_set, shard) }),
});

/**
 * Maximum number of queued revocation requests. Without a limit, callers with permission to revoke
 * could fill the storage with invented serial numbers.
 */
const maxRequests = 1000;

/** A request to revoke a certificate that is not stored here. */
interface MissingRevocation extends MissingCertificate {
  readonly reason: number | undefined;
  /** Whether the request is authorized by possession of the private key. */
  readonly byKey: boolean;
}
/**
 * Handles a request to revoke a certificate that is not stored (B 1.1 rule 8). If the certificate
 * was revoked before it was removed, returns the time of revocation. Otherwise, if the mount queues
 * requests for certificates of other clusters, queues the request and returns `pending`; throws
 * `too_many_requests` if the queue is full. In all other cases, and always with `byKey`, throws
 * `unknown_certificate`.
 */
export async function revokeMissing(
  mount: Mount,
  config: Snapshot,
  { serial, revoked, reason, byKey }: MissingRevocation,
  caller: Caller,
): Promise<Decision<{ readonly state: string }>> {
  if (revoked && !byKey) return { reply: revocationOutput(revoked) };
  const unknown = `certificate with serial ${serialText(serial)} not found`;
  if (!config.get(crlConfig).cross_cluster_revocation)
    throw new CaError("unknown_certificate", `${unknown}.`);
  if (byKey)
    throw new CaError(
      "unknown_certificate",
      `${unknown}, and cross-cluster revocation not supported with key revocation.`,
    );
  caller.reply.warn(`${unknown}; the revocation is queued until the certificate is stored here.`);
  const key = keys.revocationRequest(serial);
  const [queued] = await mount.store.get([key]);
  if (queued) return { reply: { state: "pending" } };
  const waiting = await mount.store.list(rowPrefixes.revocationRequests, {
    values: false,
    limit: maxRequests,
  });
  if (waiting.length >= maxRequests)
    throw new CaError(
      "too_many_requests",
      `the queue of revocation requests for unknown certificates is full (${maxRequests}): run tidy with tidy_revocation_queue to remove old requests`,
    );
  const row: RevocationRequestRow = {
    at: mount.ports.now(),
    ...(reason === undefined ? {} : { reason }),
  };
  return {
    reply: { state: "pending" },
    batch: {
      expect: [[key, null], ...expectCertificate(mount, serial, null)],
      put: [[key, row]],
    },
  };
}

/**
 * Returns the change that confirms the queued request for a certificate that is being revoked, if
 * there is one.
 */
export function confirmRequest(
  { certificate, request }: RevocationSubject,
  at: number,
): RevocationChange {
  const key = keys.revocationRequest(certificate.serial);
  return request === undefined || request.value.confirmed !== undefined
    ? { expect: [], put: [], append: [] }
    : {
        expect: [[key, request.rev]],
        put: [[key, { ...request.value, confirmed: at }]],
        append: [],
      };
}
