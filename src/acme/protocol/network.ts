import { toHex, utf8 } from "../../base/bytes.ts";
import { siteNetwork } from "../../base/network.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { acmeMac } from "./secret.ts";

/** Returns a keyed hash of a network, so that rows and events do not reveal the address. */
export async function hashNetwork(
  mount: Mount,
  config: Snapshot,
  network: string,
): Promise<string> {
  const mac = await acmeMac(mount, config, "address");
  return toHex(mac(utf8(network))).slice(0, 32);
}
/** Returns the keyed hash of the site (a larger network) to which an address belongs. */
export const hashSite = (mount: Mount, config: Snapshot, address = "unknown"): Promise<string> =>
  hashNetwork(mount, config, siteNetwork(address));
