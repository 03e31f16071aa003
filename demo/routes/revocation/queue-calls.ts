import { listing } from "../../api/call.ts";
import { listRevocationQueue } from "../../api/endpoints/pki.ts";
import { unknownCall } from "../../api/transport.ts";

/** A queued request to revoke a certificate that was not stored at the time. */
interface QueuedRevocation {
  /** In the notation of the API. */
  readonly serial: string;
  /** True if the certificate was stored later, and revoked. */
  readonly done: boolean;
}

/** Lists the queued revocations; none on a server without a queue. */
export async function revocationQueue(): Promise<readonly QueuedRevocation[]> {
  try {
    const { keys, info } = await listing(listRevocationQueue);
    return keys.map((serial) => ({ serial, done: info[serial]?.confirmed === true }));
  } catch (error) {
    if (unknownCall(error)) return [];
    throw error;
  }
}
