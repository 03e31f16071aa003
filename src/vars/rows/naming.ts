import type { StoreContext } from "../../engine/store-context.ts";
import { attributeFault, invalidError, notFound, type VarsError } from "../jsonapi/fault.ts";
import { changeDirectory, isStored } from "./change.ts";
import type { RowChange } from "./change-row.ts";
import { rowKeys } from "./keys.ts";

/** Returns the error for a name that is already in use (422). */
export const nameInUse = (): VarsError =>
  invalidError([attributeFault("name", "Name has already been taken")]);

/**
 * Returns the changes for a rename. `from` and `to` are the row keys that reserve the old and the
 * new name.
 */
export async function renameChanges(
  storeContext: StoreContext,
  id: string,
  from: string,
  to: string,
): Promise<Omit<RowChange<never, never>, "reply" | "row">> {
  if (from === to) return {};
  if (await isStored(storeContext, to)) throw nameInUse();
  return { expect: [[to, null]], put: [[to, id]], del: [from] };
}

/** A new workspace or team, its row key, and the row key that reserves its name. */
interface Member {
  readonly row: { readonly id: string; readonly organization: string };
  readonly key: string;
  readonly nameKey: string;
  /** Rejects with 422 if the organization is full. Returns whether it is nearly full. */
  readonly room: (storeContext: StoreContext, organization: string) => Promise<boolean>;
}
/**
 * Adds a workspace or a team to its organization. Rejects with 404 if the organization no longer
 * exists, and with 422 if the name is in use or the organization is full.
 */
export async function addToOrganization(
  storeContext: StoreContext,
  { row, key, nameKey, room }: Member,
): Promise<void> {
  const owner = rowKeys.organization(row.organization);
  const near = await room(storeContext, row.organization);
  await changeDirectory(storeContext, async () => {
    const [ownerRow, existing] = await storeContext.store.get([owner, nameKey]);
    if (!ownerRow) throw notFound();
    if (existing) throw nameInUse();
    if (near) await room(storeContext, row.organization);
    // rewriting the organization makes the second of two concurrent requests retry and count again
    const counted = near ? [[owner, ownerRow.value] as const] : [];
    return {
      reply: undefined,
      batch: {
        expect: [
          [owner, ownerRow.rev],
          [nameKey, null],
        ],
        put: [...counted, [key, row], [nameKey, row.id]],
      },
    };
  });
}
