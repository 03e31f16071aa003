import { CaError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { commitByPlace } from "../../engine/batches-by-place.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { firstName } from "../request/template.ts";
import {
  certIndex,
  isIntact,
  keys,
  type NewestIndexRow,
  rowPrefixes,
  storedPki,
} from "../rows/records.ts";

const kind = "newest-index";

/**
 * Reports whether the index on notBefore contains every certificate of a mount. If it does not,
 * starts the job that adds the certificates stored by earlier versions, unless it was already
 * started.
 */
export async function hasNewestIndex(mount: Mount): Promise<boolean> {
  const [row] = await mount.store.get([keys.newestIndex]);
  if (row) return storedPki.newestIndex(row.value).done;
  const [first] = await mount.store.list(rowPrefixes.certs, { limit: 1, values: false });
  const done = first === undefined;
  const now = mount.ports.now();
  await mount.storeContext.commit({
    // another search may have started the job
    expect: [[keys.newestIndex, null]],
    put: [
      [keys.newestIndex, { done } satisfies NewestIndexRow],
      ...(done ? [] : [jobRow({ due: now, now }, kind, "")]),
    ],
    upkeep: [keys.newestIndex],
  });
  return done;
}

/** Number of rows to index per step, in one commit. */
const rowsPerStep = 64;

/**
 * Returns the batch that indexes rows. Does not change rows whose certificate was altered or cannot
 * be parsed.
 */
function indexed(rows: Awaited<ReturnType<Mount["store"]["list"]>>): Batch {
  const certificates = rows.flatMap(([key, { value, rev }]) => {
    const row = storedPki.cert(value);
    const certificate = isIntact(row) ? readable(row.der) : undefined;
    if (!certificate) return [];
    const { notBefore, notAfter } = certificate;
    const index = certIndex({ ...row, notBefore, notAfter, name: firstName(certificate) });
    return [{ key, value, rev, index }];
  });
  return {
    expect: certificates.map(({ key, rev }) => [key, rev]),
    put: certificates.map(({ key, value, index }) => [key, value, index]),
    upkeep: certificates.map(({ key }) => key),
  };
}
function readable(der: Uint8Array) {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}

/** The job that adds the certificates stored by earlier versions to the index on notBefore. */
export const newestIndexJob: Job<{ readonly after: string }> = {
  kind,
  of: "mount",
  budget: 50,
  step: async (mount, _, progress) => {
    await yieldToEventLoop();
    const after = progress?.after ?? rowPrefixes.certs;
    const rows = await mount.store.list(rowPrefixes.certs, { after, limit: rowsPerStep });
    const last = rows.at(-1)?.[0];
    if (last === undefined) {
      await mount.storeContext.commit({
        put: [[keys.newestIndex, { done: true } satisfies NewestIndexRow]],
        upkeep: [keys.newestIndex],
      });
      return undefined;
    }
    const batch = indexed(rows);
    // if a row was changed concurrently, the step is repeated
    const isStored = batch.put?.length === 0 || (await commitByPlace(mount.storeContext, batch));
    return { after: isStored ? last : after };
  },
};
