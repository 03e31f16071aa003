import type { Committed, Row, Store } from "../../engine/ports.ts";
import type { Decision } from "../../engine/unit.ts";
import type { Shape } from "../../wire/field.ts";
import type { AcmeAnswer } from "./declaration.ts";
import type { Spending } from "./spending.ts";

type Rows = readonly (Row | undefined)[];

/**
 * The change of a request that changes nothing but its nonce: the call that spends it reads the
 * rows too. `look` answers by them once it is done.
 */
export function lookingAfter<R extends Shape>(
  store: Store,
  keys: readonly string[],
  { batch, planned }: Spending,
  run: (rows: Rows) => Promise<AcmeAnswer<R>>,
): Omit<Decision<never>, "reply"> & { look(): Promise<AcmeAnswer<R>> } {
  let read: Committed["rows"];
  return {
    batch: { ...batch, read: keys },
    done(committed) {
      planned();
      read = committed?.rows;
    },
    async look() {
      const { batch: own, done, ...made } = await run(read ?? (await store.get(keys)));
      if (own) throw new TypeError("a request without a payload changes nothing");
      done?.();
      return made;
    },
  };
}

/** Reads rows, of which some have been read. */
export function readingOf(store: Store, keys: readonly string[], rows: Rows): Store["get"] {
  const places = new Map(keys.map((key, at) => [key, at]));
  return async (wanted) =>
    wanted.every((key) => places.has(key))
      ? wanted.map((key) => rows[places.get(key) ?? -1])
      : store.get(wanted);
}
