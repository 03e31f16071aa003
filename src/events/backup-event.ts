import { rfc3339nano } from "../base/duration.ts";
import { backupEventKind } from "../base/row-keys.ts";
import type { Job } from "../engine/deployment.ts";
import { rowReader } from "../engine/row-reader.ts";
import { eventListener } from "./event-listener.ts";
import { prepareEvents } from "./prepare.ts";
import { sinkNames } from "./sink-rows.ts";

const storedState = rowReader<{ readonly failed: boolean }>({ failed: false });

/**
 * The job that raises an event when the backups of a server begin to fail. The server that makes
 * the backups runs this job itself after each attempt, with its own name as ID, because due jobs
 * may run on another server.
 */
export const backupEvent: Job = {
  kind: backupEventKind,
  of: "deployment",
  budget: 1,
  step: async ({ sys }, server) => {
    const backup = await sys.ports.server?.backup?.();
    const stores = (await sinkNames(sys.store)).length > 0;
    if (!backup || (!stores && !eventListener(sys))) return undefined;
    const key = `eventbackup/${server}`;
    const [row] = await sys.store.get([key]);
    const { failed } = backup;
    if (failed === storedState(row?.value).failed) return undefined;
    const last = backup.succeeded === undefined ? "" : rfc3339nano(backup.succeeded);
    const about = {
      type: "sealwright.backup.failed",
      subject: server,
      data: { last_success: last },
    } as const;
    const { log, announce } = prepareEvents(sys, { path: "sys", stores }, failed ? [about] : []);
    const expect = [[key, row?.rev ?? null]] as const;
    if (await sys.commit({ expect, put: [[key, { failed }]], log })) announce();
    return undefined;
  },
};
