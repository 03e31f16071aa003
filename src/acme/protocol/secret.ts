import { utf8 } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { hmacSha256 } from "../../base/hmac.ts";
import { mountMac } from "../../pki/issuer/serial.ts";

/**
 * Derives a 32-byte mount key for one ACME purpose. It is derived from the mount's serial number
 * key, so that no additional secret must be stored or resealed.
 */
async function acmeKey(mount: Mount, config: Snapshot, purpose: string): Promise<Uint8Array> {
  const mac = await mountMac(mount, config);
  // domain separation: serial numbers use exactly ten octets of input; this input is always longer
  return mac(utf8(`sealwright acme ${purpose}`));
}

/** Returns a function that computes HMAC-SHA-256 with the mount's key for one ACME purpose. */
export const acmeMac = async (
  mount: Mount,
  config: Snapshot,
  purpose: string,
): Promise<(data: Uint8Array) => Uint8Array> => hmacSha256(await acmeKey(mount, config, purpose));
