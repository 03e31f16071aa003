import { CaError } from "../base/errors.ts";
import type { Mount } from "../engine/mount.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { isRequestAllowed, permissionDenied } from "../wire/access.ts";
import { endpoint, type Caller } from "../wire/endpoint.ts";
import { raw } from "../wire/style.ts";
import { namedLog } from "./checkpoint.ts";
import { logConfig, type LogConfig } from "./rows/records.ts";
import { readTile, recentState } from "./tiles-read.ts";
import { parseTilePath, tilePath, tileWidth } from "./tree/tiles.ts";

/** Cache lifetimes in seconds for checkpoints, which change, and for tiles, which never change. */
const [checkpointAge, tileAge] = [1, 365 * 86_400];

/**
 * Reports whether a log is public, or the caller's policies grant `read` on the path under the
 * mount.
 */
export async function mayRead(config: Snapshot, path: string, caller: Caller): Promise<boolean> {
  if (config.get(logConfig).public) return true;
  const identity = await caller.tokenIdentity();
  const requestPath = `${config.mount.path}/${path}`;
  const request = { capability: "read", path: requestPath, parameters: {} } as const;
  return identity !== undefined && isRequestAllowed(identity, request);
}
/**
 * Returns the settings of the mount's log. Throws `not_found` if the mount has no log, and
 * `forbidden` if the caller may not read the log.
 */
async function readableLog(mount: Mount, path: string, caller: Caller): Promise<LogConfig> {
  const config = await mount.config();
  const log = config.get(logConfig);
  if (log.key && !(await mayRead(config, path, caller))) throw permissionDenied();
  namedLog(log);
  return log;
}

export const readLogCheckpoint = endpoint({
  id: "readLogCheckpoint",
  at: ["GET /log/checkpoint"],
  access: "open",
  style: raw,
  doc: "Returns the signed checkpoint of the log (C2SP tlog-checkpoint). Requires a token with the `read` capability unless the log is public.",
  body: {},
  reply: {},
  refuses: ["forbidden", "not_found"],
  run: async (mount, _, caller) => {
    const log = await readableLog(mount, "log/checkpoint", caller);
    const { checkpoint } = await recentState(mount);
    if (checkpoint === "")
      throw new CaError("not_found", "no checkpoint has the required cosignatures yet");
    return {
      type: "text/plain; charset=utf-8",
      bytes: checkpoint,
      ...(log.public ? { maxAge: checkpointAge } : {}),
    };
  },
});

export const readLogTile = endpoint({
  id: "readLogTile",
  at: ["GET /log/tile/:tile+"],
  access: "open",
  style: raw,
  doc: "Returns a tile of the log (C2SP tlog-tiles): `<level>/<index>` for hashes, `entries/<index>` for entries, followed by `.p/<width>` if the tile is partial. Requires a token with the `read` capability unless the log is public.",
  body: {},
  reply: {},
  refuses: ["forbidden", "not_found"],
  run: async (mount, { tile }, caller) => {
    const name = parseTilePath(tile);
    if (!name) throw new CaError("not_found", "");
    const log = await readableLog(mount, `log/tile/${tilePath(name)}`, caller);
    const bytes = await readTile(mount, await recentState(mount), name);
    return {
      type: "application/octet-stream",
      bytes,
      etag: `"${name.level}-${name.index}-${name.width ?? tileWidth}"`,
      ...(log.public ? { maxAge: tileAge } : {}),
    };
  },
});
