import { rfc3339nano } from "../../base/duration.ts";
import { rowReader } from "../../engine/row-reader.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { prepareEvents } from "../../events/prepare.ts";

const key = "eventbackup";
const storedState = rowReader<{ readonly failed: boolean }>({ failed: false });

/**
 * Raises an event when the server's backups begin to fail. `stores`: whether there are event sinks.
 */
export async function raiseBackupEvent(sys: StoreContext, stores: boolean): Promise<void> {
  const backup = await sys.ports.server?.backup?.();
  if (!backup) return;
  const [row] = await sys.store.get([key]);
  const { failed } = backup;
  if (failed === storedState(row?.value).failed) return;
  const last = backup.succeeded === undefined ? "" : rfc3339nano(backup.succeeded);
  const about = {
    type: "sealwright.backup.failed",
    subject: "backup",
    data: { last_success: last },
  } as const;
  const { log, announce } = prepareEvents(sys, { path: "sys", stores }, failed ? [about] : []);
  const expect = [[key, row?.rev ?? null]] as const;
  if (await sys.commit({ expect, put: [[key, { failed }]], log })) announce();
}
