import { CaError } from "../base/errors.ts";
import { bringUpToDate, formatKey, formatRows } from "../engine/format.ts";
import { sysKeys } from "../engine/sys-records.ts";
import type { Unit } from "../engine/unit.ts";
import { rowOf, valueOf } from "./rows/change.ts";
import { varsSteps } from "./rows/format.ts";
import { keyPart, newId } from "./rows/ids.ts";
import { rowKeys } from "./rows/keys.ts";
import { newOrganization } from "./rows/new-organization.ts";
import type { InstalledRow, UserRow } from "./rows/rows.ts";
import { storedRows } from "./rows/stored.ts";

const installations = new WeakMap<Unit, InstalledRow>();

/**
 * The first user, organization and team; the first use of all makes them. Throws CaError `storage`
 * when they were there before.
 */
export async function getInstallation(unit: Unit): Promise<InstalledRow> {
  const known = installations.get(unit.self);
  if (known) return known;
  const { first, noted } = await firstUse(unit);
  if (noted && !first) throw new CaError("storage", lostRows);
  const found = first ?? (await install(unit));
  if (noted || (await noteUsed(unit))) installations.set(unit.self, found);
  return found;
}
/**
 * Id of the first user as the store has it now: whoever begins anew elsewhere makes another one.
 * Throws CaError `storage` when the rows were lost meanwhile.
 */
export async function readFirstUserId(unit: Unit): Promise<string> {
  const [known, held] = [
    await getInstallation(unit),
    await rowOf(unit, storedRows.installed, rowKeys.installed),
  ];
  if (held?.user === known.user) return known.user;
  const [marker] = await unit.sys.store.get([sysKeys.installed]);
  if (!marker)
    throw new CaError(
      "storage",
      "the stored data of the variables API was deleted while it was in use: load the page (or start the process) again to begin with an empty one",
    );
  installations.delete(unit.self);
  return (await getInstallation(unit)).user;
}
async function install(unit: Unit): Promise<InstalledRow> {
  const { random, now } = unit.ports;
  const user: UserRow = {
    id: newId("user", random),
    username: "admin",
    email: "admin@localhost",
    admin: true,
  };
  const { put } = newOrganization(random, now(), {
    name: "default",
    email: user.email,
    owner: user.id,
  });
  // of several first starts one wins
  await unit.store.commit({
    expect: [[rowKeys.installed, null]],
    put: [
      [rowKeys.installed, { user: user.id }],
      ...formatRows(varsSteps),
      [rowKeys.user(user.id), user],
      [rowKeys.username(await keyPart(user.username)), user.id],
      ...put,
    ],
  });
  const made = await rowOf(unit, storedRows.installed, rowKeys.installed);
  if (!made) throw new TypeError("the store did not keep what was written");
  return made;
}
const lostRows =
  "the data of the variables API is missing; restore its store from a backup or start over with POST /v1/sys/begin-anew";
/** What the first use made, and whether the system's store knows of it. */
async function firstUse(
  unit: Unit,
): Promise<{ readonly first: InstalledRow | undefined; readonly noted: boolean }> {
  const [noted, held] = await Promise.all([noteOf(unit), installedRow(unit)]);
  // the note is written after the rows: where both came meanwhile, the rows are there by now
  return {
    first: held ?? (noted ? await rowOf(unit, storedRows.installed, rowKeys.installed) : undefined),
    noted,
  };
}
/** What the first use made; rows of an older format are brought up to date. */
async function installedRow({ store }: Unit): Promise<InstalledRow | undefined> {
  const [row, format] = await store.get([rowKeys.installed, formatKey]);
  if (row) await bringUpToDate(store, format, varsSteps);
  return valueOf(storedRows.installed, row);
}
async function noteOf(unit: Unit): Promise<boolean> {
  const [note] = await unit.sys.store.get([sysKeys.used(unit.name)]);
  return note !== undefined;
}
/**
 * Notes in the system's store that there are variables, so that their loss is seen; says whether
 * that was done.
 */
async function noteUsed(unit: Unit): Promise<boolean> {
  try {
    await unit.sys.store.commit({
      expect: [[sysKeys.used(unit.name), null]],
      put: [[sysKeys.used(unit.name), true]],
    });
    return true;
  } catch {
    // a store that takes no writes must not take reads from callers; the next call tries again
    return false;
  }
}
/**
 * Whether the rows were lost, in one sentence; undefined when they are there, or were never made.
 */
export async function describeLoss(unit: Unit): Promise<string | undefined> {
  // where nobody has used variables yet their store is not even opened
  if (!(await noteOf(unit))) return undefined;
  return (await installedRow(unit)) ? undefined : lostRows;
}

/**
 * Forgets that there were variables, so that the next use makes the first user again. Throws
 * CaError `conflict` where a row of theirs is left.
 */
export async function forgetInstallation(unit: Unit): Promise<void> {
  const key = sysKeys.used(unit.name);
  const [[note], rows] = await Promise.all([
    unit.sys.store.get([key]),
    unit.store.list("", { limit: 1, values: false }),
  ]);
  const forgotten =
    note !== undefined &&
    rows.length === 0 &&
    (await unit.sys.store.commit({ expect: [[key, note.rev]], del: [key] }));
  if (!forgotten) throw new CaError("conflict", "the data of the variables API is not missing");
  installations.delete(unit.self);
}
