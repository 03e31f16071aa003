/** A message from a page to the service worker that starts a backup or a restore of its CA. */
export type BackupMessage =
  | { readonly backup: "make"; readonly mount: string; readonly passphrase: string }
  | {
      /** `check` verifies the backup without restoring it. */
      readonly backup: "check" | "restore";
      readonly mount: string;
      readonly passphrase: string;
      readonly file: Blob;
    };

/**
 * A message from the service worker during a backup or a restore: a chunk, a sign of progress, or
 * the result.
 */
export type BackupNews =
  | { readonly part: Uint8Array<ArrayBuffer> }
  | { readonly goesOn: true }
  | { readonly done: true }
  | { readonly failed: string };

/** Yields the bytes of a file in chunks. */
export async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array, undefined> {
  const step = 1024 * 1024;
  for (let at = 0; at < file.size; at += step)
    yield new Uint8Array(await file.slice(at, at + step).arrayBuffer());
  return undefined;
}
