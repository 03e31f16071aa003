import { fromUtf8 } from "../base/bytes.ts";
import { belowSys, wrappedAccessors, storedSys } from "../engine/sys-records.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { WrapDetails } from "./wrapped.ts";
import { openReply, readAccessor } from "./wrapping-token.ts";

/** A wrapping token with an accessor, and its details. */
interface AccessorMatch {
  readonly key: string;
  readonly rev: number;
  readonly told: WrapDetails;
}

/** Returns the details of a wrapping token by its accessor; undefined if missing or expired. */
export const wrappedBy = async (
  sys: StoreContext,
  accessor: string,
): Promise<WrapDetails | undefined> => (await seek(sys, accessor))?.told;

/** Deletes the reply of an accessor's token; returns whether there was one. */
export async function dropWrappedBy(sys: StoreContext, accessor: string): Promise<boolean> {
  const row = await seek(sys, accessor);
  // a concurrent unwrap may have consumed it
  if (row) await sys.commit({ expect: [[row.key, row.rev]], del: [row.key] });
  return row !== undefined;
}

async function seek(sys: StoreContext, accessor: string): Promise<AccessorMatch | undefined> {
  const named = await readAccessor(accessor);
  if (!named) return undefined;
  const by = { name: wrappedAccessors, from: named.id, to: named.id };
  const [stored] = await sys.store.list(belowSys.wrapped, { by, limit: 1 });
  if (!stored) return undefined;
  const [key, { rev, value }] = stored;
  const { end, told } = storedSys.wrapped(value);
  const text = end > sys.ports.now() ? await openReply(named, end, told) : undefined;
  // only values of this type are sealed
  return text && { key, rev, told: JSON.parse(fromUtf8(text)) as WrapDetails };
}
