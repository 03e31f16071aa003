import { toBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { RowsInBackup } from "../../engine/rows-in-backup.ts";
import { formatRows } from "../../engine/format.ts";
import type { ExportedRow } from "../../engine/ports.ts";
import { mountSteps } from "../../engine/snapshot.ts";
import { lineOf, signerOf, writePart, type Head } from "./part.ts";
import { macBinding, type Protection } from "./protection.ts";
import { beingRestored } from "./restoring.ts";

/**
 * A part is closed when it has so many bytes, unless it is told otherwise. It is signed at once,
 * and a larger one holds up other calls for longer.
 */
const usualPart = 128 * 1024;
/** Rows that are read from the store at once. */
export const rowsAtOnce = 50;
/** Turns of other calls behind these rows: most calls take about three. */
const turnsBetween = 3;

/** What of a part is still to be written. */
interface Open {
  lines: string[];
  length: number;
}

/**
 * The parts of a backup of a mount: all its rows as they were together when the first part was
 * asked for, whatever is written meanwhile. Rejects with CaError `storage` where that moment is
 * lost.
 */
export async function* backupParts(
  ca: Deployment,
  path: string,
  protection: Protection = { vault: ca.ports.vault },
  partBytes?: number,
): AsyncGenerator<Uint8Array, undefined> {
  yield* partsOf(ca, await source(ca, path, protection), protection, partBytes);
  return undefined;
}

/** The parts of a backup of the rows of a source. */
export async function* partsOf(
  ca: Deployment,
  { from, head, rowsOf }: Source,
  protection: Protection,
  partBytes = usualPart,
): AsyncGenerator<Uint8Array, undefined> {
  const key = ca.ports.random(32);
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

/** Where the rows of a backup come from. */
export interface Source {
  readonly head: Omit<Head, "part" | "key">;
  from(): AsyncIterable<readonly ExportedRow[]>;
  rowsOf(row: ExportedRow): Promise<ExportedRow>;
}
async function source(ca: Deployment, path: string, given: Protection): Promise<Source> {
  const { vault, random, now } = ca.ports;
  const route = (await ca.readMounts()).get(path);
  if (!route) throw new CaError("no_mount", `No secret engine mount at ${path}/`);
  if (route.restoring) throw beingRestored(path);
  const { uuid: id, type } = route;
  // brings older rows up to date, and refuses those of a later version
  await ca.mount(id).config();
  const { store } = ca.storeContext(id);
  const kind = ca.types.get(type);
  if (!store.export || !kind)
    throw new CaError("storage", "the storage of this mount cannot be backed up");
  const head = {
    sealwright_backup: 1,
    id: uuid(random),
    mount: { uuid: id, type, path },
    time: Math.floor(now() / 1000),
    format: formatRows(mountSteps)[0]?.[1] ?? { number: 1 },
    ...(given.passphrase ? { passphrase: given.passphrase } : {}),
  } as const;
  const from = store.export.bind(store, rowsAtOnce);
  const own = given.vault === vault;
  const kindRows = await kind.backup();
  const rowsOf = async (row: ExportedRow): Promise<ExportedRow> =>
    own ? row : { ...row, value: await moved(kindRows, id, row, { from: vault, to: given.vault }) };
  return { head, from, rowsOf };
}
/** The value of a row with its secrets under another key; one that does not open stays as it is. */
async function moved(
  rows: RowsInBackup,
  mount: string,
  { key, value }: ExportedRow,
  between: Parameters<RowsInBackup["resealed"]>[2],
): Promise<unknown> {
  const resealed = await rows.resealed(mount, [key, value], between);
  return resealed ? resealed.value : value;
}
