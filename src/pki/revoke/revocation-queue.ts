import { crlConfig } from "../rows/settings.ts";
import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Decision } from "../../engine/store-context.ts";
import { rowPrefixes, keys, type RevocationRequestRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { revocationOutput, type RevocationChange } from "./revocation.ts";
import type { MissingCertificate, RevocationSubject } from "./revoke-subject.ts";

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
      expect: [
        [key, null],
        [keys.cert(serial), null],
      ],
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
