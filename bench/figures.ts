import { readdirSync, readFileSync } from "node:fs";

/** Returns the median of numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

const rows: {
  readonly what: string;
  readonly seen: string;
  readonly target: string;
  readonly met: boolean | undefined;
}[] = [];

/**
 * Prints a figure, and adds it to the final table. `met` is undefined for a figure without a
 * target.
 */
export function figure(what: string, seen: string, target = "", met?: boolean): void {
  rows.push({ what, seen, target, met });
  console.log(
    `${met === undefined ? "      " : met ? "  ok  " : " MISS "} ${what.padEnd(58)} ${seen.padEnd(44)} ${target}`,
  );
}
/** Prints a ratio whose target is at least `min`. */
export function atLeast(what: string, share: number, min: number, detail = ""): void {
  figure(
    what,
    `${percent(share)}${detail ? ` (${detail})` : ""}`,
    `>= ${percent(min)}`,
    share >= min,
  );
}
/** Prints an amount whose target is at most `max`. */
export function atMost(what: string, value: number, max: number, unit: string, detail = ""): void {
  figure(
    what,
    `${round(value)} ${unit}${detail ? ` (${detail})` : ""}`,
    `<= ${max} ${unit}`,
    value <= max,
  );
}
/** Returns a line for each figure that missed its target. */
export const missed = (): readonly string[] =>
  rows
    .filter(({ met }) => met === false)
    .map(({ what, seen, target }) => `${what}: ${seen}, target ${target}`);

/** Formats a ratio as a percentage. */
export const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
/** Formats a number with at least three significant digits. */
export const round = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);

/** Returns the process IDs of a process and all its descendants. */
export function processTree(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    const fields = statOf(Number(name));
    if (fields) parents.set(Number(name), Number(fields[1]));
  }
  const tree = [pid];
  for (const one of tree)
    for (const [child, parent] of parents)
      if (parent === one && !tree.includes(child)) tree.push(child);
  return tree;
}
/**
 * Returns the fields of /proc/<pid>/stat, beginning with the state, or undefined if the process has
 * ended.
 */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
const ticksPerSecond = 100;
/** Returns the CPU time that a process tree has used (ms), including that of exited children. */
export function cpuMs(pid: number): number {
  let ticks = 0;
  for (const member of processTree(pid))
    // user and system time, of the process and of its exited children
    for (const time of statOf(member)?.slice(11, 15) ?? []) ticks += Number(time);
  return (ticks * 1000) / ticksPerSecond;
}
/** Returns the CPU time that this process uses for some work (µs). */
export async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
/** A process of a server, and its memory in MiB. */
export interface Memory {
  /** Name of the file that Node runs. */
  readonly name: string;
  /** Resident set size, including the pages shared by all Node processes. */
  readonly rss: number;
  /**
   * Proportional set size: each shared page counts in proportion to the processes that share it.
   */
  readonly pss: number;
}
/** Returns the memory of each process in a process tree. */
export function memoryOf(pid: number): readonly Memory[] {
  return processTree(pid).flatMap((member) => {
    try {
      const text = readFileSync(`/proc/${member}/smaps_rollup`, "latin1");
      const of = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+([0-9]+) kB`, "m").exec(text)?.[1] ?? 0) / 1024;
      return [{ name: nameOf(member), rss: of("Rss"), pss: of("Pss") }];
    } catch {
      // the process has exited in the meantime
      return [];
    }
  });
}
/** Returns the name of the program that a process runs. */
export function nameOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  const file = words.slice(1).find((word) => /\.(?:js|ts|mjs|cjs)$/.test(word)) ?? words[0] ?? "";
  return file.slice(file.lastIndexOf("/") + 1);
}
/** Returns the resident memory of the largest process in a process tree, in MiB. */
export const peakMiB = (pid: number): number => Math.max(...memoryOf(pid).map(({ rss }) => rss));
/** Formats the memory of all processes in a process tree. */
export const memoryText = (pid: number): string =>
  memoryOf(pid)
    .map(({ name, rss, pss }) => `${name} ${round(rss)} (PSS ${round(pss)})`)
    .join(", ");
