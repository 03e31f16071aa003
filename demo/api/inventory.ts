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

const maxConcurrent = 20;

/** Reads certificates by serial number, several at a time, and returns them in the given order. */
export async function rows(serials: readonly string[], now: Date): Promise<readonly Row[]> {
  const read: Row[] = [];
  for (let from = 0; from < serials.length; from += maxConcurrent)
    read.push(
      ...(await Promise.all(
        serials.slice(from, from + maxConcurrent).map((serial) => row(serial, now)),
      )),
    );
  return read;
}

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
