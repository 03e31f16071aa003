import { life, type Life } from "../lib/lifetime.ts";
import { readCertificate, type CertificateView } from "../lib/x509/decode.ts";
import { certificate } from "./certificates.ts";

/** A stored certificate that was read and parsed. */
export interface Row {
  readonly serial: string;
  readonly view: CertificateView;
  readonly revoked: Date | undefined;
  readonly state: Life;
}

/** Maximum number of certificates to read concurrently. */
const maxConcurrent = 20;

/**
 * Calls `read` for each serial number, several at a time. Returns the results in the order of
 * `serials`.
 */
async function inBatches<T>(
  serials: readonly string[],
  read: (serial: string) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  for (let from = 0; from < serials.length; from += maxConcurrent)
    results.push(...(await Promise.all(serials.slice(from, from + maxConcurrent).map(read))));
  return results;
}

/** Reads certificates by serial number, and returns them in the given order. */
export const rows = (serials: readonly string[], now: Date): Promise<readonly Row[]> =>
  inBatches(serials, (serial) => row(serial, now));

/** Reads certificates by serial number. Omits those that cannot be read. */
export const readableRows = async (
  serials: readonly string[],
  now: Date,
): Promise<readonly Row[]> =>
  (await inBatches(serials, (serial) => row(serial, now).catch(() => []))).flat();

/** Reads a certificate. */
export async function row(serial: string, now: Date): Promise<Row> {
  const stored = await certificate(serial);
  const view = await readCertificate(stored.certificate);
  return {
    serial: view.serial,
    view,
    revoked: stored.revocation_time ? new Date(stored.revocation_time * 1000) : undefined,
    state: life(view, stored.revocation_time > 0, now),
  };
}
