import { issuersById, sealedSerialKey, keys, rowPrefixes } from "../rows/records.ts";
import { equalBytes, fromHex, toHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { hmacSha256 } from "../../base/hmac.ts";
import { generateSerial, serialKey, verifySerial, serialText } from "../../base/ids.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import { digitIn, rowsBeside } from "../../engine/placement.ts";
import type { Expect } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { certificateOf } from "./issuer.ts";
import { serialKeyBinding } from "./serial-binding.ts";

/** Returns the MAC function for a mount's serial numbers (D 4). Its key is unsealed once. */
const macOf = memoize(async (sealed: Uint8Array, mount: Mount) =>
  hmacSha256(await mount.ports.vault.unseal(sealed, serialKeyBinding(mount.name))),
);

/**
 * Returns the MAC function with which a mount generates serial numbers. Callers that use it for
 * other purposes must prefix the input with a name.
 */
export function mountMac(
  mount: Mount,
  config: Snapshot,
): Promise<(data: Uint8Array) => Uint8Array> {
  const sealed = config.get(sealedSerialKey);
  if (!sealed) throw new TypeError("the mount has no key for its serial numbers");
  return macOf(sealed, mount);
}

/**
 * Generates a serial number. In a partitioned mount, a digit of the number determines the partition
 * that stores the certificate. `partition` selects it: the home partition, any partition, or the
 * partition of the row with the key `beside`, so that one batch can contain both.
 */
export async function newSerial(
  mount: Mount,
  config: Snapshot,
  partition: "home" | "any" | { readonly beside: string } = "home",
): Promise<Uint8Array> {
  const { random } = mount.ports;
  const { placement } = mount.store;
  const place = typeof partition === "string" ? 0 : (placement?.placeOf(partition.beside) ?? 0);
  const mac = await mountMac(mount, config);
  for (;;) {
    const serial = await generateSerial(random, mac);
    if (!placement) return serial;
    const start = serialKey(serial).slice(0, -1);
    const digit =
      partition === "any"
        ? toHex(random(1)).slice(-1)
        : digitIn(placement, place, (last) => rowPrefixes.certs + start + last);
    if (digit !== undefined) return fromHex(start + digit);
  }
}

/** Reports whether the mount itself generated a serial number, for any of its issuers. */
export async function isGeneratedHere(
  mount: Mount,
  config: Snapshot,
  serial: Uint8Array,
): Promise<boolean> {
  const sealed = config.get(sealedSerialKey);
  return sealed !== undefined && verifySerial(serial, await macOf(sealed, mount));
}

/** Returns the keys of all rows that must not exist if a serial number is unused. */
const rowsOf = (serial: Uint8Array): readonly string[] => [
  keys.cert(serial),
  keys.revoked(serial),
  keys.revocationRequest(serial),
];
/**
 * Returns the preconditions of a batch that stores a certificate with a serial number that an
 * external policy chose. In a partitioned mount, returns only the preconditions in the
 * certificate's partition: `requireUnusedSerial` has checked the other rows, and nobody can revoke
 * a certificate that is not stored yet.
 */
export const expectUnused = (
  { store }: Pick<Mount, "store">,
  serial: Uint8Array,
): readonly Expect[] =>
  rowsBeside(
    store,
    keys.cert(serial),
    rowsOf(serial).map((key): Expect => [key, null]),
  );

/** Removes the leading zero octet of a serial number, which only makes the number positive. */
export const withoutSign = (serial: Uint8Array): Uint8Array =>
  serial[0] === 0 && serial.length > 1 ? serial.subarray(1) : serial;

/**
 * Throws `constraint` if the mount has already used a serial number that an external policy chose
 * (RFC 5280 section 4.1.2.2). `serial` must not have a leading zero octet. A serial number counts
 * as used:
 *
 * - for a stored or revoked certificate,
 * - for an issuer,
 * - if the mount generated it itself, even if the certificate was not stored.
 */
export async function requireUnusedSerial(
  mount: Mount,
  config: Snapshot,
  serial: Uint8Array,
): Promise<void> {
  const rows = await mount.store.get([...rowsOf(serial)]);
  const isUsed =
    rows.some((row) => row !== undefined) ||
    [...config.get(issuersById).values()].some((issuer) =>
      equalBytes(withoutSign(certificateOf(issuer).serial), serial),
    ) ||
    (await isGeneratedHere(mount, config, serial));
  if (isUsed)
    throw new CaError(
      "constraint",
      `the serial number ${serialText(serial)} has already been used`,
    );
}
