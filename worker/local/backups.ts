import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { ask } from "./ask.ts";

const DAY_MS = 86_400_000;
/** How many backups of a mount are kept. */
const KEPT = 7;
/** After so long without a byte a backup is given up. */
const PATIENCE_MS = 60_000;
/** One that failed is tried again after so long. */
const AGAIN_MS = 3_600_000;

/** Where backups come from and go to. */
export interface Backups {
  readonly directory: string;
  readonly socketPath: string;
  readonly token: string;
  /** Told in one sentence of each backup that failed. */
  told(sentence: string): void;
}

/** Backs all mounts up once a day, the first time at once where today's is missing. */
export function keepBackups(backups: Backups): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const run = async (): Promise<void> => {
    const all = await backUpAll(backups, new Date()).catch((error: unknown) => {
      backups.told(`The backup to ${backups.directory} failed: ${wordsOf(error)}.`);
      return false;
    });
    if (!over)
      timer = setTimeout(() => void run(), all ? DAY_MS - (Date.now() % DAY_MS) : AGAIN_MS);
    timer?.unref();
  };
  void run();
  return {
    stop: () => {
      over = true;
      clearTimeout(timer);
    },
  };
}
const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");

/** The file of a backup; a path of a mount holds slashes. */
const fileOf = (mount: string, day: string): string =>
  `${mount.replaceAll("%", "%25").replaceAll("/", "%2F")}-${day}.ndjson`;

/** Backs up every mount whose backup of this day is missing; tells whether all are there. */
export async function backUpAll(backups: Backups, now: Date): Promise<boolean> {
  const { directory, socketPath, token, told } = backups;
  const day = now.toISOString().slice(0, 10);
  const listed = (await ask(socketPath, "/v1/sys/mounts", { "x-service-token": token })) as
    | { readonly data?: Readonly<Record<string, { readonly type?: unknown }>> }
    | undefined;
  if (!listed?.data) throw new Error("the mounts could not be listed");
  let all = true;
  for (const [path, { type }] of Object.entries(listed.data)) {
    if (type !== "pki") continue;
    const mount = path.replace(/\/$/, "");
    const file = fileOf(mount, day);
    if (readdirSync(directory).includes(file)) continue;
    try {
      await save(backups, mount, join(directory, file));
      forgetOld(directory, mount);
    } catch (error) {
      all = false;
      told(`The backup of the mount ${path} to ${directory} failed: ${wordsOf(error)}.`);
    }
  }
  return all;
}

/** Writes a backup beside its place, and puts it there when it is whole and on the disk. */
async function save({ socketPath, token }: Backups, mount: string, path: string): Promise<void> {
  const partial = `${path}.partial`;
  const file = openSync(partial, "w", 0o600);
  try {
    let tail = "";
    await receive(socketPath, `/v1/sys/storage/snapshot/${mount}`, token, (bytes) => {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      tail = (tail + bytes.subarray(-TAIL).toString("latin1")).slice(-TAIL);
    });
    if (!/\n\{"rows":\d+,"last":true\}\n\{"mac":"[\w+/=]+"\}\n$/.test(tail))
      throw new Error("its end did not come");
    fsyncSync(file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(partial, path);
}
/** Bytes of the end of a backup that show whether it is whole. */
const TAIL = 256;

function receive(
  socketPath: string,
  path: string,
  token: string,
  take: (bytes: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { host: "localhost", "x-service-token": token };
    const request = get({ socketPath, path, headers, timeout: PATIENCE_MS }, (answer) => {
      if (answer.statusCode !== 200) {
        answer.resume();
        return reject(new Error(`the server answered ${answer.statusCode}`));
      }
      answer.on("data", (bytes: Buffer) => {
        try {
          take(bytes);
        } catch (error) {
          request.destroy(error instanceof Error ? error : new Error(String(error)));
        }
      });
      answer.once("error", reject);
      answer.once("end", resolve);
      answer.once("aborted", () => reject(new Error("it was broken off")));
    });
    request.once("timeout", () => request.destroy(new Error("nothing came for a minute")));
    request.once("error", reject);
  });
}

/** Removes all but the newest backups of a mount. */
function forgetOld(directory: string, mount: string): void {
  const [head, tail] = fileOf(mount, "|").split("|");
  const own = readdirSync(directory).filter(
    (name) =>
      name.startsWith(head ?? "") &&
      name.endsWith(tail ?? "") &&
      /^\d{4}-\d\d-\d\d$/.test(name.slice((head ?? "").length, -(tail ?? "").length)),
  );
  for (const name of own.toSorted().slice(0, -KEPT)) rmSync(join(directory, name));
}
