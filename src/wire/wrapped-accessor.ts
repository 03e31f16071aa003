import { fromUtf8 } from "../base/bytes.ts";
import { belowSys, wrappedAccessors, storedSys } from "../engine/sys-records.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { WrapDetails } from "./wrapped.ts";
import { openReply, readAccessor } from "./wrapping-token.ts";

/** The row of a wrapping token that was found by its accessor, and the details of the token. */
interface AccessorMatch {
  readonly key: string;
  readonly rev: number;
  readonly told: WrapDetails;
}

/**
 * Returns the details of the wrapping token with this accessor. Returns undefined if it does not
 * exist or has expired.
 */
export const wrappedBy = async (
  sys: StoreContext,
  accessor: string,
): Promise<WrapDetails | undefined> => (await seek(sys, accessor))?.told;

/**
 * Deletes the wrapped response of the token with this accessor. Returns whether there was such a
 * response.
 */
export async function dropWrappedBy(sys: StoreContext, accessor: string): Promise<boolean> {
  const row = await seek(sys, accessor);
  // a concurrent unwrap may have consumed the response
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
  // decryption authenticated the text, and only `WrapDetails` are encrypted under an accessor
  return text && { key, rev, told: JSON.parse(fromUtf8(text)) as WrapDetails };
}
