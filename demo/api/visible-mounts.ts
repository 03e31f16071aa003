import { readData } from "./call.ts";
import { listVisibleMounts } from "./endpoints/sys.ts";
import { searchOf } from "../lib/page-location.ts";
import { pageLocation, place } from "../lib/place.ts";
import { address } from "../lib/route.ts";

/** Returns the paths of the CA mounts that the current token may access. */
export async function visibleMounts(): Promise<readonly string[]> {
  const { secret } = await readData(listVisibleMounts);
  return Object.entries(secret)
    .filter(([, { type }]) => type === "pki")
    .map(([path]) => path.replace(/\/$/, ""))
    .toSorted();
}

/** Returns the URL of the overview of another mount on the current server. */
export const addressOfMount = (mount: string): string =>
  `${searchOf({ ...place.get(), mount }, pageLocation) || location.pathname}${address("overview")}`;
