import type { Mount } from "../../engine/mount.ts";
import { freeNumber } from "../protocol/free-number.ts";
import { AcmeProblem } from "../protocol/problem.ts";
import { acmeIndexes, acmeKeys } from "../rows/records.ts";

/** Length of the window in which failed attestations are counted, in seconds. */
const hour = 3600;
/** Maximum number of attestations of an account in an hour that fail or are being verified. */
export const maxAttestations = 100;

/**
 * The row that counts an attestation. It is stored before verification, and deleted if the
 * attestation is valid.
 */
interface AttestationSlot {
  readonly key: string;
  /** End of the hour, Unix seconds. */
  readonly end: number;
}
/**
 * Returns the row that counts another attestation of an account. The batch that stores the row
 * expects that it is absent, so that concurrent attestations never exceed the limit. Throws
 * `rate_limited` if the limit is reached.
 */
export async function attestationSlot(
  mount: Pick<Mount, "store" | "ports">,
  account: string,
): Promise<AttestationSlot> {
  const now = Math.floor(mount.ports.now() / 1000);
  const hours = Math.floor(now / hour);
  const end = (hours + 1) * hour;
  const below = acmeKeys.attestations(account, hours);
  const rows = await mount.store.list(below, { values: false, limit: maxAttestations });
  if (rows.length >= maxAttestations)
    throw new AcmeProblem(
      "rate_limited",
      `too many failed attestations: at most ${maxAttestations} per account and hour; try again in ${end - now} seconds`,
      { headers: { "retry-after": String(end - now) } },
    );
  const keys = rows.map(([key]) => key);
  return { key: below + freeNumber(mount, below, { keys, max: maxAttestations }), end };
}

/** Returns the precondition and the change that store the row of an attestation. */
export const slotChange = ({ key, end }: AttestationSlot) => ({
  expect: [[key, null]] as const,
  put: [[key, {}, { [acmeIndexes.end]: end }]] as const,
});
