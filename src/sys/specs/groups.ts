import type { MountEndpoints } from "../../wire/endpoint.ts";
import { loadEndpoints } from "../../wire/lazy-endpoints.ts";
import type { Group } from "../../wire/openapi.ts";
import { areasOf } from "./areas.ts";
import { tokenHeaders } from "./credentials.ts";

/** Where a group of endpoints lies below `/v1/`. */
export interface GroupLocation {
  readonly path: string;
  /** Of a mount or a login method. */
  readonly type?: string;
  readonly tag?: string;
}

/** A group of what lies below `/v1/`. */
export const groupAt = (
  { path, type = "", tag = path }: GroupLocation,
  endpoints: Group["endpoints"],
): Group => ({
  base: `/v1/${path}`,
  tag,
  endpoints,
  areas: areasOf(path, type),
  credentials: tokenHeaders,
  strangers: "forbidden",
  wraps: true,
  mounted: type !== "",
  ...(path === "sys" ? { but: ambiguous } : {}),
});

/** Not told apart from the path of a mount's settings: `/sys/auth/:path` is the same. */
const ambiguous: ReadonlySet<string> = new Set(["/mounts/auth/:path+"]);
/** The group of a list, of which some may be loaded first. */
export const groupOf = async <On>(
  lying: GroupLocation,
  list: MountEndpoints<On> = { endpoints: [] },
): Promise<Group> => groupAt(lying, await loadEndpoints(list));
