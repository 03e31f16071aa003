import { list, mount, unknownCall } from "../../api/transport.ts";

/** A revocation of a certificate that the mount does not hold, or did not when it was asked for. */
export interface Waiting {
  /** As the API writes it. */
  readonly serial: string;
  /** Whether the certificate has come meanwhile and was revoked. */
  readonly done: boolean;
}

/** The revocations that wait, and those that were done; none where there is no queue. */
export async function revocationQueue(): Promise<readonly Waiting[]> {
  try {
    const { keys, info } = await list<{ confirmed?: boolean }>(mount("certs/revocation-queue"));
    return keys.map((serial) => ({ serial, done: info[serial]?.confirmed === true }));
  } catch (error) {
    if (unknownCall(error)) return [];
    throw error;
  }
}
