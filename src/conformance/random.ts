import type { Batch, Index, Page } from "../engine/ports.ts";
import { check, type Check } from "./check.ts";
import { follow, type Step } from "./model.ts";

/** Number and length of random sequences, and their seed. */
export interface Effort {
  readonly sequences: number;
  readonly steps: number;
  readonly seed: number;
}

/** Returns whole numbers below a bound (mulberry32). */
type Draw = (below: number) => number;
function drawing(seed: number): Draw {
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

function stepOf(draw: Draw): Step {
  const from = <T>(all: readonly T[]): T => all[draw(all.length)] as T;
  const some = <T>(max: number, make: () => T): T[] => Array.from({ length: draw(max + 1) }, make);
  const maybe = <T>(name: string, make: () => T) => (draw(3) === 0 ? { [name]: make() } : {});
  const key = (): string => from(keys);
  const index = (): Index => ({
    ...maybe("not_after", () => 1 + draw(3)),
    ...maybe("name", () => from(names)),
    ...maybe("role", () => from(["r", "s"])),
  });
  const value = (): unknown => (draw(2) ? draw(10) : { n: draw(10), der: new Uint8Array(draw(5)) });
  const log = () => [from(["l/", "m/"]), draw(10), 1] as const;
  const append = () => ["p/", new Uint8Array(draw(40_000)).fill(draw(256))] as const;
  const batch = (): Batch => ({
    put: some(3, () => [key(), value(), index()] as const),
    del: some(2, () => from([...keys, "p/00000000"])),
    append: some(2, append),
    log: some(2, log),
    ...maybe("epoch", () => (draw(2) ? "next" : draw(5))),
    ...(draw(6) ? {} : { onlyAtEpoch: draw(3) }),
    ...(draw(8) ? {} : { clear: true }),
  });
  const byName = () => ({
    name: from(["name", "role", "unused"]),
    ...maybe("from", () => from(["a", "m", "n", "r"])),
    ...maybe("to", () => from(["m", "n", "s", "z"])),
    ...maybe("after", () => [from(["m", "n", "r"]), key()] as const),
  });
  const byTime = () => ({
    name: "not_after",
    ...maybe("from", () => draw(4)),
    ...maybe("to", () => 1 + draw(4)),
    ...maybe("after", () => [1 + draw(3), key()] as const),
  });
  const page = (): Page => ({
    ...maybe("limit", () => draw(5)),
    ...(draw(2) ? { by: draw(2) ? byName() : byTime() } : maybe("after", key)),
    ...maybe("values", () => draw(2) === 0),
  });
  return draw(4) === 0
    ? { prefix: from(["", "a", "a/", "b/", "p/"]), page: page() }
    : { batch: batch(), stale: some(1, key) };
}

/** Checks random sequences of commits and listings against the model. */
export const random = ({ sequences, steps, seed }: Effort): Check =>
  check(`does what a model does in ${sequences} random sequences (seed ${seed})`, async (open) => {
    const draw = drawing(seed);
    for (let n = 1; n <= sequences; n += 1) {
      const sequence = Array.from({ length: 1 + draw(steps) }, () => stepOf(draw));
      try {
        await follow(open, sequence);
      } catch (cause) {
        throw new Error(`sequence ${n} of seed ${seed}: ${String(cause)}`, { cause });
      }
    }
  });
