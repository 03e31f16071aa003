import { availableParallelism } from "node:os";

const words = process.argv.slice(2);
const flags = new Map(
  words
    .filter((word) => word.startsWith("--"))
    .map((word): [string, string] => {
      const [name = "", value = ""] = word.slice(2).split("=");
      return [name, value];
    }),
);

/** The words of the command line that are not flags. */
export const names: readonly string[] = words.filter((word) => !word.startsWith("--"));

/** Reports whether a flag is set. */
export const isGiven = (name: string): boolean => flags.has(name);

/** Returns the value of a flag. */
export const text = (name: string): string | undefined => flags.get(name);

/** Returns the value of a numeric flag, or `otherwise` if it is not set. */
export const number = (name: string, otherwise: number): number =>
  Number(flags.get(name) ?? otherwise);

/** Number of serving processes: the value of `--workers`, or else the server's default. */
export const workers = number("workers", Math.min(8, availableParallelism()));
