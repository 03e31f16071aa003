import type { Batch, Index, Page } from "../engine/ports.ts";
import { check, type Check } from "./check.ts";
import { follow, type Step } from "./model.ts";

/** Number and maximum length of the random sequences, and their seed. */
export interface Effort {
  readonly sequences: number;
  readonly steps: number;
  readonly seed: number;
}

/** A function that returns a pseudorandom integer from 0 to `below` - 1 (mulberry32). */
type RandomInteger = (below: number) => number;
function randomIntegers(seed: number): RandomInteger {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const keys = ["a", "a/", "a/1", "a/2", "a0", "b/1", "b/2", "p/x"];
const names = ["m", "n", "\u00f1"];

function stepOf(random: RandomInteger): Step {
  const from = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  const some = <T>(max: number, make: () => T): T[] =>
    Array.from({ length: random(max + 1) }, make);
  const maybe = <T>(name: string, make: () => T) => (random(3) === 0 ? { [name]: make() } : {});
  const key = (): string => from(keys);
  const index = (): Index => ({
    ...maybe("not_after", () => 1 + random(3)),
    ...maybe("name", () => from(names)),
    ...maybe("role", () => from(["r", "s"])),
  });
  const value = (): unknown =>
    random(2) ? random(10) : { n: random(10), der: new Uint8Array(random(5)) };
  const log = () => [from(["l/", "m/"]), random(10), 1] as const;
  const append = () => ["p/", new Uint8Array(random(40_000)).fill(random(256))] as const;
  const batch = (): Batch => ({
    put: some(3, () => [key(), value(), index()] as const),
    del: some(2, () => from([...keys, "p/00000000"])),
    append: some(2, append),
    log: some(2, log),
    ...maybe("epoch", () => (random(2) ? "next" : random(5))),
    ...(random(6) ? {} : { onlyAtEpoch: random(3) }),
    ...(random(8) ? {} : { clear: true }),
  });
  const byName = () => ({
    name: from(["name", "role", "unused"]),
    ...maybe("from", () => from(["a", "m", "n", "r"])),
    ...maybe("to", () => from(["m", "n", "s", "z"])),
    ...maybe("after", () => [from(["m", "n", "r"]), key()] as const),
  });
  const byTime = () => ({
    name: "not_after",
    ...maybe("from", () => random(4)),
    ...maybe("to", () => 1 + random(4)),
    ...maybe("after", () => [1 + random(3), key()] as const),
  });
  const page = (): Page => ({
    ...maybe("limit", () => random(5)),
    ...(random(2) ? { by: random(2) ? byName() : byTime() } : maybe("after", key)),
    ...maybe("values", () => random(2) === 0),
  });
  return random(4) === 0
    ? { prefix: from(["", "a", "a/", "b/", "p/"]), page: page() }
    : { batch: batch(), stale: some(1, key) };
}

/**
 * Returns a check that compares the store with the model in random sequences of commits and
 * listings.
 */
export const random = ({ sequences, steps, seed }: Effort): Check =>
  check(`behaves like a model in ${sequences} random sequences (seed ${seed})`, async (open) => {
    const nextInteger = randomIntegers(seed);
    for (let n = 1; n <= sequences; n += 1) {
      const sequence = Array.from({ length: 1 + nextInteger(steps) }, () => stepOf(nextInteger));
      try {
        await follow(open, sequence);
      } catch (cause) {
        throw new Error(`sequence ${n} with seed ${seed}: ${String(cause)}`, { cause });
      }
    }
  });
