import { asBytes } from "../../src/base/bytes.ts";
import type { Ca } from "../../src/index.ts";
import { piecesOf, type BackupMessage, type BackupNews } from "../lib/backup-messages.ts";

/** Returns a page's request about backups; undefined for other messages. */
export function backupIn(data: unknown): BackupMessage | undefined {
  const isBackup = typeof data === "object" && data !== null && "backup" in data;
  // Only pages of this folder, which are built with this worker, send messages to it.
  return isBackup ? (data as BackupMessage) : undefined;
}

/** Runs a backup or restore for a page, and reports progress. */
export async function backUp(ca: Ca, message: BackupMessage, port: MessagePort): Promise<void> {
  const post = (news: BackupNews): void => port.postMessage(news);
  try {
    if (message.backup === "make") await make(ca, message, post);
    else {
      const { mount, passphrase, file, backup } = message;
      const options = { ...(passphrase && { passphrase }), dryRun: backup === "check" };
      await ca.restore(mount, reportProgress(piecesOf(file), post), options);
    }
    post({ done: true });
  } catch (reason) {
    post({ failed: reason instanceof Error ? reason.message : String(reason) });
  }
}

async function make(
  ca: Ca,
  { mount, passphrase }: BackupMessage,
  post: (news: BackupNews) => void,
): Promise<void> {
  for await (const part of ca.backup(mount, { passphrase })) post({ part: asBytes(part) });
}

/** Yields the same pieces, and reports before each that the work continues. */
async function* reportProgress(
  pieces: AsyncIterable<Uint8Array>,
  post: (news: BackupNews) => void,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const piece of pieces) {
    post({ goesOn: true });
    yield piece;
  }
  return undefined;
}
