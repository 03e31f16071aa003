import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Decision } from "../../engine/unit.ts";
import { below, keys, type RevocationRequestRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { revocationOutput, type RevocationChange } from "./revocation.ts";
import type { MissingCertificate, RevocationSubject } from "./revoke-subject.ts";

/** Most requests that wait: whoever may revoke could fill the storage with made-up numbers. */
const maxRequests = 1000;

/** What a request to revoke a certificate that is not here asks. */
interface MissingRevocation extends MissingCertificate {
  readonly reason: number | undefined;
  /** Whether it is asked by the private key alone. */
  readonly byKey: boolean;
}
/**
 * What is answered where a certificate is not here (B 1.1 rule 8): the time, where it was revoked
 * before it was removed; else `pending` where requests are queued for certificates of another
 * cluster. Throws `unknown_certificate` elsewhere, and `too_many_requests` while the queue is full.
 */
export async function revokeMissing(
  ca: Mount,
  { crl }: Snapshot,
  { serial, revoked, reason, byKey }: MissingRevocation,
  caller: Caller,
): Promise<Decision<{ readonly state: string }>> {
  if (revoked && !byKey) return { reply: revocationOutput(revoked) };
  const unknown = `certificate with serial ${serialText(serial)} not found`;
  if (!crl.cross_cluster_revocation) throw new CaError("unknown_certificate", `${unknown}.`);
  if (byKey)
    throw new CaError(
      "unknown_certificate",
      `${unknown}, and cross-cluster revocation not supported with key revocation.`,
    );
  caller.warn(
    `${unknown}; it is revoked as soon as it is here, and waits in the queue until then.`,
  );
  const key = keys.revocationRequest(serial);
  const [held] = await ca.store.get([key]);
  if (held) return { reply: { state: "pending" } };
  const waiting = await ca.store.list(below.revocationRequests, {
    values: false,
    limit: maxRequests,
  });
  if (waiting.length >= maxRequests)
    throw new CaError(
      "too_many_requests",
      `${maxRequests} revocation requests wait for certificates that are not here: tidy_revocation_queue removes old ones`,
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

/** The change that confirms a request which waited for a certificate that is revoked now. */
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
