import { mountKey } from "../../engine/mount-records.ts";
import { concat, toBase64Url, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { openPart, type Unlock } from "./protection.ts";
import { movedRows, type RestoreResult, typeOf } from "./restore.ts";
import { findStoreKind } from "./store-kinds.ts";
import { refuseTarget, storeRows } from "./store-restore.ts";

/** The result of checking a part. */
interface PartCheck extends RestoreResult {
  /**
   * Receipt to send with the next part. It proves that this part and all parts before it are
   * intact.
   */
  readonly receipt: string;
  /** True if all parts were checked and a restore would accept them. */
  readonly complete: boolean;
}

/**
 * Checks a part of a backup in the same way as a restore, without storing anything. Parts must be
 * checked in order, each with the receipt of the previous part. Rejects with CaError `malformed` if
 * the part or the receipt is invalid, and with `already_exists` if a store to restore is in use.
 */
export async function checkPart(
  deployment: Deployment,
  bytes: Uint8Array,
  unlock: Unlock,
  receipt: string,
): Promise<PartCheck> {
  const part = await openPart(bytes, unlock);
  const { head, last } = part;
  const kind = findStoreKind(deployment, head.mount.type);
  if (kind) await refuseTarget(deployment, kind, head);
  const rows = kind
    ? storeRows(kind, part)
    : await movedRows(deployment, typeOf(deployment, head), part);
  const required = kind ? kind.required : mountKey;
  const seen =
    head.part === 1
      ? { hasMount: false }
      : await readReceipt(receipt, receiptOf(part.key, head.part - 1));
  if (!seen)
    throw new CaError(
      "malformed",
      `part ${head.part} requires the receipt of part ${head.part - 1}: check the parts in order`,
    );
  const hasMount =
    seen.hasMount || required === undefined || rows.some(([key]) => key === required);
  if (last && !hasMount)
    throw new CaError(
      "malformed",
      `the backup is incomplete: no part contains the row that describes the ${kind ? "store" : "mount"}`,
    );
  return {
    backup: head.id,
    part: head.part,
    last,
    rows: rows.length,
    receipt: await receiptOf(part.key, head.part)(hasMount),
    complete: last,
  };
}

type Receipts = (hasMount: boolean) => Promise<string>;
/**
 * Returns a function that computes the receipt of a part. Only a holder of the backup's MAC key can
 * compute it.
 */
const receiptOf =
  (key: Uint8Array, part: number): Receipts =>
  async (hasMount) => {
    const text = concat([utf8(`receipt ${part} ${hasMount}`), key]);
    return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", text)));
  };
async function readReceipt(
  receipt: string,
  of: Receipts,
): Promise<{ readonly hasMount: boolean } | undefined> {
  for (const hasMount of [false, true]) if ((await of(hasMount)) === receipt) return { hasMount };
  return undefined;
}
