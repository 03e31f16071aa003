import { crlConfig } from "../rows/settings.ts";
import { rfc3339nano } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, Expect, Index } from "../../engine/ports.ts";
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
import { crlId } from "../crl/crl-set.ts";
import { encodeEntry } from "../crl/crl-revocations.ts";
import type { MissingCertificate, RevocationSubject } from "./revoke-subject.ts";

/**
 * Names of the accepted reasons: certificates are revoked permanently, never put on hold or
 * released.
 */
export const reasonNames: readonly string[] = Object.keys(revocationReasons).filter(
  (reason) => reason !== "removeFromCRL" && reason !== "certificateHold",
);

/**
 * Parses a reason name in any case; undefined if absent or `unspecified`. Throws `malformed` for
 * unknown reasons, and for those that do not revoke permanently.
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
 * Reports whether a certificate has expired and may no longer be revoked (B 1.1 rule 2). `notAfter`
 * in Unix seconds, `now` in Unix milliseconds.
 */
export const isTooOldToRevoke = (config: Snapshot, notAfter: number, now: number): boolean =>
  !config.get(crlConfig).allow_expired_cert_revocation && notAfter < Math.floor(now / 1000) + 2;
/** Returns the row of a revocation; `at` in Unix milliseconds. */
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

/** Returns the row of a presented certificate. */
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
 * Returns the precondition that a certificate is unchanged. None if it is in another partition than
 * its revocation: there only tidy removes it, after it has expired.
 */
export const expectCertificate = (
  { store: { placement } }: Pick<Mount, "store">,
  key: string,
  rev: number | null,
): readonly Expect[] => ((placement?.placeOf(key) ?? 0) === 0 ? [[key, rev]] : []);

/** A batch that can be merged with others. */
export type RevocationChange = Required<Pick<Batch, "expect" | "put" | "append">>;
/**
 * Returns the change that stores a presented certificate that is not stored yet. A certificate in
 * another partition than its revocation is stored at once; to store it again is harmless.
 */
export async function storeChange(
  ca: Mount,
  { certificate, cert, row, isNew, needs = [] }: RevocationSubject,
): Promise<RevocationChange> {
  const key = keys.cert(certificate.serial);
  const rev = row?.rev ?? null;
  const expect = expectCertificate(ca, key, rev);
  const put = isNew ? [presentedRow(certificate, cert)] : [];
  if (expect.length > 0) return { expect, put: [...put, ...(isNew ? needs : [])], append: [] };
  if (isNew) {
    await retainFirst(ca, { put: needs });
    if (!(await ca.storeContext.commit({ expect: [[key, rev]], put })))
      throw new CaError("busy", "another call stores the certificate; try again");
  }
  return { expect, put: [], append: [] };
}
/** Returns the change that revokes a certificate: the row, and the CRL entry. */
export function revokeChange(
  { serial, notAfter }: Pick<Certificate, "serial" | "notAfter">,
  revoked: RevokedRow,
): RevocationChange {
  const { crl_set, shard } = revoked;
  const group = crlId(crl_set, shard);
  const key = keys.revoked(serial);
  return {
    expect: [[key, null]],
    // with the expiry, because the certificate may be deleted before the revocation
    put: [[key, { ...revoked, not_after: notAfter }, revokedIndex(revoked, notAfter)]],
    append: [[keys.crlPages(group), encodeEntry(serial, revoked)]],
  };
}
/** Returns the reply for a revocation. */
export const revocationOutput = ({ at }: RevokedRow) => ({
  revocation_time: Math.floor(at / 1000),
  revocation_time_rfc3339: rfc3339nano(at),
  state: "revoked",
});

/**
 * Name of the index of revocations by expiry of their certificates. No other rows have it, so that
 * a search does not pass all expired certificates.
 */
export const revokedExpiryIndex = "revoked_end";
/**
 * Returns the index values of a revocation. `notAfter`: expiry of its certificate, Unix seconds.
 */
export const revokedIndex = (
  { issuer, crl_set, shard, unlisted }: RevokedRow,
  notAfter: number,
): Index => ({
  [revokedExpiryIndex]: notAfter,
  issuer,
  ...(unlisted ? { [unlistedIndex]: 1 } : {}),
  // finds the revocations of a shard
  ...(shard === undefined ? {} : { shard: crlId(crl_set, shard) }),
});

/**
 * Maximum number of queued requests, because callers that may revoke could otherwise fill the
 * storage with invented serial numbers.
 */
const maxRequests = 1000;

/** A request to revoke a certificate that is not stored. */
interface MissingRevocation extends MissingCertificate {
  readonly reason: number | undefined;
  /** True if the private key alone authorizes it. */
  readonly byKey: boolean;
}
/**
 * Responds for a certificate that is not stored (B 1.1 rule 8): with the time if it was revoked
 * before it was removed, or else with `pending` if the mount queues requests for certificates of
 * other clusters. Otherwise throws `unknown_certificate`, or `too_many_requests` if the queue is
 * full.
 */
export async function revokeMissing(
  ca: Mount,
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
  const [queued] = await ca.store.get([key]);
  if (queued) return { reply: { state: "pending" } };
  const waiting = await ca.store.list(rowPrefixes.revocationRequests, {
    values: false,
    limit: maxRequests,
  });
  if (waiting.length >= maxRequests)
    throw new CaError(
      "too_many_requests",
      `${maxRequests} revocation requests are queued for unknown certificates: tidy_revocation_queue removes old ones`,
    );
  const row: RevocationRequestRow = {
    at: ca.ports.now(),
    ...(reason === undefined ? {} : { reason }),
  };
  return {
    reply: { state: "pending" },
    batch: {
      expect: [[key, null], ...expectCertificate(ca, keys.cert(serial), null)],
      put: [[key, row]],
    },
  };
}

/** Returns the change that confirms a queued request once its certificate is revoked. */
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
