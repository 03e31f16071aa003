import { utf8 } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { hmacSha256 } from "../../base/hmac.ts";
import { mountMac } from "../../pki/issuer/serial.ts";

/**
 * A key of the mount for one purpose of ACME: 32 bytes, always the same, derived from the key of
 * its serial numbers. Nothing more is stored for it, and nothing more has to be sealed anew.
 */
async function acmeKey(ca: Mount, config: Snapshot, purpose: string): Promise<Uint8Array> {
  const mac = await mountMac(ca, config);
  // serial numbers are drawn over ten octets: no purpose is as short
  return mac(utf8(`sealwright acme ${purpose}`));
}

/** A keyed hash under such a key: HMAC-SHA-256, 32 bytes. */
export const acmeMac = async (
  ca: Mount,
  config: Snapshot,
  purpose: string,
): Promise<(data: Uint8Array) => Uint8Array> => hmacSha256(await acmeKey(ca, config, purpose));
