import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./world.ts";

/** One step of a client; throws on failure. Returns the reason if the step was skipped. */
export type Step = readonly [what: string, work: () => Promise<void | string>];
/** A client and its steps. */
export interface Client {
  readonly program: string;
  /** Version of the program that `install` downloads. */
  readonly version?: string;
  /**
   * Downloads or builds the program in this directory; returns the reason if that is impossible. A
   * client without this function must be in PATH.
   */
  install?(directory: string): Promise<string | undefined>;
  steps(world: World, directory: string): readonly Step[];
}

/** Throws unless the chain was replaced by another one. */
export function renewed(before: string, after: string): void {
  if (before === "" || before === after) throw new Error("the certificate was not renewed");
}

/** Returns the content of the first file below a directory whose path ends with `end`. */
export function found(directory: string, end: string): string {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const [file] = files.filter((path) => path.endsWith(end));
  if (file === undefined) throw new Error(`no file below ${directory} ends with ${end}`);
  return readFileSync(join(directory, file), "utf8");
}

/** Asserts that a command fails with a text in its output, ignoring case. */
export async function refused(work: Promise<unknown>, text: string): Promise<void> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (failure === undefined) throw new Error("expected the command to fail");
  if (!failure.toLowerCase().includes(text))
    throw new Error(`failed without "${text}":\n${failure}`);
}
