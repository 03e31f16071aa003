import type { MountType, NewRows } from "./deployment.ts";
import { type PolicyRow, storedPolicy, belowPolicies, policyKeys } from "./policy-records.ts";
import type { Expect, Store } from "./ports.ts";

/** The changes to the policies that a mount creates. */
interface Change {
  readonly expect: readonly Expect[];
  readonly put: NewRows;
  readonly del: readonly string[];
}
/** A mount that is being created. */
interface NewMount {
  readonly type: MountType | undefined;
  readonly path: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Returns the initial policies of a mount. Policies of others stay as they are. If another mount's
 * policies have one of the names, which can be the same for two paths, all get a number. `beside`:
 * other changes of the batch.
 */
export async function newPolicies(
  store: Store,
  { type, path, now }: NewMount,
  beside: Pick<Change, "put" | "del"> = { put: [], del: [] },
): Promise<Change> {
  const [added, deleted] = [new Set(beside.put.map(([key]) => key)), new Set(beside.del)];
  for (let number = 1; ; number++) {
    const ready = (type?.policies?.(path, number) ?? []).map(
      ([name, text]) =>
        [
          policyKeys.policy(name),
          { text, modified: now, mount: path } satisfies PolicyRow,
        ] as const,
    );
    // the number increases with each mount of such a path
    const current = (await store.get(ready.map(([key]) => key))).map((row, at) =>
      deleted.has(ready[at]?.[0] ?? "") ? undefined : row,
    );
    const isAnothers = (at: number): boolean => {
      const row = current[at];
      const mount = row && storedPolicy(row.value).mount;
      return mount !== undefined && mount !== path;
    };
    if (ready.some(([key], at) => added.has(key) || isAnothers(at))) continue;
    const put = ready.filter((_, at) => current[at] === undefined);
    const expect = put.flatMap(([key]): Expect[] => (deleted.has(key) ? [] : [[key, null]]));
    return { expect, put, del: [] };
  }
}

/**
 * Returns the initial policies of a deleted mount that were never edited, which are deleted with
 * it.
 */
export async function unusedPolicies(store: Store, path: string): Promise<Change> {
  const rows = await store.list(belowPolicies);
  const own = rows.filter(([, { value }]) => storedPolicy(value).mount === path);
  return {
    expect: own.map(([key, { rev }]) => [key, rev]),
    put: [],
    del: own.map(([key]) => key),
  };
}

/** Replaces the initial policies of a moved mount with those for its new path. */
export async function movedPolicies(store: Store, from: string, to: NewMount): Promise<Change> {
  const old = await unusedPolicies(store, from);
  const added = await newPolicies(store, to, old);
  const keys = new Set(added.put.map(([key]) => key));
  return {
    expect: [...old.expect, ...added.expect],
    put: added.put,
    del: old.del.filter((key) => !keys.has(key)),
  };
}
