import { toHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { hashedName } from "../../engine/login-records.ts";
import type { Batch } from "../../engine/ports.ts";
import type { Unit } from "../../engine/unit.ts";
import type { Held, IdentityKind } from "./found.ts";

/** The id of an entity or group that is being made, and its row with a drawn name. */
export function drawn<R>(
  { what, read }: IdentityKind<R>,
  { ports }: Unit,
  more: Readonly<Record<string, unknown>> = {},
): { readonly id: string; readonly row: R } {
  const name = `${what}_${toHex(ports.random(4))}`;
  const created = Math.floor(ports.now() / 1000);
  return { id: uuid(ports.random), row: read({ ...more, name, created }) };
}

/** The change that gives an entity or group its name. Throws `malformed` where another has it. */
export async function renaming<R extends { readonly name: string }>(
  { what, nameKey }: IdentityKind<R>,
  { store }: Unit,
  held: Held<R> | undefined,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<Required<Pick<Batch, "expect" | "put" | "del">>> {
  if (held?.row.name === name) return { expect: [], put: [], del: [] };
  const key = nameKey(await hashedName(name));
  if ((await store.get([key]))[0]) throw new CaError("malformed", `${what} name is already in use`);
  const del = held ? [nameKey(await hashedName(held.row.name))] : [];
  return { expect: [[key, null]], put: [[key, { id }]], del };
}

/** The ids of all entities or groups, sorted, with what is told of each; undefined without any. */
export async function listedIds<R, Told>(
  { below, read }: IdentityKind<R>,
  { store }: Unit,
  tell: (row: R) => Told,
) {
  const rows = await store.list(below);
  if (rows.length === 0) return undefined;
  const told = rows.map(
    ([key, { value }]) => [key.slice(below.length), tell(read(value))] as const,
  );
  return { keys: told.map(([id]) => id), key_info: Object.fromEntries(told) };
}

/** The names of all entities or groups, sorted; undefined without any. */
export async function listedNames<R extends { readonly name: string }>(
  { below, read }: IdentityKind<R>,
  { store }: Unit,
) {
  const rows = await store.list(below);
  if (rows.length === 0) return undefined;
  return { keys: rows.map(([, { value }]) => read(value).name).sort() };
}
