import { CaError } from "../../base/errors.ts";
import type { Committed, Row, Store } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/store-context.ts";
import type { Shape } from "../../wire/field.ts";
import type { AcmeAnswer } from "./declaration.ts";
import { holdRows } from "./held.ts";
import type { VerifiedRequest } from "./signed.ts";
import type { NonceSpending } from "./spending.ts";

type Rows = readonly (Row | undefined)[];

/**
 * Returns the change of a read-only request. The call that spends its nonce also reads the rows,
 * from which `look` then computes the reply.
 */
export function lookingAfter<R extends Shape>(
  { store, config }: { readonly store: Store; readonly config: Snapshot },
  keys: readonly string[],
  { batch, planned }: NonceSpending,
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
      const rows = read ?? (await store.get(keys));
      holdRows(config, keys, rows);
      const { batch: own, done, ...made } = await run(rows);
      if (own) throw new TypeError("a request without a payload must not change anything");
      done?.();
      return made;
    },
  };
}

/**
 * Runs a handler with the rows of a request. A result that is based on cached rows is only used if
 * its change expects all of them; otherwise the handler runs again with stored rows.
 */
export async function computeFromRows<R extends Shape>(
  store: Store,
  { keys, rows = [], areHeld }: VerifiedRequest,
  run: (rows: Rows) => Promise<AcmeAnswer<R>>,
): Promise<AcmeAnswer<R>> {
  if (!areHeld || keys.length === 0) return run(rows);
  const made = await run(rows).catch((error: unknown) => {
    if (error instanceof CaError) return undefined;
    throw error;
  });
  const expected = new Map(made?.batch?.expect);
  if (made && keys.every((key, at) => expected.get(key) === rows[at]?.rev)) return made;
  return run(await store.get(keys));
}

/** Returns a reader that reuses rows that were already read. */
export function readingOf(store: Store, keys: readonly string[], rows: Rows): Store["get"] {
  const places = new Map(keys.map((key, at) => [key, at]));
  return async (names) =>
    names.every((key) => places.has(key))
      ? names.map((key) => rows[places.get(key) ?? -1])
      : store.get(names);
}
