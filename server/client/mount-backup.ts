import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { partsIn } from "../../src/sys/backup/part.ts";
import { sendRequest, type Target } from "./http-client.ts";
import { describeNetworkError, RejectedError, UnreachableError } from "./network-error.ts";

/** A server to back up or restore, and a token with the rights to do so. */
export interface Source {
  readonly target: Target;
  readonly token: string;
  /**
   * Root certificate (PEM) to which the server's certificate must chain. If absent, the roots that
   * this machine trusts are used.
   */
  readonly ca?: string | undefined;
}

/** Time without any data after which a request is aborted (ms). */
const requestTimeout = 60_000;
/** Number of bytes at the end of a backup that show whether it is complete. */
const tailLength = 256;
/** Number of characters after which the rest of an error response is ignored. */
const maxErrorLength = 1_000;

/** Returns the message of an error, without a full stop. */
export const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");

/** Escapes a mount path, which may contain slashes, for use in a file name. */
export const escapedMount = (mount: string): string =>
  mount.replaceAll("%", "%25").replaceAll("/", "%2F");
/** Returns the file name of a mount's backup. */
export const backupFile = (mount: string, time: string): string =>
  `${escapedMount(mount)}-${time}.ndjson`;
/** Returns the path of the endpoint that returns a mount's backup. */
export const backupPath = (mount: string): string => `/v1/sys/storage/snapshot/${mount}`;

/** Lists the paths of the PKI mounts, without trailing slashes. */
export async function listMounts(source: Source): Promise<readonly string[]> {
  let text = "";
  await receive(source, "/v1/sys/mounts", (bytes) => (text += bytes.toString("utf8")));
  // the response may come from another version of the server or another program
  const { data } = JSON.parse(text) as { readonly data?: unknown };
  if (typeof data !== "object" || data === null)
    throw new Error("the response contains no list of mounts");
  return Object.entries(data as Readonly<Record<string, { readonly type?: unknown } | null>>)
    .filter(([, about]) => about?.type === "pki")
    .map(([path]) => path.replace(/\/$/, ""));
}

/**
 * Downloads a backup to a temporary file that only its owner can read, and renames the file to
 * `path` once it is complete and flushed to disk. Returns the size in bytes.
 * @param from path of the endpoint that returns the backup
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
      tail = (tail + bytes.subarray(-tailLength).toString("latin1")).slice(-tailLength);
    });
    if (!/\n\{"rows":\d+,"last":true\}\n\{"mac":"[\w+/=]+"\}\n$/.test(tail))
      throw new Error("the backup is incomplete");
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

/** Converts an error response to an error with a one-line message. */
async function parseErrorReply(answer: IncomingMessage): Promise<Error> {
  let text = "";
  for await (const bytes of answer) if (text.length < maxErrorLength) text += String(bytes);
  const [, message = '""'] = /^\{"errors":\[("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  const plain = String(JSON.parse(message))
    .replace(/^\d+ errors? occurred:/, "")
    .split(/\s*\n\s*(?:\* )?/)
    .filter((line) => line !== "")
    .join(", ")
    .replace(/[^\x20-\x7e]/g, "?");
  return new RejectedError(
    `the server returned status ${answer.statusCode}${plain && `: ${plain}`}`,
  );
}

/**
 * Uploads all parts of a backup in order, to verify or to restore it. Each request sends the
 * receipt of the previous part. `repeated` is true if the server had already restored this backup.
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
    // the response may come from another version of the server or another program
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
  if (!last) throw new Error("the backup is incomplete: its last part is missing");
  return { repeated };
}

function receive(
  { target, token, ca }: Source,
  path: string,
  onData: (bytes: Buffer) => void,
  body?: Uint8Array,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      headers: { "x-service-token": token },
      timeout: requestTimeout,
      ...(ca === undefined ? {} : { ca }),
      ...(body ? { body } : {}),
    };
    const request = sendRequest(target, path, options, (answer) => {
      if (answer.statusCode !== 200) return void parseErrorReply(answer).then(reject, reject);
      answer.on("data", (bytes: Buffer) => {
        try {
          onData(bytes);
        } catch (error) {
          request.destroy(error instanceof Error ? error : new Error(String(error)));
        }
      });
      answer.once("error", reject);
      answer.once("end", resolve);
      answer.once("aborted", () => reject(new Error("the connection was closed")));
    });
    request.once("timeout", () => request.destroy(new Error("no data for one minute")));
    request.once("error", (error) => reject(new UnreachableError(describeNetworkError(error))));
  });
}
