import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { partsIn } from "../../src/sys/snapshot/part.ts";
import { sendTo, type Target } from "./target.ts";

/** A server whose mounts are saved, and the token that may. */
export interface Source {
  readonly target: Target;
  readonly token: string;
}

/** After so long without a byte a backup is given up. */
const PATIENCE_MS = 60_000;
/** Bytes of the end of a backup that show whether it is whole. */
const TAIL = 256;
/** More of a refusal is not repeated. */
const LONGEST = 1_000;

/** An error in words, without the full stop. */
export const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");

/** Returns the path of a mount as a part of a file name: it may hold slashes. */
export const escapedMount = (mount: string): string =>
  mount.replaceAll("%", "%25").replaceAll("/", "%2F");
/** The file of a backup. */
export const fileOf = (mount: string, time: string): string =>
  `${escapedMount(mount)}-${time}.ndjson`;
/** Path of the endpoint that answers a backup of a mount. */
export const backupPath = (mount: string): string => `/v1/sys/storage/snapshot/${mount}`;

/** Paths of the mounts that have backups, without a slash at the end. */
export async function mountsOf(source: Source): Promise<readonly string[]> {
  let text = "";
  await receive(source, "/v1/sys/mounts", (bytes) => (text += bytes.toString("utf8")));
  // whoever answers may be of another version, or another program
  const { data } = JSON.parse(text) as { readonly data?: unknown };
  if (typeof data !== "object" || data === null) throw new Error("its answer lists no mounts");
  return Object.entries(data as Readonly<Record<string, { readonly type?: unknown } | null>>)
    .filter(([, about]) => about?.type === "pki")
    .map(([path]) => path.replace(/\/$/, ""));
}

/**
 * Writes a backup beside its place, for its owner alone, and puts it there when it is whole and on
 * the disk. Answers how many bytes it has.
 * @param from path of the endpoint that answers the backup
 */
export async function save(source: Source, from: string, path: string): Promise<number> {
  const partial = `${path}.partial`;
  const file = openSync(partial, "w", 0o600);
  let size = 0;
  try {
    let tail = "";
    await receive(source, from, (bytes) => {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      size += bytes.length;
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
  return size;
}

/** What a refusal says, as far as it fits into a sentence. */
async function refusalOf(answer: IncomingMessage): Promise<Error> {
  let text = "";
  for await (const bytes of answer) if (text.length < LONGEST) text += String(bytes);
  const [, told = '""'] = /^\{"errors":\[("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  const plain = String(JSON.parse(told))
    .replace(/^\d+ errors? occurred:/, "")
    .split(/\s*\n\s*(?:\* )?/)
    .filter((line) => line !== "")
    .join(", ")
    .replace(/[^\x20-\x7e]/g, "?");
  return new Error(`the server answered ${answer.statusCode}${plain && `: ${plain}`}`);
}

/**
 * Sends all parts of a backup, in their order, to be checked alone or to make a mount of them. What
 * is told of one part goes with the next. `repeated`: the server had restored the backup before.
 */
export async function sendParts(
  source: Source,
  path: string,
  backup: AsyncIterable<Uint8Array>,
): Promise<{ readonly repeated: boolean }> {
  let receipt = "";
  let [last, repeated] = [false, false];
  for await (const part of partsIn(backup)) {
    let text = "";
    const query = receipt === "" ? "" : `?receipt=${encodeURIComponent(receipt)}`;
    await receive(source, path + query, (bytes) => (text += bytes.toString("utf8")), part);
    // whoever answers may be of another version, or another program
    const { data } = JSON.parse(text) as {
      readonly data?: {
        readonly receipt?: unknown;
        readonly last?: unknown;
        readonly repeated?: unknown;
      } | null;
    };
    receipt = typeof data?.receipt === "string" ? data.receipt : "";
    last = data?.last === true;
    repeated = data?.repeated === true;
  }
  if (!last) throw new Error("its last part is missing");
  return { repeated };
}

function receive(
  { target, token }: Source,
  path: string,
  take: (bytes: Buffer) => void,
  body?: Uint8Array,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = {
      headers: { "x-service-token": token },
      timeout: PATIENCE_MS,
      ...(body ? { body } : {}),
    };
    const request = sendTo(target, path, asking, (answer) => {
      if (answer.statusCode !== 200) return void refusalOf(answer).then(reject, reject);
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
