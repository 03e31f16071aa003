import { CaError } from "../../base/errors.ts";
import type { Decision, Unit } from "../../engine/unit.ts";
import { unitEndpoint } from "../../wire/endpoint.ts";
import { valueOf } from "../rows/change.ts";
import { lazy, readResource } from "../jsonapi/document.ts";
import { invalid, requestFault, VarsError, type Fault } from "../jsonapi/fault.ts";
import { keyPart } from "../rows/ids.ts";
import { quotaOf } from "./quota.ts";
import { workspaceAccess } from "../rights/rights.ts";
import { rowKeys } from "../rows/keys.ts";
import type { KeyRow, VariableRow } from "../rows/rows.ts";
import {
  batchOf,
  blank,
  draftWrite,
  keyTaken,
  merged,
  newDraft,
  sealing,
  workspaceExpected,
  type Sealing,
} from "./write-variable.ts";
import { list } from "../jsonapi/style.ts";
import { lockFaults, readAttributes, type Attributes } from "./variable.ts";
import { manyVariables, onePart, shownEach } from "./variables.ts";
import { storedRows } from "../rows/stored.ts";

/** Most variables of one request. */
const most = 500;

/** One wanted variable: its attributes and the row that keeps its key. */
interface Wanted {
  readonly sent: Attributes;
  readonly key: string;
  readonly kind: VariableRow["kind"];
  readonly at: string;
}

export const writeVarsInBulk = unitEndpoint({
  id: "writeVarsInBulk",
  at: ["POST /workspaces/:workspace_id/vars/bulk"],
  access: "known",
  style: list,
  doc: "Creates or updates up to 500 variables by key and category, all of them or none. Not part of the documented API.",
  body: {
    data: lazy({
      type: "array",
      description: "Resource objects of type `vars`.",
      maxItems: most,
      items: { type: "object" },
    }),
  },
  reply: manyVariables,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, { workspace_id, data }, caller) => {
    const access = await workspaceAccess(ca, caller.id, workspace_id, "writeVariables");
    const wanted = await readWanted(workspace_id, data?.());
    const seal = sealing(ca);
    let done: (() => void) | undefined;
    const demandTurn = () => void (done ??= takeTurn(ca, workspace_id));
    try {
      const rows = await ca.change(() => writeAll(ca, workspace_id, { wanted, seal, demandTurn }));
      return onePart(shownEach(ca, rows, access, "scoped"));
    } finally {
      done?.();
    }
  },
});

async function readWanted(workspace: string, data: unknown): Promise<readonly Wanted[]> {
  if (!Array.isArray(data))
    throw invalid([requestFault("/data", "data must be a list of variables")]);
  if (data.length > most)
    throw invalid([requestFault("/data", `data must hold at most ${most} variables`)]);
  const faults: Fault[] = [];
  const wanted: Wanted[] = [];
  const seen = new Set<string>();
  for (const [i, item] of data.entries()) {
    const found: Fault[] = [];
    const sent = readItem(item, i, faults, found);
    const { key, category } = sent ?? {};
    if (sent && key !== undefined && category !== undefined) {
      const at = rowKeys.variableKey(workspace, category.kind, await keyPart(key));
      if (seen.has(at)) found.push(keyTaken);
      seen.add(at);
      wanted.push({ sent, key, kind: category.kind, at });
    }
    faults.push(...found.map((fault) => inItem(fault, i)));
  }
  if (faults.length) throw invalid(faults);
  return wanted;
}
/** The attributes of one item; faults of its shape already tell where it stands. */
function readItem(
  item: unknown,
  i: number,
  shape: Fault[],
  found: Fault[],
): Attributes | undefined {
  try {
    return readAttributes(
      readResource(item, { type: "vars", at: `/data/${i}` }).attributes,
      new Set(["key", "category"]),
      found,
    );
  } catch (error) {
    if (!(error instanceof VarsError)) throw error;
    shape.push(...error.faults);
    return undefined;
  }
}
const inItem = (fault: Fault, i: number): Fault =>
  fault.source && "pointer" in fault.source
    ? { ...fault, source: { pointer: fault.source.pointer.replace(/^\/data\//, `/data/${i}/`) } }
    : fault;

/** Bytes of values from which on a write is large: it reads and writes all of them at each try. */
const largeBytes = 1024 * 1024;
/**
 * A turn that was not given back, because its request ended early, ends after these milliseconds.
 */
const longestTurn = 30_000;
const turns = new WeakMap<Unit, Map<string, number>>();
/**
 * One large write of a workspace at a time in this process: several would undo each other's tries,
 * of megabytes each. Throws `busy`; nobody waits, because on Workers what waits for another request
 * may wait forever.
 */
function takeTurn(ca: Unit, workspace: string): () => void {
  const held = turns.get(ca) ?? new Map<string, number>();
  turns.set(ca, held);
  const now = ca.ports.now();
  const since = held.get(workspace);
  if (since !== undefined && now >= since && now - since < longestTurn)
    throw new CaError("busy", "another large write to this workspace is in progress; try again");
  held.set(workspace, now);
  return () => void (held.get(workspace) === now && held.delete(workspace));
}

/** What one bulk write is made of; `demandTurn` is called before much is read. */
interface Work {
  readonly wanted: readonly Wanted[];
  readonly seal: Sealing;
  demandTurn(): void;
}
/** All variables as rows that are there or new, in one batch. */
async function writeAll(
  ca: Unit,
  workspace: string,
  { wanted, seal, demandTurn }: Work,
): Promise<Decision<readonly VariableRow[]> | "again"> {
  const [owner, held] = await Promise.all([
    workspaceExpected(ca, workspace),
    ca.store.get(wanted.map(({ at }) => at)),
  ]);
  const keys = held.map((row) => valueOf(storedRows.key, row));
  const bytes = keys.reduce(
    (sum, key, i) => sum + (key?.size ?? 0) + (wanted[i]?.sent.value?.length ?? 0),
    0,
  );
  if (bytes > largeBytes) demandTurn();
  const stored = await storedBy(ca, keys);
  const draft = newDraft();
  draft.expect.push(owner);
  const faults: Fault[] = [];
  const sizes = new Map<string, number>();
  const rows: VariableRow[] = [];
  for (const [i, { sent, key, kind }] of wanted.entries()) {
    const keyRow = keys[i];
    const before = keyRow && stored.get(keyRow.id);
    // the variable went or took another key between the two reads
    if (keyRow && (before?.value.key !== key || before.value.kind !== kind)) return "again";
    if (before) faults.push(...lockFaults(before.value, sent).map((fault) => inItem(fault, i)));
    const { row, size } = await merged(
      ca,
      before?.value ?? blank(ca, workspace, key, kind),
      sent,
      "scoped",
      seal,
    );
    if (size !== undefined || !before) sizes.set(row.id, size ?? 0);
    rows.push(row);
    await draftWrite(
      draft,
      row,
      size ?? keyRow?.size ?? 0,
      before && { row: before, moves: false },
    );
  }
  if (faults.length) throw invalid(faults);
  return {
    reply: rows,
    batch: batchOf(draft, sizes.size ? await quotaOf(ca, workspace, sizes) : undefined),
  };
}
async function storedBy(
  ca: Unit,
  keys: readonly (KeyRow | undefined)[],
): Promise<ReadonlyMap<string, { readonly value: VariableRow; readonly rev: number }>> {
  const ids = keys.flatMap((key) => (key ? [key.id] : []));
  if (ids.length === 0) return new Map();
  const rows = await ca.store.get(ids.map(rowKeys.variable));
  const held = rows.flatMap((row) =>
    row ? [{ value: storedRows.variable(row.value), rev: row.rev }] : [],
  );
  return new Map(held.map((row) => [row.value.id, row]));
}
