import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./world.ts";

/** One step of a client; throws on failure. Returns a text with the reason if it was skipped. */
export type Step = readonly [what: string, work: () => Promise<void | string>];
/** A client and its steps. */
export interface Client {
  readonly program: string;
  /** Version of a program that `install` fetches. */
  readonly version?: string;
  /**
   * Fetches or builds a program that is not installed in this directory; returns why it cannot. A
   * client without it must be in PATH.
   */
  install?(directory: string): Promise<string | undefined>;
  steps(world: World, directory: string): readonly Step[];
}

/** Fails where a chain did not become another one. */
export function renewed(before: string, after: string): void {
  if (before === "" || before === after) throw new Error("the certificate is the one of before");
}

/** Returns the text of the only file below a directory whose path ends like this. */
export function found(directory: string, end: string): string {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const [file] = files.filter((path) => path.endsWith(end));
  if (file === undefined) throw new Error(`nothing below ${directory} ends with ${end}`);
  return readFileSync(join(directory, file), "utf8");
}

/** Asserts that a command fails, with a text in its output, ignoring case. */
export async function refused(work: Promise<unknown>, text: string): Promise<void> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (failure === undefined) throw new Error("was not refused");
  if (!failure.toLowerCase().includes(text))
    throw new Error(`was refused without ${text}:\n${failure}`);
}
