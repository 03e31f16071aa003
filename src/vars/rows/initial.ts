import type { Store } from "../../engine/ports.ts";
import { rowKeys } from "./keys.ts";

/** Keys of rows that the first use makes, or that are stored beside what users ask for. */
const ofFirstUse =
  /^(?:epoch|format|installed|restore)$|^(?:user|username|org|orgname|team|teamname|member|audit|logged|restored)\//;
/** Prefixes below which the first use makes one row each. */
const once = [rowKeys.user(""), rowKeys.organization(""), rowKeys.team("")];
/** Keys that are listed at once. */
const pageSize = 1000;

/** Reports whether a store of variables holds nothing but what its first use makes. */
export async function isInitial(store: Store): Promise<boolean> {
  const sole = await Promise.all(
    once.map((prefix) => store.list(prefix, { values: false, limit: 2 })),
  );
  if (sole.some(({ length }) => length > 1)) return false;
  for (let after = ""; ;) {
    const page = await store.list("", {
      values: false,
      limit: pageSize,
      ...(after === "" ? {} : { after }),
    });
    if (page.some(([key]) => !ofFirstUse.test(key))) return false;
    after = page.at(-1)?.[0] ?? "";
    if (page.length < pageSize) return true;
  }
}
