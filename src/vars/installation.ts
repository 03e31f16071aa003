import { CaError } from "../base/errors.ts";
import { bringUpToDate, formatKey, formatRows } from "../engine/format.ts";
import { sysKeys } from "../engine/sys-records.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { rowOf, valueOf } from "./rows/change.ts";
import { varsSteps } from "./rows/format.ts";
import { keyPart, newId } from "./rows/ids.ts";
import { rowKeys } from "./rows/keys.ts";
import { newOrganization } from "./rows/new-organization.ts";
import type { InstalledRow, UserRow } from "./rows/rows.ts";
import { storedRows } from "./rows/stored.ts";

const installations = new WeakMap<StoreContext, InstalledRow>();

/**
 * Returns the installation. On first use, creates it with the initial user, organization and team.
 * Rejects with CaError `storage` if the installation existed before but its rows are lost.
 */
export async function getInstallation(storeContext: StoreContext): Promise<InstalledRow> {
  const cached = installations.get(storeContext.self);
  if (cached) return cached;
  const { first, noted } = await firstUse(storeContext);
  if (noted && !first) throw new CaError("storage", lostRows);
  const installation = first ?? (await install(storeContext));
  if (noted || (await noteUsed(storeContext))) installations.set(storeContext.self, installation);
  return installation;
}
/**
 * Reads the ID of the initial user from the store, because it changes when the installation is
 * reset. Rejects with CaError `storage` if the rows have been lost in the meantime.
 */
export async function readFirstUserId(storeContext: StoreContext): Promise<string> {
  const [installation, row] = [
    await getInstallation(storeContext),
    await rowOf(storeContext, storedRows.installed, rowKeys.installed),
  ];
  if (row?.user === installation.user) return installation.user;
  const [marker] = await storeContext.sys.store.get([sysKeys.installed]);
  if (!marker)
    throw new CaError(
      "storage",
      "the stored data of the variables API was deleted while in use: reload the page (or restart the process) to start with an empty store",
    );
  installations.delete(storeContext.self);
  return (await getInstallation(storeContext)).user;
}
async function install(storeContext: StoreContext): Promise<InstalledRow> {
  const { random, now } = storeContext.ports;
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
  // if several processes create the installation concurrently, only one succeeds
  await storeContext.store.commit({
    expect: [[rowKeys.installed, null]],
    put: [
      [rowKeys.installed, { user: user.id }],
      ...formatRows(varsSteps),
      [rowKeys.user(user.id), user],
      [rowKeys.username(await keyPart(user.username)), user.id],
      ...put,
    ],
  });
  const row = await rowOf(storeContext, storedRows.installed, rowKeys.installed);
  if (!row) throw new TypeError("the store lost a row that was just written");
  return row;
}
const lostRows =
  "the data of the variables API is missing; restore its store from a backup or start over with POST /v1/sys/begin-anew";
/**
 * Returns the installation if it exists, and whether the `sys` store records that it once existed.
 */
async function firstUse(
  storeContext: StoreContext,
): Promise<{ readonly first: InstalledRow | undefined; readonly noted: boolean }> {
  const [noted, row] = await Promise.all([noteOf(storeContext), installedRow(storeContext)]);
  // the record is written after the rows, so if it was just written, the rows exist by now
  return {
    first:
      row ??
      (noted ? await rowOf(storeContext, storedRows.installed, rowKeys.installed) : undefined),
    noted,
  };
}
/** Reads the installation. Migrates the store first if its format is older. */
async function installedRow({ store }: StoreContext): Promise<InstalledRow | undefined> {
  const [row, format] = await store.get([rowKeys.installed, formatKey]);
  if (row) await bringUpToDate(store, format, varsSteps);
  return valueOf(storedRows.installed, row);
}
async function noteOf(storeContext: StoreContext): Promise<boolean> {
  const [note] = await storeContext.sys.store.get([sysKeys.used(storeContext.name)]);
  return note !== undefined;
}
/**
 * Records in the `sys` store that the installation exists, so that its loss is detected. Returns
 * whether this succeeded.
 */
async function noteUsed(storeContext: StoreContext): Promise<boolean> {
  try {
    await storeContext.sys.store.commit({
      expect: [[sysKeys.used(storeContext.name), null]],
      put: [[sysKeys.used(storeContext.name), true]],
    });
    return true;
  } catch {
    // a read-only store must not break reads; the next request tries again
    return false;
  }
}
/** Returns an error message if the rows were lost, or undefined if they exist or never existed. */
export async function describeLoss(storeContext: StoreContext): Promise<string | undefined> {
  // does not open the store if the API was never used
  if (!(await noteOf(storeContext))) return undefined;
  return (await installedRow(storeContext)) ? undefined : lostRows;
}

/**
 * Forgets a lost installation, so that the next use creates a new installation. Rejects with
 * CaError `conflict` if the store still has rows, or never had an installation.
 */
export async function forgetInstallation(storeContext: StoreContext): Promise<void> {
  const key = sysKeys.used(storeContext.name);
  const [[note], rows] = await Promise.all([
    storeContext.sys.store.get([key]),
    storeContext.store.list("", { limit: 1, values: false }),
  ]);
  const forgotten =
    note !== undefined &&
    rows.length === 0 &&
    (await storeContext.sys.store.commit({ expect: [[key, note.rev]], del: [key] }));
  if (!forgotten)
    throw new CaError(
      "conflict",
      "the variables API still has its data, so there is nothing to reset",
    );
  installations.delete(storeContext.self);
}
