import { jobRow } from "../../engine/jobs.ts";
import type { Batch } from "../../engine/ports.ts";
import {
  acmeIndexes,
  acmeKeys,
  acmeValidation,
  authzIndex,
  dueKey,
  orderIndex,
  type OrderRow,
} from "../rows/records.ts";
import type { AuthzChange } from "./challenge-state.ts";

/** How long an order without a certificate, or an authorization, is stored after it has expired. */
export const retentionSeconds = 2 * 24 * 3600;

/** What a batch puts of an authorization after a change: its row, and the job for what is due. */
export function validationPut({
  id,
  changed: { row, due },
  now,
}: {
  readonly id: string;
  readonly changed: AuthzChange;
  /** Unix milliseconds. */
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
 * The row of the job that starts what is due at a time, Unix milliseconds: one for each second,
 * however many wait for it. What is due at once is so in the second that runs. Its id is that
 * second: a run takes the rows of its own id away, and none that waits for another one.
 */
export function validationJobRow(due: number, now: number) {
  const second = due > now ? Math.ceil(due / 1000) : Math.floor(due / 1000);
  return jobRow({ due: second * 1000, now }, acmeValidation, String(second));
}

/** An order that will never be finalized, as a batch puts it: it is one of those that failed. */
export function closedPut(id: string, row: OrderRow): NonNullable<Batch["put"]>[number] {
  const { [acmeIndexes.orderOpen]: open, ...index } = orderIndex(
    row,
    row.expires + retentionSeconds,
  );
  const failed = open === undefined ? {} : { [acmeIndexes.orderFailed]: open };
  return [acmeKeys.order(id), row, { ...index, ...failed }];
}
