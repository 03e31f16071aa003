import { lastNumberKey } from "../base/row-keys.ts";
import { lockName, type Operations } from "./operations.ts";

/** The rows that the batches of one run access. */
interface Touched {
  readonly read: Set<string>;
  readonly written: Set<string>;
  /** Names of the locks for the rows that are read or written. */
  readonly names: Set<string>;
  /** Names of the locks for the pages and logs to which a batch appends. */
  readonly prefixes: Set<string>;
}
const nothing = (): Touched => ({
  read: new Set(),
  written: new Set(),
  names: new Set(),
  prefixes: new Set(),
});

function touchedBy({ expect, read, del, put, append, log }: Operations): Touched {
  const written = new Set([...del, ...put.map(({ key }) => key)]);
  const seen = new Set([...expect.map(([key]) => key), ...read]);
  return {
    read: seen,
    written,
    names: new Set([...written, ...seen].map(lockName)),
    prefixes: new Set([
      ...append.map(([prefix]) => lockName(prefix)),
      ...log.flatMap(([prefix]) => [lockName(prefix), lockName(lastNumberKey(prefix))]),
    ]),
  };
}
function intersect(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const one of few) if (many.has(one)) return true;
  return false;
}
/**
 * Reports whether the order of two batches matters. Appends to the same log or page do not
 * conflict, because a run performs them in order.
 */
const conflict = (a: Touched, b: Touched): boolean =>
  intersect(a.written, b.written) ||
  intersect(a.written, b.read) ||
  intersect(a.read, b.written) ||
  intersect(a.prefixes, b.names) ||
  intersect(a.names, b.prefixes);

function add(run: Touched, one: Touched): void {
  for (const name of ["read", "written", "names", "prefixes"] as const)
    for (const key of one[name]) run[name].add(key);
}

/**
 * Returns, for each batch in a group, the number of its run. A run is a sequence of batches that do
 * not access each other's rows. A batch that may change the epoch or clears the store forms its own
 * run.
 */
export function runsOf(group: readonly Operations[], exclusive: boolean): readonly number[] {
  let number = 0;
  let run: Touched | undefined;
  return group.map((operations) => {
    const { epoch, clear } = operations;
    if (epoch === "next" || clear || (exclusive && epoch !== undefined)) {
      run = undefined;
      return (number += 1);
    }
    const touched = touchedBy(operations);
    if (!run || conflict(run, touched)) {
      run = nothing();
      number += 1;
    }
    add(run, touched);
    return number;
  });
}
