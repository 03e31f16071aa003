import type { Store } from "../../src/engine/ports.ts";
import { certIndex, storedPki } from "../../src/pki/rows/records.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";

/** Returns the shard of a serial number (hexadecimal) that earlier versions assigned. */
export const formerShard = (serial: string, shards: number): string =>
  `${shards}-${Number.parseInt(serial.slice(-6, -1), 16) % shards}`;

/**
 * Changes a stored certificate as if an earlier version had issued it, and returns its shard. The
 * distribution point in the certificate remains.
 */
export async function assignFormerly(
  store: Store,
  serial: string,
  shards: number,
): Promise<string> {
  const key = `cert/${serial}`;
  const [row] = await store.get([key]);
  const shard = formerShard(serial, shards);
  const cert = { ...storedPki.cert(row?.value), shard };
  const { notBefore, notAfter } = parseCertificate(cert.der);
  await store.commit({
    put: [[key, cert, certIndex({ ...cert, notBefore, notAfter, name: "a.test" })]],
  });
  return shard;
}
