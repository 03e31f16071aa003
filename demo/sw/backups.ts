import { asBytes } from "../../src/base/bytes.ts";
import type { Ca } from "../../src/index.ts";
import { piecesOf, type BackupMessage, type BackupNews } from "../lib/backup-messages.ts";

/** Returns a page's message about backups, or undefined for other messages. */
export function backupIn(data: unknown): BackupMessage | undefined {
  const isBackup = typeof data === "object" && data !== null && "backup" in data;
  // Only pages in this worker's scope, which are built with it, send messages to it.
  return isBackup ? (data as BackupMessage) : undefined;
}

/** Runs a backup or a restore for a page, and reports its progress. */
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

/** Yields the chunks unchanged, and reports progress before each. */
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
