import type { Store } from "../engine/ports.ts";
import type { Check, Open } from "./check.ts";
import { epochs } from "./epochs.ts";
import { exporting } from "./export.ts";
import { indexes, listings } from "./listing.ts";
import { logs } from "./logs.ts";
import { partitionReads } from "./partition-reads.ts";
import { random, type Effort } from "./random.ts";
import { conditions, rows } from "./rows.ts";
import { contention, misuse, pages, values } from "./values.ts";

/** A requirement that every store must meet, to be run as a test. */
export interface StoreCheck {
  /** The requirement, as a sentence without its subject, which is the store. */
  readonly name: string;
  /**
   * Resolves if the store meets the requirement. Otherwise rejects with an error that describes the
   * difference.
   */
  run(): Promise<void>;
}

/**
 * Returns the requirements that every store must meet (see the `Store` type) as checks for any test
 * runner: `for (const { name, run } of storeChecks(open)) test(name, run)`. `open` must return a
 * new, empty store each time. If a commit takes a millisecond, no check takes more than a few
 * seconds. The last check runs random sequences of commits and listings: by default 100 sequences
 * of up to 12 steps (`effort`), with a new seed each time, which is part of the check's name. The
 * checks for optional functions (exports, and those that partitions use) pass if the store does not
 * implement them.
 */
export function storeChecks(open: Open, effort: Partial<Effort> = {}): readonly StoreCheck[] {
  const { sequences = 100, steps = 12, seed = freshSeed() } = effort;
  const checks: readonly Check[] = [
    ...[
      rows,
      conditions,
      epochs,
      listings,
      indexes,
      pages,
      logs,
      values,
      contention,
      partitionReads,
    ].flat(),
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
