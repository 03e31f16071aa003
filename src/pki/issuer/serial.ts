import { issuersById, sealedSerialKey, keys } from "../rows/records.ts";
import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { hmacSha256 } from "../../base/hashes.ts";
import { generateSerial, verifySerial, serialText } from "../../base/ids.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Expect } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { certificateOf } from "./issuer.ts";
import { serialKeyBinding } from "./serial-binding.ts";

/** Returns the MAC for a mount's serial numbers (D 4), opened once per sealed key. */
const macOf = memoize(async (sealed: Uint8Array, ca: Mount, mount: string) =>
  hmacSha256(await ca.ports.vault.unseal(sealed, serialKeyBinding(mount))),
);

/**
 * Returns the MAC of a mount, which generates its serial numbers. Other uses prefix their input
 * with a name.
 */
export function mountMac(ca: Mount, config: Snapshot): Promise<(data: Uint8Array) => Uint8Array> {
  const sealed = config.get(sealedSerialKey);
  if (!sealed) throw new TypeError("the mount has no key for its serial numbers");
  return macOf(sealed, ca, config.mount.uuid);
}

/** Generates a serial number. */
export const newSerial = async (ca: Mount, config: Snapshot): Promise<Uint8Array> =>
  generateSerial(ca.ports.random, await mountMac(ca, config));

/** Reports whether the mount generated a serial number, for any of its issuers. */
export async function isGeneratedHere(
  ca: Mount,
  config: Snapshot,
  serial: Uint8Array,
): Promise<boolean> {
  const sealed = config.get(sealedSerialKey);
  return sealed !== undefined && verifySerial(serial, await macOf(sealed, ca, config.mount.uuid));
}

/**
 * Returns the keys of a certificate's row and revocation, which must not exist for a new serial
 * number.
 */
const rowsOf = (serial: Uint8Array): readonly string[] => [
  keys.cert(serial),
  keys.revoked(serial),
  keys.revocationRequest(serial),
];
/**
 * Returns the preconditions of a batch that stores a certificate under an external serial number.
 */
export const expectUnused = (serial: Uint8Array): readonly Expect[] =>
  rowsOf(serial).map((key): Expect => [key, null]);

/** Strips the leading octet that makes a serial number positive. */
export const withoutSign = (serial: Uint8Array): Uint8Array =>
  serial[0] === 0 && serial.length > 1 ? serial.subarray(1) : serial;

/**
 * Rejects (`constraint`) an external serial number that the mount has already used: for a stored or
 * revoked certificate, for an issuer, or for any certificate that it generated, stored or not (RFC
 * 5280 section 4.1.2.2). `serial`: without a sign octet.
 */
export async function requireUnusedSerial(
  ca: Mount,
  config: Snapshot,
  serial: Uint8Array,
): Promise<void> {
  const rows = await ca.store.get([...rowsOf(serial)]);
  const isUsed =
    rows.some((row) => row !== undefined) ||
    [...config.get(issuersById).values()].some((issuer) =>
      equalBytes(withoutSign(certificateOf(issuer).serial), serial),
    ) ||
    (await isGeneratedHere(ca, config, serial));
  if (isUsed)
    throw new CaError("constraint", `the serial number ${serialText(serial)} was already used`);
}
