import { headOf, partsIn } from "../../../src/sys/backup/part.ts";
import { asBytes } from "../../../src/base/bytes.ts";
import { sendBytes } from "../../api/call.ts";
import { requestOf } from "../../api/endpoint.ts";
import { backUp, checkBackup as check, restore } from "../../api/endpoints/sys.ts";
import { requirePermission } from "../../api/permissions.ts";
import { refusal, send } from "../../api/transport.ts";
import { piecesOf, type BackupMessage, type BackupNews } from "../../lib/backup-messages.ts";
import { place } from "../../lib/place.ts";
import { installWorker } from "../../lib/service-worker.ts";

/** The media type of a backup. */
export const backupType = "application/x-ndjson";

/** The header of a backup. */
export interface BackupHead {
  /** Path of the mount when it was backed up. */
  readonly mount: string;
  /** UUID of the mount. */
  readonly id: string;
  readonly createdAt: Date;
  /**
   * Whether the keys are encrypted with a passphrase rather than with the sealing key of a
   * deployment.
   */
  readonly locked: boolean;
}

/** Maximum time in ms between messages from the service worker. */
const messageTimeout = 120_000;

/**
 * Sends a message to the service worker, and resolves when the worker has completed the operation.
 */
async function worker(
  message: BackupMessage,
  receive: (part: Uint8Array<ArrayBuffer>) => void = () => {},
): Promise<void> {
  await installWorker();
  const { port1, port2 } = new MessageChannel();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((done, fail) => {
      const wait = (): void => {
        clearTimeout(timer);
        timer = setTimeout(
          () =>
            fail(
              new Error(
                "The browser’s service worker stopped responding. Try again, and keep this page open.",
              ),
            ),
          messageTimeout,
        );
      };
      port1.onmessage = ({ data }: MessageEvent<BackupNews>) => {
        wait();
        if ("part" in data) receive(data.part);
        else if ("failed" in data) fail(new Error(data.failed));
        else if ("done" in data) done();
      };
      wait();
      navigator.serviceWorker.controller?.postMessage(message, [port2]);
    });
  } finally {
    clearTimeout(timer);
    port1.close();
  }
}

/**
 * Returns a backup of the current mount. For the CA in this browser, `passphrase` encrypts the keys
 * in the backup, which is then verified with the passphrase. `passphrase` is ignored for other
 * servers.
 */
export async function makeBackup(passphrase: string): Promise<Blob> {
  const { kind, mount } = place.get();
  if (kind === "browser") {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    await worker({ backup: "make", mount, passphrase }, (part) => parts.push(part));
    const file = new Blob(parts, { type: backupType });
    await worker({ backup: "check", mount, passphrase, file });
    return file;
  }
  const to = requestOf(backUp, { path: mount });
  await requirePermission(to);
  const { path } = to;
  const response = await send("GET", path);
  if (!response.ok) throw await refusal(response, `GET /v1/${path}`);
  return response.blob();
}

/** Maximum number of bytes read to find the header of a backup. */
const headBytes = 64 * 1024;

/** Parses the header of a backup file. Throws an error if the file is not a backup. */
export async function readHead(file: Blob): Promise<BackupHead> {
  const head = headOf(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()));
  return {
    mount: head.mount.path,
    id: head.mount.uuid,
    createdAt: new Date(head.time * 1000),
    locked: head.passphrase !== undefined,
  };
}

interface RestoreInput {
  readonly file: Blob;
  readonly mount: string;
  readonly passphrase: string;
}

/**
 * Verifies a complete backup as a restore would, without storing anything. Returns the number of
 * rows, or undefined for the CA in this browser.
 */
export async function checkBackup({
  file,
  mount,
  passphrase,
}: RestoreInput): Promise<number | undefined> {
  if (place.get().kind === "browser") {
    await worker({ backup: "check", mount, passphrase, file });
    return undefined;
  }
  let [receipt, rows, complete] = ["", 0, false];
  for await (const part of partsIn(piecesOf(file))) {
    const checked = await sendBytes(check, receipt ? { receipt } : {}, fileOf(part));
    [receipt, rows, complete] = [checked.receipt, rows + checked.rows, checked.complete];
  }
  if (!complete) throw new Error("The end of the backup is missing.");
  return rows;
}

/** Restores a backup into a new mount. */
export async function restoreBackup({ file, mount, passphrase }: RestoreInput): Promise<void> {
  if (place.get().kind === "browser") return worker({ backup: "restore", mount, passphrase, file });
  for await (const part of partsIn(piecesOf(file)))
    await sendBytes(restore, { path: mount }, fileOf(part));
}

const fileOf = (part: Uint8Array): Blob => new Blob([asBytes(part)], { type: backupType });
