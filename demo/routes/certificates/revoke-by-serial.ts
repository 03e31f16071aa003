import { call } from "../../api/call.ts";
import { revokeFound } from "../../api/endpoints/pki.ts";
import { ApiError, unknownCall, type Reply } from "../../api/transport.ts";
import { partsOf, type BulkAnswer } from "./bulk-calls.ts";
import { revoke } from "../../api/certificates.ts";
import type { Reason } from "../../lib/revocation-reasons.ts";
import { colons } from "../../lib/hex-text.ts";

/**
 * Reports whether an error means that the server is too old to revoke several serial numbers in one
 * call.
 */
const oneByOne = (error: unknown): boolean =>
  unknownCall(error) ||
  (error instanceof ApiError && error.message.startsWith("unknown field serial_numbers"));

/** The response for a batch of certificates. */
interface BatchReply extends Reply<BulkAnswer> {
  /** Number of certificates in the batch. */
  readonly count: number;
}

const none = { keys: [], already_revoked: 0, expired: 0, issuers: 0, cursor: "" };

/**
 * Revokes certificates by serial number in batches. The server builds the CRLs once for each batch.
 */
export async function* revokingNamed(
  serials: readonly string[],
  reason: Reason,
): AsyncGenerator<BatchReply, void, void> {
  for (const part of partsOf(serials)) {
    try {
      const reply = await call(revokeFound, {
        serial_numbers: part.map(colons),
        reason: reason || undefined,
      });
      yield { ...reply, count: part.length };
      continue;
    } catch (error) {
      if (!oneByOne(error)) throw error;
    }
    for (const serial of part) {
      const { warnings } = await revoke(serial, reason);
      yield { data: { revoked: 1, ...none }, warnings, count: 1 };
    }
  }
}
