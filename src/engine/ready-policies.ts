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
interface Made {
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
  { type, path, now }: Made,
  beside: Pick<Change, "put" | "del"> = { put: [], del: [] },
): Promise<Change> {
  const [added, gone] = [new Set(beside.put.map(([key]) => key)), new Set(beside.del)];
  for (let number = 1; ; number++) {
    const ready = (type?.policies?.(path, number) ?? []).map(
      ([name, text]) =>
        [
          policyKeys.policy(name),
          { text, modified: now, mount: path } satisfies PolicyRow,
        ] as const,
    );
    // the number increases with each mount of such a path
    const held = (await store.get(ready.map(([key]) => key))).map((row, at) =>
      gone.has(ready[at]?.[0] ?? "") ? undefined : row,
    );
    const isAnothers = (at: number): boolean => {
      const row = held[at];
      const mount = row && storedPolicy(row.value).mount;
      return mount !== undefined && mount !== path;
    };
    if (ready.some(([key], at) => added.has(key) || isAnothers(at))) continue;
    const put = ready.filter((_, at) => held[at] === undefined);
    const expect = put.flatMap(([key]): Expect[] => (gone.has(key) ? [] : [[key, null]]));
    return { expect, put, del: [] };
  }
}

/**
 * Returns the initial policies of a deleted mount that were never edited, which are deleted with
 * it.
 */
export async function leftPolicies(store: Store, path: string): Promise<Change> {
  const rows = await store.list(belowPolicies);
  const own = rows.filter(([, { value }]) => storedPolicy(value).mount === path);
  return {
    expect: own.map(([key, { rev }]) => [key, rev]),
    put: [],
    del: own.map(([key]) => key),
  };
}

/** Replaces the initial policies of a moved mount with those for its new path. */
export async function movedPolicies(store: Store, from: string, to: Made): Promise<Change> {
  const left = await leftPolicies(store, from);
  const made = await newPolicies(store, to, left);
  const keys = new Set(made.put.map(([key]) => key));
  return {
    expect: [...left.expect, ...made.expect],
    put: made.put,
    del: left.del.filter((key) => !keys.has(key)),
  };
}
