import fc from "fast-check";

/**
 * Runs a property 200 times from a fixed seed and 50 times from a new one, which is printed so that
 * a failure can be run again.
 */
export function forSeeds<T>(property: fc.IProperty<T>): void {
  fc.assert(property, { seed: 20_261_121, numRuns: 200 });
  const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
  process.stdout.write(`seed ${seed}\n`);
  fc.assert(property, { seed, numRuns: 50 });
}

/** Runs an asynchronous property like `forSeeds`. */
export async function forSeedsInTurn<T>(property: fc.IAsyncProperty<T>): Promise<void> {
  await fc.assert(property, { seed: 20_261_121, numRuns: 200 });
  const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
  process.stdout.write(`seed ${seed}\n`);
  await fc.assert(property, { seed, numRuns: 50 });
}
