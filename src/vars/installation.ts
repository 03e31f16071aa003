import { CaError } from "../base/errors.ts";
import { bringUpToDate, formatKey, formatRows } from "../engine/format.ts";
import { sysKeys } from "../engine/sys-records.ts";
import type { Partition } from "../engine/partition.ts";
import { rowOf, valueOf } from "./rows/change.ts";
import { varsSteps } from "./rows/format.ts";
import { keyPart, newId } from "./rows/ids.ts";
import { rowKeys } from "./rows/keys.ts";
import { newOrganization } from "./rows/new-organization.ts";
import type { InstalledRow, UserRow } from "./rows/rows.ts";
import { storedRows } from "./rows/stored.ts";

const installations = new WeakMap<Partition, InstalledRow>();

/**
 * Returns the first user, organization and team, and creates them on first use. Throws CaError
 * `storage` if they existed and are lost.
 */
export async function getInstallation(partition: Partition): Promise<InstalledRow> {
  const known = installations.get(partition.self);
  if (known) return known;
  const { first, noted } = await firstUse(partition);
  if (noted && !first) throw new CaError("storage", lostRows);
  const found = first ?? (await install(partition));
  if (noted || (await noteUsed(partition))) installations.set(partition.self, found);
  return found;
}
/**
 * Reads the ID of the first user from the store, since it changes when the installation is reset.
 * Throws CaError `storage` if the rows were lost meanwhile.
 */
export async function readFirstUserId(partition: Partition): Promise<string> {
  const [known, held] = [
    await getInstallation(partition),
    await rowOf(partition, storedRows.installed, rowKeys.installed),
  ];
  if (held?.user === known.user) return known.user;
  const [marker] = await partition.sys.store.get([sysKeys.installed]);
  if (!marker)
    throw new CaError(
      "storage",
      "the stored data of the variables API was deleted while it was in use: load the page (or start the process) again to begin with an empty one",
    );
  installations.delete(partition.self);
  return (await getInstallation(partition)).user;
}
async function install(partition: Partition): Promise<InstalledRow> {
  const { random, now } = partition.ports;
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
  await partition.store.commit({
    expect: [[rowKeys.installed, null]],
    put: [
      [rowKeys.installed, { user: user.id }],
      ...formatRows(varsSteps),
      [rowKeys.user(user.id), user],
      [rowKeys.username(await keyPart(user.username)), user.id],
      ...put,
    ],
  });
  const made = await rowOf(partition, storedRows.installed, rowKeys.installed);
  if (!made) throw new TypeError("the store did not keep what was written");
  return made;
}
const lostRows =
  "the data of the variables API is missing; restore its store from a backup or start over with POST /v1/sys/begin-anew";
/** The installation, and whether the `sys` store records it. */
async function firstUse(
  partition: Partition,
): Promise<{ readonly first: InstalledRow | undefined; readonly noted: boolean }> {
  const [noted, held] = await Promise.all([noteOf(partition), installedRow(partition)]);
  // the note is written after the rows: where both came meanwhile, the rows are there by now
  return {
    first:
      held ?? (noted ? await rowOf(partition, storedRows.installed, rowKeys.installed) : undefined),
    noted,
  };
}
/** Reads the installation; rows of an older format are upgraded. */
async function installedRow({ store }: Partition): Promise<InstalledRow | undefined> {
  const [row, format] = await store.get([rowKeys.installed, formatKey]);
  if (row) await bringUpToDate(store, format, varsSteps);
  return valueOf(storedRows.installed, row);
}
async function noteOf(partition: Partition): Promise<boolean> {
  const [note] = await partition.sys.store.get([sysKeys.used(partition.name)]);
  return note !== undefined;
}
/**
 * Records in the `sys` store that variables exist, so that their loss is noticed; returns whether
 * it succeeded.
 */
async function noteUsed(partition: Partition): Promise<boolean> {
  try {
    await partition.sys.store.commit({
      expect: [[sysKeys.used(partition.name), null]],
      put: [[sysKeys.used(partition.name), true]],
    });
    return true;
  } catch {
    // a read-only store must not break reads; the next call tries again
    return false;
  }
}
/** Returns one sentence if the rows were lost; undefined if they exist, or never did. */
export async function describeLoss(partition: Partition): Promise<string | undefined> {
  // if the API was never used, its store is not even opened
  if (!(await noteOf(partition))) return undefined;
  return (await installedRow(partition)) ? undefined : lostRows;
}

/**
 * Forgets the installation, so that the next use creates it again. Throws CaError `conflict` if
 * rows are left.
 */
export async function forgetInstallation(partition: Partition): Promise<void> {
  const key = sysKeys.used(partition.name);
  const [[note], rows] = await Promise.all([
    partition.sys.store.get([key]),
    partition.store.list("", { limit: 1, values: false }),
  ]);
  const forgotten =
    note !== undefined &&
    rows.length === 0 &&
    (await partition.sys.store.commit({ expect: [[key, note.rev]], del: [key] }));
  if (!forgotten) throw new CaError("conflict", "the data of the variables API is not missing");
  installations.delete(partition.self);
}
