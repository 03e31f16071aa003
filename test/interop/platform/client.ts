import type { RunningServer } from "../../support/server.ts";

/** A client of this API family, and its test against a newly started authority. */
export interface Client {
  readonly name: string;
  /** Installs it below its own directory; returns a text with the reason if it cannot be tested. */
  install(directory: string): Promise<string | undefined>;
  /** Throws on failure; returns the client's name with its version. */
  work(server: RunningServer, directory: string): Promise<string>;
}

/** Runs an installation that may be impossible here; returns the reason. */
export const attempt = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) =>
      (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1),
  );

/** Throws unless the output shows that a program completed. */
export function ended(output: string): void {
  if (!/(^|\n)done\n$/.test(output)) throw new Error(output);
}

/** The environment of installers: package sources and caches. */
export const surroundings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  ),
);
