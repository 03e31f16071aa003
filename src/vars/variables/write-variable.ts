import type { Decision, Unit } from "../../engine/unit.ts";
import { fromUtf8, utf8 } from "../../base/bytes.ts";
import type { Batch, Expect, Row } from "../../engine/ports.ts";
import { rowsOf, valueOf } from "../rows/change.ts";
import { attributeFault, invalid, notFound, type Fault } from "../jsonapi/fault.ts";
import { isId, keyPart, newId, newVersion } from "../rows/ids.ts";
import { quotaOf, type Quota } from "./quota.ts";
import { rowKeys, valueBinding, variableIndex } from "../rows/keys.ts";
import type { KeyRow, Kind, VariableRow } from "../rows/rows.ts";
import {
  inOrder,
  lockFaults,
  sizeOf,
  spellingsAfter,
  type Attributes,
  type Surface,
} from "./variable.ts";
import { storedRows } from "../rows/stored.ts";

/** Variables in portions, each read when it is taken. */
export type Portions = AsyncGenerator<readonly VariableRow[], undefined>;
/**
 * Most bytes of values that are read at once, and most variables: a workspace may hold 16 MiB, and
 * be listed many times at once.
 */
const [portionBytes, portionCount] = [1024 * 1024, 500];

/**
 * What is known of the variables of a workspace without their values, in the order of lists; with
 * `most`, of one that has more only one more than that.
 */
export async function keyRowsIn(
  ca: Unit,
  workspace: string,
  most?: number,
): Promise<readonly KeyRow[]> {
  const rows = await ca.store.list(
    rowKeys.variableKeys(workspace),
    most === undefined ? {} : { limit: most + 1 },
  );
  return rows.map(([, row]) => storedRows.key(row.value)).sort(inOrder);
}
/**
 * Some variables of a workspace, in their order. One that is changed meanwhile comes as it is then,
 * one that is deleted does not.
 */
export async function* variablesOf(ca: Unit, workspace: string, keys: readonly KeyRow[]): Portions {
  for (let at = 0, end = 0; at < keys.length; at = end) {
    let bytes = 0;
    for (end = at; end < keys.length && end - at < portionCount; end++) {
      bytes += keys[end]?.size ?? 0;
      if (bytes > portionBytes && end > at) break;
    }
    const rows = await rowsOf(
      ca,
      storedRows.variable,
      keys.slice(at, end).map(({ id }) => rowKeys.variable(id)),
    );
    yield rows.filter((row) => row.workspace === workspace);
  }
  return undefined;
}
/** The variables of a workspace, in the order of lists. */
export async function* variablesIn(ca: Unit, workspace: string): Portions {
  return yield* variablesOf(ca, workspace, await keyRowsIn(ca, workspace));
}
/** A variable with its revision, if it is there. */
export async function variableNow(ca: Unit, id: string): Promise<Row<VariableRow> | undefined> {
  if (!isId("var", id)) return undefined;
  const [row] = await ca.store.get([rowKeys.variable(id)]);
  const value = valueOf(storedRows.variable, row);
  return row && value && { value, rev: row.rev };
}
/** A variable of a workspace with its revision. Throws 404. */
export async function variableRow(
  ca: Unit,
  id: string,
  workspace: string,
): Promise<Row<VariableRow>> {
  const row = await variableNow(ca, id);
  if (row?.value.workspace !== workspace) throw notFound();
  return row;
}

/** One write of several variables of a workspace: its rows, and what it expects of others. */
export interface Draft {
  readonly expect: Expect[];
  readonly put: [key: string, value: unknown, index?: ReturnType<typeof variableIndex>][];
  readonly del: string[];
}
/** A draft that changes nothing yet. */
export const newDraft = (): Draft => ({ expect: [], put: [], del: [] });
/** The key belongs to another variable of the workspace. */
export const keyTaken: Fault = attributeFault("key", "Key has already been taken");

/** The values that a write stores: sealed once however often the write is made again. */
export type Sealing = (id: string, value: string) => Promise<Uint8Array>;
/** Seals values for the tries of one write. */
export function sealing(ca: Unit): Sealing {
  const sealed = new Map<string, Promise<Uint8Array>>();
  return (id, value) => {
    const key = `${id} ${value}`;
    const known = sealed.get(key) ?? ca.ports.vault.seal(utf8(value), valueBinding(id));
    sealed.set(key, known);
    return known;
  };
}
/** The value that a stored row holds, sealed or not. */
export async function openValue(ca: Unit, row: VariableRow): Promise<string> {
  if (typeof row.value === "string") return row.value;
  return fromUtf8(await ca.ports.vault.unseal(row.value, valueBinding(row.id)));
}

/** A new variable, or the stored one with what was sent laid over it. */
export async function merged(
  ca: Unit,
  stored: VariableRow,
  sent: Attributes,
  surface: Surface,
  seal: Sealing,
): Promise<{ readonly row: VariableRow; readonly size: number | undefined }> {
  const sensitive = sent.sensitive ?? stored.sensitive;
  const given = sent.value === null ? (stored.sensitive ? undefined : "") : sent.value;
  // what is written is sealed under the current key, so that the previous one loses its use with
  // time
  const value = given ?? (sensitive ? await openValue(ca, stored) : undefined);
  const row: VariableRow = {
    ...stored,
    key: sent.key ?? stored.key,
    kind: sent.category?.kind ?? stored.kind,
    value: value === undefined ? stored.value : sensitive ? await seal(stored.id, value) : value,
    sensitive,
    hcl: sent.hcl ?? stored.hcl,
    description: sent.description === undefined ? stored.description : sent.description,
    version: newVersion(ca.ports.random),
    ...spellingsAfter(stored, sent, surface),
  };
  return { row, size: given === undefined ? undefined : sizeOf(given) };
}
/** A variable that does not exist yet. */
export const blank = (ca: Unit, workspace: string, key: string, kind: Kind): VariableRow => ({
  id: newId("var", ca.ports.random),
  workspace,
  key,
  kind,
  value: "",
  sensitive: false,
  hcl: false,
  description: null,
  version: "",
  created: ca.ports.now(),
});

/** Puts a variable and its key row into a draft. `before`: as it was stored. */
export async function draftWrite(
  draft: Draft,
  row: VariableRow,
  size: number,
  before?: { readonly row: Row<VariableRow>; readonly moves: boolean },
): Promise<void> {
  const held: KeyRow = { id: row.id, key: row.key, kind: row.kind, size };
  const key = rowKeys.variableKey(row.workspace, row.kind, await keyPart(row.key));
  if (!before || before.moves) draft.expect.push([key, null]);
  draft.expect.push([rowKeys.variable(row.id), before?.row.rev ?? null]);
  if (before?.moves)
    draft.del.push(
      rowKeys.variableKey(
        row.workspace,
        before.row.value.kind,
        await keyPart(before.row.value.key),
      ),
    );
  draft.put.push([rowKeys.variable(row.id), row, variableIndex(row.workspace)], [key, held]);
}
/** The draft as a batch that goes with the workspace as it was read and with its quota. */
export const batchOf = (draft: Draft, quota?: Quota): Batch => ({
  expect: [...draft.expect, ...(quota?.expect ?? [])],
  put: [...draft.put, ...(quota?.put ?? [])],
  del: draft.del,
});
/** The workspace's row as a batch expects it. Throws 404 when it is gone. */
export async function workspaceExpected(ca: Unit, workspace: string): Promise<Expect> {
  const key = rowKeys.workspace(workspace);
  const [row] = await ca.store.get([key]);
  if (!row) throw notFound();
  return [key, row.rev];
}

/**
 * Makes a variable. Throws 422 when the key is taken or the workspace would grow too large;
 * `faults` were found before.
 */
export async function createVariable(
  ca: Unit,
  workspace: string,
  sent: Attributes,
  surface: Surface,
  faults: readonly Fault[],
): Promise<VariableRow> {
  const { key, category } = sent;
  const fit = faults.length === 0;
  if (key === undefined || category === undefined) throw invalid(faults);
  const fresh = blank(ca, workspace, key, category.kind);
  const at = rowKeys.variableKey(workspace, category.kind, await keyPart(key));
  const seal = sealing(ca);
  const made = await ca.change(
    async (): Promise<Decision<{ readonly row: VariableRow; readonly size: number }>> => {
      const [owner, [taken]] = await Promise.all([
        workspaceExpected(ca, workspace),
        ca.store.get([at]),
      ]);
      if (taken || !fit) throw invalid(withTaken(faults, taken !== undefined));
      const { row, size = 0 } = await merged(ca, fresh, sent, surface, seal);
      const quota = await quotaOf(ca, workspace, new Map([[row.id, size]]));
      const draft = newDraft();
      draft.expect.push(owner);
      await draftWrite(draft, row, size);
      return { reply: { row, size }, batch: batchOf(draft, quota) };
    },
  );
  return made.row;
}
/** Faults in the order of attributes: a key that is taken comes first. */
const withTaken = (faults: readonly Fault[], taken: boolean): readonly Fault[] =>
  taken ? [keyTaken, ...faults] : faults;

/**
 * Changes a variable. Throws 404 when it is gone, 422 when it does not let itself be changed so.
 */
export async function updateVariable(
  ca: Unit,
  place: { readonly id: string; readonly workspace: string },
  sent: Attributes,
  surface: Surface,
  faults: readonly Fault[],
): Promise<VariableRow> {
  const seal = sealing(ca);
  return ca.change(async (): Promise<Decision<VariableRow> | "again"> => {
    const before = await variableRow(ca, place.id, place.workspace);
    const stored = before.value;
    const kind = sent.category?.kind ?? stored.kind;
    const key = sent.key ?? stored.key;
    const moves = kind !== stored.kind || key !== stored.key;
    const [at, from] = [
      rowKeys.variableKey(stored.workspace, kind, await keyPart(key)),
      rowKeys.variableKey(stored.workspace, stored.kind, await keyPart(stored.key)),
    ];
    const [now, taken, held] = await ca.store.get([rowKeys.variable(stored.id), at, from]);
    if (now?.rev !== before.rev) return "again";
    const found = inAttributeOrder([
      ...withTaken(faults, moves && taken !== undefined),
      ...lockFaults(stored, sent),
    ]);
    if (found.length) throw invalid(found);
    const { row, size } = await merged(ca, stored, sent, surface, seal);
    const oldSize = valueOf(storedRows.key, held)?.size;
    if (oldSize === undefined) throw new TypeError("a variable has no key row");
    const quota =
      size !== undefined && size > oldSize
        ? await quotaOf(ca, stored.workspace, new Map([[row.id, size]]))
        : undefined;
    const draft = newDraft();
    await draftWrite(draft, row, size ?? oldSize, { row: before, moves });
    return { reply: row, batch: batchOf(draft, quota) };
  });
}
const order = ["key", "value", "description", "category", "hcl", "sensitive"].map(
  (name) => `/data/attributes/${name}`,
);
const placeIn = ({ source }: Fault): number =>
  order.indexOf(source && "pointer" in source ? source.pointer : "");
const inAttributeOrder = (faults: readonly Fault[]): readonly Fault[] =>
  faults.toSorted((one, other) => placeIn(one) - placeIn(other));

/** Deletes a variable. Throws 404 when it is gone. */
export async function deleteVariable(ca: Unit, id: string, workspace: string): Promise<void> {
  await ca.change(async () => {
    const { value, rev } = await variableRow(ca, id, workspace);
    const key = rowKeys.variableKey(workspace, value.kind, await keyPart(value.key));
    return {
      reply: undefined,
      batch: { expect: [[rowKeys.variable(id), rev]], del: [rowKeys.variable(id), key] },
    };
  });
}
