/** What a page asks the service worker to do with backups of its authority. */
export type BackupMessage =
  | { readonly backup: "make"; readonly mount: string; readonly passphrase: string }
  | {
      /** `check` tries everything and stores nothing. */
      readonly backup: "check" | "restore";
      readonly mount: string;
      readonly passphrase: string;
      readonly file: Blob;
    };

/** What the service worker says while it is at work: a part, that it goes on, or how it ended. */
export type BackupNews =
  | { readonly part: Uint8Array<ArrayBuffer> }
  | { readonly goesOn: true }
  | { readonly done: true }
  | { readonly failed: string };

/** Bytes of a file, some at a time. */
export async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array, undefined> {
  const step = 1024 * 1024;
  for (let at = 0; at < file.size; at += step)
    yield new Uint8Array(await file.slice(at, at + step).arrayBuffer());
  return undefined;
}
