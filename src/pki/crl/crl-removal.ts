import { jobKeys } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type CrlNumberRow } from "../../engine/records.ts";
import { stored } from "../../engine/stored.ts";
import type { Decision } from "../../engine/unit.ts";
import { nextNumber, type ListState } from "./crl-number.ts";
import { chunkKeys, merged, withoutDelta } from "./crl-store.ts";
import { supersede } from "./crl-unpublish.ts";

/**
 * The change that removes a list that nobody needs any more, and its delta; none where it is not
 * there. Its entries stay for the complete list; its number stays too, so that it goes on from
 * there if it is ever built again.
 */
export async function removal(
  ca: Mount,
  list: string,
  held: ListState,
): Promise<Decision<"removed" | undefined>> {
  const { complete, delta } = held;
  if (!complete) return { reply: undefined };
  const last: CrlNumberRow = { number: nextNumber(held) - 1 };
  const kinds = ["crl-renewal", "crl-delta-renewal", "crl-delta"];
  const jobs = await Promise.all(kinds.map((kind) => jobKeys(ca.store, kind, list)));
  const own = {
    expect: [[keys.crl(list), complete.rev] as const],
    del: [keys.crl(list), keys.crlSum(list), ...(await chunkKeys(ca, list)), ...jobs.flat()],
    put: [[keys.crlNumber(list), last] as const, ...supersede(ca, list, complete.value)],
  };
  return { reply: "removed", batch: merged(own, await withoutDelta(ca, list, delta)) };
}

/** The last number of a list that was removed; 0: there never was one. */
export async function removedNumber(ca: Mount, list: string): Promise<number> {
  const [row] = await ca.store.get([keys.crlNumber(list)]);
  return stored.crlNumber(row?.value).number;
}
