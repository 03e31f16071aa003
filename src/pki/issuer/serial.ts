import { issuersById, sealedSerialKey, keys, rowPrefixes } from "../rows/records.ts";
import { equalBytes, fromHex, toHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { hmacSha256 } from "../../base/hmac.ts";
import { generateSerial, serialKey, verifySerial, serialText } from "../../base/ids.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import { digitIn } from "../../engine/placement.ts";
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

/**
 * Generates a serial number. In a partitioned mount its reserved digit puts the certificate into
 * the mount's own store, for a batch with other rows of that store, or into any partition.
 */
export async function newSerial(
  ca: Mount,
  config: Snapshot,
  partition: "home" | "any" = "home",
): Promise<Uint8Array> {
  const { random } = ca.ports;
  const { placement } = ca.store;
  const mac = await mountMac(ca, config);
  for (;;) {
    const serial = await generateSerial(random, mac);
    if (!placement) return serial;
    const start = serialKey(serial).slice(0, -1);
    const digit =
      partition === "any"
        ? toHex(random(1)).slice(-1)
        : digitIn(placement, 0, (last) => rowPrefixes.certs + start + last);
    if (digit !== undefined) return fromHex(start + digit);
  }
}

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
 * In a partitioned mount those of the certificate's partition: the others were checked before, and
 * nothing else revokes a certificate that is not stored yet.
 */
export function expectUnused(
  { store: { placement } }: Pick<Mount, "store">,
  serial: Uint8Array,
): readonly Expect[] {
  const partition = placement?.placeOf(keys.cert(serial));
  return rowsOf(serial)
    .filter((key) => placement?.placeOf(key) === partition)
    .map((key): Expect => [key, null]);
}

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
