import { listing } from "../../api/call.ts";
import { listRevocationQueue } from "../../api/endpoints/pki.ts";
import { unknownCall } from "../../api/transport.ts";

/** A queued request to revoke a certificate that was not stored at that time. */
interface QueuedRevocation {
  /** Serial number in the notation of the API. */
  readonly serial: string;
  /** Whether the certificate was stored later and has been revoked. */
  readonly done: boolean;
}

/** Returns the queued revocations. Returns none on a server without a queue. */
export async function revocationQueue(): Promise<readonly QueuedRevocation[]> {
  try {
    const { keys, info } = await listing(listRevocationQueue);
    return keys.map((serial) => ({ serial, done: info[serial]?.confirmed === true }));
  } catch (error) {
    if (unknownCall(error)) return [];
    throw error;
  }
}
