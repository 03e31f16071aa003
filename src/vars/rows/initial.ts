import type { Store } from "../../engine/ports.ts";
import { rowKeys } from "./keys.ts";

/** Matches keys of rows that the first use creates, or that are not user data. */
const ofFirstUse =
  /^(?:epoch|format|installed|restore)$|^(?:user|username|org|orgname|team|teamname|member|audit|logged|restored)\//;
/** Key prefixes under each of which the first use creates exactly one row. */
const once = [rowKeys.user(""), rowKeys.organization(""), rowKeys.team("")];
/** Number of keys to list at a time. */
const pageSize = 1000;

/** Reports whether the store of variables contains only the rows that its first use creates. */
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
