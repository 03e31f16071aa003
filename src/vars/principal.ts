import { varsSteps } from "./rows/format.ts";
import { bringUpToDate, formatKey, formatRows } from "../engine/format.ts";
import { CaError } from "../base/errors.ts";
import { kindOf } from "../engine/cache.ts";
import type { Unit } from "../engine/unit.ts";
import { sysKeys } from "../engine/sys-records.ts";
import { rowOf, valueOf } from "./rows/change.ts";
import { hashOf, keyPart, newId } from "./rows/ids.ts";
import { newOrganization } from "./rows/new-organization.ts";
import { rowKeys } from "./rows/keys.ts";
import type { InstalledRow, TokenRow, UserRow } from "./rows/rows.ts";
import { settingsOf } from "./rows/settings.ts";
import { storedRows } from "./rows/stored.ts";

/** Longest token that is looked at; ours have 90 characters. */
const longestToken = 512;
const installations = new WeakMap<Unit, InstalledRow>();

/**
 * The first user, organization and team; the first use of all makes them. Throws CaError `storage`
 * when they were there before.
 */
export async function installed(ca: Unit): Promise<InstalledRow> {
  const known = installations.get(ca);
  if (known) return known;
  const { first, noted } = await firstUse(ca);
  if (noted && !first) throw new CaError("storage", lostRows);
  const found = first ?? (await install(ca));
  if (noted || (await noteUsed(ca))) installations.set(ca, found);
  return found;
}
async function install(ca: Unit): Promise<InstalledRow> {
  const { random, now } = ca.ports;
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
  await ca.store.commit({
    expect: [[rowKeys.installed, null]],
    put: [
      [rowKeys.installed, { user: user.id }],
      ...formatRows(varsSteps),
      [rowKeys.user(user.id), user],
      [rowKeys.username(await keyPart(user.username)), user.id],
      ...put,
    ],
  });
  const made = await rowOf(ca, storedRows.installed, rowKeys.installed);
  if (!made) throw new TypeError("the store did not keep what was written");
  return made;
}
const lostRows =
  "the data of the variables API is missing: restore its store from a backup, or start over with POST /v1/sys/begin-anew";
/** What the first use made, and whether the system's store knows of it. */
async function firstUse(
  ca: Unit,
): Promise<{ readonly first: InstalledRow | undefined; readonly noted: boolean }> {
  const [noted, held] = await Promise.all([noteOf(ca), installedRow(ca)]);
  // the note is written after the rows: where both came meanwhile, the rows are there by now
  return {
    first: held ?? (noted ? await rowOf(ca, storedRows.installed, rowKeys.installed) : undefined),
    noted,
  };
}
/** What the first use made; rows of an older format are brought up to date. */
async function installedRow({ store }: Unit): Promise<InstalledRow | undefined> {
  const [row, format] = await store.get([rowKeys.installed, formatKey]);
  if (row) await bringUpToDate(store, format, varsSteps);
  return valueOf(storedRows.installed, row);
}
async function noteOf(ca: Unit): Promise<boolean> {
  const [note] = await ca.sys.store.get([sysKeys.used(ca.name)]);
  return note !== undefined;
}
/**
 * Notes in the system's store that there are variables, so that their loss is seen; says whether
 * that was done.
 */
async function noteUsed(ca: Unit): Promise<boolean> {
  try {
    await ca.sys.store.commit({
      expect: [[sysKeys.used(ca.name), null]],
      put: [[sysKeys.used(ca.name), true]],
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
export async function lossOf(ca: Unit): Promise<string | undefined> {
  // where nobody has used variables yet their store is not even opened
  if (!(await noteOf(ca))) return undefined;
  return (await installedRow(ca)) ? undefined : lostRows;
}

/**
 * Forgets that there were variables, so that the next use makes the first user again. Throws
 * CaError `conflict` where a row of theirs is left.
 */
export async function beginAnew(ca: Unit): Promise<void> {
  const key = sysKeys.used(ca.name);
  const [[note], rows] = await Promise.all([
    ca.sys.store.get([key]),
    ca.store.list("", { limit: 1, values: false }),
  ]);
  const forgotten =
    note !== undefined &&
    rows.length === 0 &&
    (await ca.sys.store.commit({ expect: [[key, note.rev]], del: [key] }));
  if (!forgotten) throw new CaError("conflict", "the data of the variables API is not missing");
  installations.delete(ca);
}

/** Who holds a token, and until when. */
export type Bearer = Pick<TokenRow, "principal" | "expires">;
const bearers = kindOf<Bearer | undefined>();
/** Who holds a token; unknown and expired ones belong to nobody. */
export async function bearerOf(ca: Unit, token: string): Promise<Bearer | undefined> {
  if (token === "" || token.length > longestToken) return undefined;
  const held = await ca.cache.recent(bearers, token, () => holderOf(ca, token));
  return held && (held.expires === null || held.expires > ca.ports.now()) ? held : undefined;
}
async function holderOf(ca: Unit, token: string): Promise<Bearer | undefined> {
  const { user } = await installed(ca);
  const [hash, first] = await Promise.all([hashOf(token), firstHash(ca)]);
  if (first !== undefined && equalTexts(hash, first)) return { principal: user, expires: null };
  const key = rowKeys.token(hash);
  const [row] = await ca.store.get([key]);
  const held = valueOf(storedRows.token, row);
  if (row && held) await noteUse(ca, key, row.rev, held);
  return held;
}
/** A token's last use is told exactly to a minute: not every request is worth a write. */
const usePrecision = 60_000;
async function noteUse(ca: Unit, key: string, rev: number, held: TokenRow): Promise<void> {
  const now = ca.ports.now();
  const { expires, used } = held;
  if (
    (expires !== null && expires <= now) ||
    (used !== undefined && now >= used && now - used < usePrecision)
  )
    return;
  try {
    // a token that is changed or deleted meanwhile is left as it is
    await ca.store.commit({ expect: [[key, rev]], put: [[key, { ...held, used: now }]] });
  } catch {
    // a store that takes no writes must not take reads from callers
  }
}
const firstHashes = new WeakMap<Unit, Promise<string>>();
/** Hash of the first user's token, which the settings hold and the store does not. */
function firstHash(ca: Unit): Promise<string> | undefined {
  const { token } = settingsOf(ca.ports);
  if (token === undefined || token === "") return undefined;
  const hash = firstHashes.get(ca) ?? hashOf(token);
  firstHashes.set(ca, hash);
  return hash;
}
/** Compares hashes of equal length in the same time, whatever they are. */
function equalTexts(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}
