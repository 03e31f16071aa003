import { generateSerial, verifySerial } from "../../base/ids.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { hmacSha256 } from "../../base/hmac.ts";
import { serialKeyBinding } from "./serial-binding.ts";

/** The keyed hash of a mount's serial numbers (D 4), opened once for each sealed key. */
const macOf = memoize(async (sealed: Uint8Array, ca: Mount, mount: string) =>
  hmacSha256(await ca.ports.vault.unseal(sealed, serialKeyBinding(mount))),
);

/** The keyed hash of a mount that its serial numbers are drawn with; other uses name themselves. */
export function mountMac(
  ca: Mount,
  { serialKey, mount }: Snapshot,
): Promise<(data: Uint8Array) => Uint8Array> {
  if (!serialKey) throw new TypeError("the mount has no key for its serial numbers");
  return macOf(serialKey, ca, mount.uuid);
}

/** A new serial number of the mount. */
export const newSerial = async (ca: Mount, config: Snapshot): Promise<Uint8Array> =>
  generateSerial(ca.ports.random, await mountMac(ca, config));

/** Whether a serial number was drawn by the mount, whoever signed with it. */
export async function isDrawnHere(
  ca: Mount,
  { serialKey, mount }: Snapshot,
  serial: Uint8Array,
): Promise<boolean> {
  return serialKey !== undefined && verifySerial(serial, await macOf(serialKey, ca, mount.uuid));
}
