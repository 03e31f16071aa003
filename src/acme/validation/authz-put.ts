import type { MountIndex } from "../../base/mount-indexes.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Batch } from "../../engine/ports.ts";
import { acmeValidation } from "../rows/prefixes.ts";
import {
  acmeIndexes,
  acmeKeys,
  authzIndex,
  dueKey,
  orderIndex,
  type OrderRow,
} from "../rows/records.ts";
import type { AuthzChange } from "./challenge-state.ts";

/**
 * Time in seconds for which expired authorizations, and expired orders without a certificate,
 * remain stored.
 */
export const retentionSeconds = 2 * 24 * 3600;

/**
 * Returns the rows to put for a changed authorization: its own row, and the job row of a pending
 * validation.
 */
export function validationPut({
  id,
  changed: { row, due },
  now,
}: {
  readonly id: string;
  readonly changed: AuthzChange;
  /** Current time, Unix milliseconds. */
  readonly now: number;
}): NonNullable<Batch["put"]> {
  const index = authzIndex(
    row.expires + retentionSeconds,
    due === undefined ? undefined : dueKey(row.account, due),
  );
  return [
    [acmeKeys.authz(id), row, index],
    ...(due === undefined ? [] : [validationJobRow(due, now)]),
  ];
}
/**
 * Returns the job row that starts validations due at a time (Unix ms). There is one job for each
 * second, whose ID is that second, because a run deletes only the row with its own ID. A validation
 * that is already due belongs to the current second.
 */
export function validationJobRow(due: number, now: number): ReturnType<typeof jobRow> {
  const second = due > now ? Math.ceil(due / 1000) : Math.floor(due / 1000);
  return jobRow({ due: second * 1000, now }, acmeValidation, String(second));
}

/** Returns the row of an order that can no longer be finalized, indexed as failed. */
export function closedPut(id: string, row: OrderRow): NonNullable<Batch["put"]>[number] {
  const { [acmeIndexes.orderOpen]: open, ...index } = orderIndex(
    row,
    row.expires + retentionSeconds,
  );
  const failed: MountIndex = open === undefined ? {} : { [acmeIndexes.orderFailed]: open };
  return [acmeKeys.order(id), row, { ...index, ...failed }];
}
