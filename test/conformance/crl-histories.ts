import fc from "fast-check";
import { it } from "vitest";
import { memoryStore, type Stores } from "../../src/index.ts";
import { acts, belowOf, lookAfterTidy, reconcile, type ActName } from "./crl-acts.ts";
import { judge, judgeStatus } from "./crl-judge.ts";
import type { CommitFault, World } from "./crl-model.ts";
import { begin, engineAt, engineOf } from "./crl-world.ts";

const names = Object.keys(acts) as readonly ActName[];
/** The most frequent acts, alternating with the others. */
const common = ["revoke", "revoke", "revoke", "ahead", "tick", "issue", "auto"] as const;
interface Step {
  readonly does: ActName;
  readonly n: number;
  readonly fault: CommitFault | undefined;
}
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom(...names, ...common),
  n: fc.nat({ max: 100_000 }),
  fault: fc.option(
    fc.record({ at: fc.integer({ min: 1, max: 6 }), isDone: fc.boolean(), ends: fc.boolean() }),
    { nil: undefined, freq: 4 },
  ),
});

/** `two`: starts with an issuer below the root; `delta`: with delta CRLs. */
interface History {
  readonly seed: number;
  readonly two: boolean;
  readonly delta: boolean;
  readonly shards: number;
  readonly steps: readonly Step[];
}
const history: fc.Arbitrary<History> = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  two: fc.boolean(),
  delta: fc.boolean(),
  shards: fc.constantFrom(0, 0, 2, 4),
  steps: fc.array(step, { minLength: 3, maxLength: 8 }),
});

async function play(world: World, { does, n, fault }: Step): Promise<void> {
  const engine = engineAt(world, n);
  const running = fault && { ...fault, count: 0, fired: false };
  world.fault = running;
  try {
    await acts[does](world, engine, n);
  } catch (error) {
    if (!running?.fired) throw error;
  } finally {
    world.fault = undefined;
  }
  if (!running?.fired) return;
  world.failed = true;
  // an engine that misses the result of a commit notices the change a second later
  world.clock.advance(1);
  // the engine is replaced: its caches are lost
  if (running.ends) world.engines.splice(world.engines.indexOf(engine), 1, engineOf(world));
  await reconcile(world);
}

/** Runs a history, and checks all CRLs after each step. */
async function live(stores: Stores, { seed, two, delta, shards, steps }: History): Promise<void> {
  const world = await begin(stores, seed);
  if (shards > 0) await acts.shards(world, engineAt(world, 0), shards);
  if (two) await belowOf(world, engineAt(world, 0));
  if (delta) await acts.delta(world, engineAt(world, 0));
  for (const one of steps) {
    await play(world, one);
    await lookAfterTidy(world, engineAt(world, one.n));
    await judge(world, engineAt(world, one.n));
    // the other engines notice a change after a second
    world.clock.advance(1);
    await judge(world, engineAt(world, one.n + 1));
    await judgeStatus(world, engineAt(world, one.n + 1), one.n);
  }
  await settle(world);
}
/** Runs all due jobs, after which no CRL may lag behind. */
async function settle(world: World): Promise<void> {
  const engine = engineAt(world, 0);
  for (let i = 0; i < 3; i++) {
    world.clock.advance(1200);
    await engine.ca.tick();
  }
  await lookAfterTidy(world, engine);
  world.failed = false;
  await judge(world, engine);
  await acts.rotate(world, engine);
  world.clock.advance(1000 * 3600);
  await judge(world, engine);
}

/** Number of histories: with a fixed seed, and with a new one that is printed. */
export interface HistoryEffort {
  readonly fixed: number;
  readonly fresh: number;
}
/** Tests that after any history there is a current CRL with exactly the revoked certificates. */
export function historySuite(
  { fixed, fresh }: HistoryEffort,
  open: () => Stores = memoryStore,
): void {
  const hold = (seed: number, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(history, (one) => live(open(), one)),
      { seed, numRuns },
    );
  it("security row 61, security row 64, security row 66: a current CRL with exactly the revoked certificates and a unique number exists at every step of histories from a fixed seed", async () => {
    await hold(20_261_122, fixed);
  });
  it("security row 61, security row 64, security row 66: a current CRL with exactly the revoked certificates and a unique number exists at every step of histories from a new seed", async () => {
    const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
    // oxlint-disable-next-line no-console -- a failure must be repeatable
    console.log(`seed ${seed}`);
    await hold(seed, fresh);
  });
}
