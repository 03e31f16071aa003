import { systemEndpoint } from "../../wire/endpoint.ts";
import { bytes, flag, int, text } from "../../wire/field.ts";
import { maxPartBytes } from "./part.ts";
import { backupStyle, partStyle, type BackupStream } from "./style.ts";

const run = () => import("./own.ts");
const trim = (path: string): string => path.replace(/\/+$/, "");
const part = bytes.required("A part of a backup: its lines from a first one to its last one.");
const told = {
  backup: text.required("Id of the backup."),
  part: int.required("Number of the part, from 1."),
  last: flag.required("Whether it is the last one."),
  rows: int.required("Number of rows that the part has for a restore."),
} as const;
const taking = {
  access: "sudo",
  style: partStyle,
  takes: { bytes: maxPartBytes, members: 0 },
} as const;

export const backUp = systemEndpoint({
  id: "backUp",
  audits: { always: true },
  at: ["GET /storage/snapshot/:path+"],
  access: "sudo",
  style: backupStyle,
  doc: "Returns a backup of a mount as it is at this moment: parts of at most 32 MiB one behind the other, lines of JSON, each part ended by an authentication code. Secrets stay sealed under the sealing key of the deployment.",
  body: {},
  reply: {},
  refuses: ["no_mount", "storage"],
  async run(ca, { path }) {
    const { backupParts } = await run();
    return sendingOf(backupParts(ca, trim(path)));
  },
});
/** Resolves with the reply once the first part exists, so that errors can still be reported. */
async function sendingOf(parts: BackupStream["rest"]): Promise<never> {
  const { value: first } = await parts.next();
  const sending: BackupStream = { first: first ?? new Uint8Array(0), rest: parts };
  return sending as never;
}

export const backUpStore = systemEndpoint({
  id: "backUpStore",
  audits: { always: true },
  at: ["GET /storage/stores/:store"],
  access: "sudo",
  style: backupStyle,
  doc: "Returns a backup of a store beside the mounts, in the form of the backup of a mount: `sys` holds tokens, policies, login methods, entities, limits and the table of mounts, `vars` the variables. Secrets stay sealed under the sealing key of the deployment.",
  body: {},
  reply: {},
  refuses: ["not_found", "storage"],
  async run(ca, { store }) {
    const { storeBackupParts } = await run();
    return sendingOf(storeBackupParts(ca, store));
  },
});

export const restoreStore = systemEndpoint({
  ...taking,
  id: "restoreStore",
  audits: { always: true },
  at: ["POST /storage/stores/:store"],
  doc: "Restores one part of a backup of a store beside the mounts. Nothing changes before the last part, and the installation must not have been used. The mounts of `sys` refuse all calls until their own backups are restored.",
  body: { part },
  reply: {
    ...told,
    repeated: flag.required(
      "Whether the store had been restored from this backup before; then nothing was changed.",
    ),
  },
  refuses: ["malformed", "not_found", "already_exists", "conflict"],
  run: async (ca, { store, part }) => {
    const { ownKey, restoreStorePart } = await run();
    return restoreStorePart(ca, store, part, ownKey(ca.ports.vault));
  },
});

export const restore = systemEndpoint({
  ...taking,
  id: "restore",
  at: ["POST /storage/snapshot/:path+"],
  doc: "Restores one part of a backup into the mount that the backup makes, which opens after the last part. The sealing key must be that of the backup, and the mount of the backup must not exist.",
  body: { part },
  reply: told,
  refuses: ["malformed", "already_exists", "conflict"],
  run: async (ca, { path, part }) => {
    const { ownKey, restorePart } = await run();
    return restorePart(ca, trim(path), part, ownKey(ca.ports.vault));
  },
});

export const checkBackup = systemEndpoint({
  ...taking,
  id: "checkBackup",
  at: ["POST /storage/snapshot-check"],
  doc: "Checks one part of a backup of a mount or a store as a restore would, and stores nothing.",
  body: {
    part,
    receipt: text.default(
      "",
      "From the second part on: `receipt` of the part before, in the query.",
    ),
  },
  reply: {
    ...told,
    receipt: text.required("To be sent with the next part."),
    complete: flag.required("Whether all parts of the backup were checked with this one."),
  },
  refuses: ["malformed", "already_exists"],
  run: async (ca, { part, receipt }) => {
    const { ownKey, checkPart } = await run();
    return checkPart(ca, part, ownKey(ca.ports.vault), receipt);
  },
});
