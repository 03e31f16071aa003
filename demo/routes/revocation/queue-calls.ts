import { listing } from "../../api/call.ts";
import { listRevocationQueue } from "../../api/endpoints/pki.ts";
import { unknownCall } from "../../api/transport.ts";

/** A requested revocation of a certificate that the mount did not store at the time. */
interface QueuedRevocation {
  /** As the API writes it. */
  readonly serial: string;
  /** The certificate was stored later, and revoked. */
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
