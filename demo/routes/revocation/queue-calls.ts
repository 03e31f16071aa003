import { listing } from "../../api/call.ts";
import { listRevocationQueue } from "../../api/endpoints/pki.ts";
import { unknownCall } from "../../api/transport.ts";

/** A queued request to revoke a certificate that was not stored at the time of the request. */
interface QueuedRevocation {
  /** Serial number in the notation of the API. */
  readonly serial: string;
  /** Whether the certificate has since been stored and revoked. */
  readonly done: boolean;
}

/** Returns the queued revocations, or none if the server has no queue. */
export async function revocationQueue(): Promise<readonly QueuedRevocation[]> {
  try {
    const { keys, info } = await listing(listRevocationQueue);
    return keys.map((serial) => ({ serial, done: info[serial]?.confirmed === true }));
  } catch (error) {
    if (unknownCall(error)) return [];
    throw error;
  }
}
