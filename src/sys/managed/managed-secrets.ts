import { belowManaged, storedManagedKey } from "../../managed/records.ts";
import { managedBinding } from "../../managed/remote.ts";
import type { StoredSecret } from "../../engine/sealing.ts";
import type { StoreContext } from "../../engine/store-context.ts";

/** Returns the secrets of all managed keys. */
export const managedSecrets = async ({ store }: StoreContext): Promise<readonly StoredSecret[]> =>
  (await store.list(belowManaged, { values: false })).map(([key]) => ({
    key,
    name: `sys/${key}`,
    bindingOf: (value) => managedBinding(storedManagedKey(value).uuid),
  }));
