import type { Store } from "../engine/ports.ts";
import type { Check, Open } from "./check.ts";
import { epochs } from "./epochs.ts";
import { exporting } from "./export.ts";
import { indexes, listings } from "./listing.ts";
import { logs } from "./logs.ts";
import { random, type Effort } from "./random.ts";
import { conditions, rows } from "./rows.ts";
import { contention, misuse, pages, values } from "./values.ts";

/** One promise of every store, to be run as a test. */
export interface StoreCheck {
  /** What a store does, as a sentence without its subject. */
  readonly name: string;
  /** Resolves where it does; rejects with an error that says what was found instead. */
  run(): Promise<void>;
}

/**
 * What every store promises (see the type `Store`), as checks for any test runner: `for (const {
 * name, run } of storeChecks(open)) test(name, run)`. `open` gives a new, empty store each time; a
 * check takes seconds at most where a commit takes a millisecond. The last one follows random
 * sequences of commits and listings: 100 of up to 12 steps unless `effort` says otherwise, with
 * another seed each time, which its name tells. Those about exports pass where a store has none.
 */
export function storeChecks(open: Open, effort: Partial<Effort> = {}): readonly StoreCheck[] {
  const { sequences = 100, steps = 12, seed = freshSeed() } = effort;
  const checks: readonly Check[] = [
    ...[rows, conditions, epochs, listings, indexes, pages, logs, values, contention].flat(),
    ...exporting.map((one) => ({ ...one, run: (from: Open) => whereExported(from, one) })),
    ...misuse,
    random({ sequences, steps, seed }),
  ];
  return checks.map(({ name, run }) => ({ name, run: () => run(open) }));
}

const freshSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

async function whereExported(open: Open, { run }: Check): Promise<void> {
  const { export: parts }: Store = await open();
  if (parts) await run(open);
}
