import type { MountType, NewRows } from "./deployment.ts";
import { platformKeys, type PolicyRow } from "./platform-records.ts";
import type { Expect, Store } from "./ports.ts";
import { stored } from "./stored.ts";

/** What is done about the policies that a mount is made with. */
interface Change {
  readonly expect: readonly Expect[];
  readonly put: NewRows;
  readonly del: readonly string[];
}

/** The rows of the policies that a mount of a type is made with. `now`: Unix milliseconds. */
export const readyPolicies = (type: MountType | undefined, path: string, now: number): NewRows =>
  (type?.policies?.(path) ?? []).map(([name, text]) => [
    platformKeys.policy(name),
    { text, modified: now, mount: path } satisfies PolicyRow,
  ]);

/** Those of them that are not there: a policy of somebody's own stays as it is. */
export async function missingPolicies(store: Store, ready: NewRows): Promise<Change> {
  const held = await store.get(ready.map(([key]) => key));
  const put = ready.filter((_, at) => held[at] === undefined);
  return { expect: put.map(([key]) => [key, null]), put, del: [] };
}

/** Those of a mount that goes which nobody has changed: they go with it. */
export async function leftPolicies(store: Store, ready: NewRows, path: string): Promise<Change> {
  const keys = ready.map(([key]) => key);
  const held = await store.get(keys);
  const expect = keys.flatMap((key, at): readonly Expect[] => {
    const row = held[at];
    return row && stored.policy(row.value).mount === path ? [[key, row.rev]] : [];
  });
  return { expect, put: [], del: expect.map(([key]) => key) };
}

/** The same of a mount that moves: it gets those of its new path in their place. */
export async function movedPolicies(
  store: Store,
  { from, path }: { readonly from: NewRows; readonly path: string },
  to: NewRows,
): Promise<Change> {
  const left = await leftPolicies(store, from, path);
  const missing = await missingPolicies(store, to);
  // two paths may give one name
  const again = to.filter(([key]) => left.del.includes(key));
  const put = [...missing.put, ...again];
  const keys = new Set(put.map(([key]) => key));
  return {
    expect: [...left.expect, ...missing.expect],
    put,
    del: left.del.filter((key) => !keys.has(key)),
  };
}
