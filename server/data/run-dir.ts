import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isListening } from "./listening.ts";
import { LaunchError } from "../settings/launch-error.ts";

/** A directory for a server's sockets, which only its owner can access. */
export interface RunDir {
  /** Path of the HTTP socket for local commands. */
  readonly http: string;
  /** Path of the socket through which the server's processes reach the database writer. */
  readonly writer: string;
  remove(): void;
}

/** Maximum length of the directory's path. The path of a socket is limited to 103 bytes. */
const maxPathBytes = 90;

/**
 * Creates the directory, inside the data directory if socket paths are short enough there. Removes
 * leftovers of a killed server. Rejects with {@link LaunchError} if the directory cannot be
 * created, or if a server listens there, which happens on file systems without working locks.
 */
export async function openRunDir(dataDir: string): Promise<RunDir> {
  const inside = join(dataDir, "run");
  if (await isListening(join(inside, "http")))
    throw new LaunchError(`${dataDir} is already served; stop that server, or set DATA_DIR.`);
  try {
    const path = Buffer.byteLength(inside) <= maxPathBytes ? makeRunDir(inside) : temporary();
    return {
      http: join(path, "http"),
      writer: join(path, "writer"),
      remove: () => rmSync(path, { recursive: true, force: true }),
    };
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new LaunchError(`${path ?? inside} cannot be created (${code}).`);
  }
}

function makeRunDir(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o700 });
  return path;
}

function temporary(): string {
  const path = mkdtempSync(join(tmpdir().length > 60 ? "/tmp" : tmpdir(), "sealwright-"));
  chmodSync(path, 0o700);
  return path;
}
