import type { MountType, NewRows } from "./deployment.ts";
import { type PolicyRow, storedPolicy, belowPolicies, policyKeys } from "./policy-records.ts";
import type { Expect, Store } from "./ports.ts";

/** Changes to the initial policies of mounts. */
interface Change {
  readonly expect: readonly Expect[];
  readonly put: NewRows;
  readonly del: readonly string[];
}
/** The properties of a new or moved mount on which its initial policies depend. */
interface NewMount {
  readonly type: MountType | undefined;
  readonly path: string;
  /** Current time (Unix ms). */
  readonly now: number;
}

/**
 * Returns the changes that create the initial policies of a mount. Existing policies with one of
 * the names remain unchanged. If one of them belongs to another mount, all new policies get a
 * number. This can happen because two paths can lead to the same names. `beside` contains other
 * changes of the batch.
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
    // the number increases with each mount whose path leads to the same names
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
 * Returns the changes that delete the initial policies of a mount, except policies that were
 * edited.
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

/**
 * Returns the changes that replace the initial policies of a moved mount, except policies that were
 * edited, with the initial policies for its new path.
 */
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
