import type { Store } from "../engine/ports.ts";
import type { Check, Open } from "./check.ts";
import { epochs } from "./epochs.ts";
import { exporting } from "./export.ts";
import { indexes, listings } from "./listing.ts";
import { logs } from "./logs.ts";
import { random, type Effort } from "./random.ts";
import { conditions, rows } from "./rows.ts";
import { contention, misuse, pages, values } from "./values.ts";

/** A requirement of every store, to be run as a test. */
export interface StoreCheck {
  /** The requirement, as a sentence without its subject. */
  readonly name: string;
  /** Resolves if met; rejects with an error that says what was found instead. */
  run(): Promise<void>;
}

/**
 * Returns the requirements of every store (see the type `Store`) as checks for any test runner:
 * `for (const { name, run } of storeChecks(open)) test(name, run)`. `open` returns a new, empty
 * store each time; a check takes at most seconds if a commit takes a millisecond. The last one runs
 * random sequences of commits and listings: 100 of up to 12 steps by default (`effort`), with a new
 * seed each time that its name contains. Checks of exports pass if a store has none.
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
