import { toBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { lastNumberPrefix } from "../../base/row-keys.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { RowsInBackup } from "../../engine/rows-in-backup.ts";
import { formatRows } from "../../engine/format.ts";
import { partitionsMember } from "../../engine/mount-stores.ts";
import type { ExportedRow, Store } from "../../engine/ports.ts";
import { mountSteps } from "../../engine/snapshot.ts";
import { lineOf, signerOf, writePart, type Head } from "./part.ts";
import { macBinding, type Protection } from "./protection.ts";
import { lastNumbersOf } from "./last-numbers.ts";
import { partitionEntries } from "./partition-entries.ts";
import { beingRestored } from "./restoring.ts";

/**
 * Default size in bytes at which a part is completed. A part is authenticated as a whole, so larger
 * parts would block other requests for longer.
 */
const usualPart = 128 * 1024;
/** Number of rows to read from the store at a time. */
export const rowsAtOnce = 50;
/**
 * Number of yields to the event loop between two reads. Most requests need about three turns of the
 * event loop.
 */
const turnsBetween = 3;

/** The part of the backup that is being filled. */
interface Open {
  lines: string[];
  length: number;
}

/**
 * Yields the parts of a mount's backup. It contains the rows as of the first part, regardless of
 * concurrent writes, with the audit events of all partitions. Rejects with CaError `no_mount` if
 * there is no mount at the path. Rejects with `storage` if the store cannot be backed up, or can no
 * longer provide that state.
 */
export async function* backupParts(
  deployment: Deployment,
  path: string,
  protection: Protection = { vault: deployment.ports.vault },
  partBytes?: number,
): AsyncGenerator<Uint8Array, undefined> {
  yield* partsOf(deployment, await source(deployment, path, protection), protection, partBytes);
  return undefined;
}

/** Yields a backup of a source's rows in parts. */
export async function* partsOf(
  deployment: Deployment,
  { from, head, rowsOf }: Source,
  protection: Protection,
  partBytes = usualPart,
): AsyncGenerator<Uint8Array, undefined> {
  const key = deployment.ports.random(32);
  const signer = await signerOf(key);
  const sealed = toBase64(await protection.vault.seal(key, macBinding(head)));
  let [part, open]: [number, Open] = [1, { lines: [], length: 0 }];
  const written = (last: boolean) =>
    writePart({ ...head, part, key: sealed }, open.lines, last, signer);
  for await (const rows of from()) {
    for (let turns = 0; turns < turnsBetween; turns++) await yieldToEventLoop();
    for (const row of rows) {
      const line = lineOf(await rowsOf(row));
      if (open.length + line.length > partBytes && open.length > 0) {
        yield await written(false);
        [part, open] = [part + 1, { lines: [], length: 0 }];
      }
      open.lines.push(line);
      open.length += line.length;
    }
  }
  yield await written(true);
  return undefined;
}

/** The source of a backup's rows. */
interface Source {
  readonly head: Omit<Head, "part" | "key">;
  from(): AsyncIterable<readonly ExportedRow[]>;
  rowsOf(row: ExportedRow): Promise<ExportedRow>;
}
async function source(
  deployment: Deployment,
  path: string,
  protection: Protection,
): Promise<Source> {
  const { vault, random, now } = deployment.ports;
  const route = (await deployment.readMounts()).get(path);
  if (!route) throw new CaError("no_mount", `No secret engine mount at ${path}/`);
  if (route.restoring) throw beingRestored(path);
  const { uuid: id, type, partitions = 1 } = route;
  // migrates older rows, and rejects rows that a later version wrote
  await deployment.mount(id).config();
  const { store } = deployment.storeContext(id);
  const kind = deployment.types.get(type);
  if (!store.export || !kind)
    throw new CaError("storage", "the storage of this mount cannot be backed up");
  const head = {
    sealwright_backup: 1,
    id: uuid(random),
    mount: { uuid: id, type, path, ...partitionsMember(partitions) },
    time: Math.floor(now() / 1000),
    format: formatRows(mountSteps)[0]?.[1] ?? { number: 1 },
    ...(protection.passphrase ? { passphrase: protection.passphrase } : {}),
  } as const;
  const exported = store.export.bind(store, rowsAtOnce);
  const own = protection.vault === vault;
  const kindRows = await kind.backup();
  const from = () => withLogs(store, kindRows.logs, exported());
  const rowsOf = async (row: ExportedRow): Promise<ExportedRow> =>
    own
      ? row
      : { ...row, value: await moved(kindRows, id, row, { from: vault, to: protection.vault }) };
  return { head, from, rowsOf };
}
/**
 * Yields exported rows, with the log entries of partitions other than the first, and the highest
 * last number of each log in any partition. A restored mount continues numbering from there in all
 * partitions, so that none reuses a number.
 */
async function* withLogs(
  store: Store,
  logs: readonly string[],
  parts: AsyncIterable<readonly ExportedRow[]>,
): AsyncIterable<readonly ExportedRow[]> {
  let isFirst = true;
  for await (const rows of parts) {
    const several = store.partitions !== undefined;
    yield several ? rows.filter(({ key }) => !key.startsWith(lastNumberPrefix)) : rows;
    // the snapshots of all partitions exist now, so the entries cover all exported rows; they are
    // read before the other rows, because an audit log may lose its oldest events at any time
    if (isFirst && several) yield* partitionEntries(store, logs, rowsAtOnce);
    isFirst = false;
  }
  // read after the rows, so that no row has a higher number
  if (store.partitions)
    yield [...(await lastNumbersOf(store))].map(([key, value]) => ({ key, value, rev: 0 }));
}
/**
 * Returns a row's value with its secrets resealed under another key. Secrets that cannot be opened
 * stay unchanged.
 */
async function moved(
  rows: RowsInBackup,
  mount: string,
  { key, value }: ExportedRow,
  between: Parameters<RowsInBackup["resealed"]>[2],
): Promise<unknown> {
  const resealed = await rows.resealed(mount, [key, value], between);
  return resealed ? resealed.value : value;
}
