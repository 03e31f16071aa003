import { systemEndpoint } from "../../wire/endpoint.ts";
import { bytes, flag, int, text } from "../../wire/field.ts";
import { maxPartBytes } from "./part.ts";
import { backupStyle, partStyle, type BackupStream } from "./style.ts";

const run = () => import("./library-backups.ts");
const trim = (path: string): string => path.replace(/\/+$/, "");
const part = bytes.required("A complete part of a backup.");
const backupFields = {
  backup: text.required("ID of the backup."),
  part: int.required("Number of the part, starting at 1."),
  last: flag.required("Whether this is the last part."),
  rows: int.required("Number of rows to restore from this part."),
} as const;
const taking = {
  access: "sudo",
  style: partStyle,
  bodyLimits: { bytes: maxPartBytes, members: 0 },
} as const;

export const backUp = systemEndpoint({
  id: "backUp",
  audits: { always: true },
  at: ["GET /storage/snapshot/:path+"],
  access: "sudo",
  style: backupStyle,
  doc: "Returns a consistent backup of a mount: consecutive parts of at most 32 MiB of JSON lines, each ending with an authentication code. Secrets stay encrypted with the sealing key.",
  body: {},
  reply: {},
  refuses: ["no_mount", "storage"],
  async run(deployment, { path }) {
    const { backupParts } = await run();
    return sendingOf(backupParts(deployment, trim(path)));
  },
});
/**
 * Resolves with the response as soon as the first part exists, so that earlier errors can still be
 * reported.
 */
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
  doc: "Returns a backup of a shared store in the same format as a mount's: `sys` (tokens, policies, login methods, entities, limits, mount table) or `vars` (variables). Secrets stay encrypted with the sealing key.",
  body: {},
  reply: {},
  refuses: ["not_found", "storage"],
  async run(deployment, { store }) {
    const { storeBackupParts } = await run();
    return sendingOf(storeBackupParts(deployment, store));
  },
});

export const restoreStore = systemEndpoint({
  ...taking,
  id: "restoreStore",
  audits: { always: true },
  at: ["POST /storage/stores/:store"],
  doc: "Restores one part of a shared store's backup into an unused installation. The restore takes effect only with the last part. After `sys` is restored, each mount rejects requests until its own backup is restored.",
  body: { part },
  reply: {
    ...backupFields,
    repeated: flag.required(
      "Whether the store was already restored from this backup. If so, nothing was changed.",
    ),
  },
  refuses: ["malformed", "not_found", "already_exists", "conflict"],
  run: async (deployment, { store, part }) => {
    const { ownKey, restoreStorePart } = await run();
    return restoreStorePart(deployment, store, part, ownKey(deployment.ports.vault));
  },
});

export const restore = systemEndpoint({
  ...taking,
  id: "restore",
  at: ["POST /storage/snapshot/:path+"],
  doc: "Restores one part of a backup as a new mount, which becomes available after the last part. The sealing key must be that of the backup, and the mount must not exist.",
  body: {
    part,
    partitions: int.optional(
      "Number of partitions, in the query of the first part: 1, 4, 16 or 64. By default, the number in the backup, or 1 if the storage does not support partitions.",
    ),
  },
  reply: backupFields,
  refuses: ["malformed", "already_exists", "conflict"],
  run: async (deployment, { path, part, partitions }) => {
    const { ownKey, restorePart } = await run();
    return restorePart(deployment, trim(path), part, {
      unlock: ownKey(deployment.ports.vault),
      partitions,
    });
  },
});

export const checkBackup = systemEndpoint({
  ...taking,
  id: "checkBackup",
  at: ["POST /storage/snapshot-check"],
  doc: "Verifies one part of a mount's or store's backup in the same way as a restore, without storing anything.",
  body: {
    part,
    receipt: text.default(
      "",
      "`receipt` of the previous part, in the query. Required from the second part on.",
    ),
  },
  reply: {
    ...backupFields,
    receipt: text.required("Receipt to send with the next part."),
    complete: flag.required("Whether all parts have now been verified."),
  },
  refuses: ["malformed", "already_exists"],
  run: async (deployment, { part, receipt }) => {
    const { ownKey, checkPart } = await run();
    return checkPart(deployment, part, ownKey(deployment.ports.vault), receipt);
  },
});
