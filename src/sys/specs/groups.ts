import type { MountEndpoints } from "../../wire/endpoint.ts";
import { loadEndpoints } from "../../wire/lazy-endpoints.ts";
import type { Group } from "../../wire/openapi.ts";
import { areasOf } from "./areas.ts";
import { tokenHeaders } from "./credentials.ts";

/** Location of a group of endpoints under `/v1/`. */
interface GroupLocation {
  readonly path: string;
  /** Type of the mount or login method. */
  readonly type?: string;
  readonly tag?: string;
}

/** Returns a group of endpoints under `/v1/`. */
export const groupAt = (
  { path, type = "", tag = path }: GroupLocation,
  endpoints: Group["endpoints"],
): Group => ({
  base: `/v1/${path}`,
  tag,
  endpoints,
  areas: areasOf(path, type),
  credentials: tokenHeaders,
  anonymous: "forbidden",
  wraps: true,
  mounted: type !== "",
  ...(path === "sys" ? { but: ambiguous } : {}),
});

/**
 * Paths that OpenAPI cannot distinguish from paths of mount settings. Documents contain the
 * alternative `/sys/auth/:path` instead.
 */
const ambiguous: ReadonlySet<string> = new Set(["/mounts/auth/:path+"]);
/** Returns the group for a list of endpoints, loading the endpoints if necessary. */
export const groupOf = async <On>(
  lying: GroupLocation,
  list: MountEndpoints<On> = { endpoints: [] },
): Promise<Group> => groupAt(lying, await loadEndpoints(list));
