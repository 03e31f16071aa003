import type { RunningServer } from "../../support/server.ts";

/** A client of this API family, and its test against a newly started authority. */
export interface Client {
  readonly name: string;
  /** Installs the client below a directory; returns the reason if it cannot be tested. */
  install(directory: string): Promise<string | undefined>;
  /** Throws on failure; returns the name of the client with its version. */
  work(server: RunningServer, directory: string): Promise<string>;
}

/** Runs an installation; returns the reason if it fails. */
export const attempt = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) =>
      (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1),
  );

/** Throws unless the output shows that the program completed. */
export function ended(output: string): void {
  if (!/(^|\n)done\n$/.test(output)) throw new Error(output);
}

/** The environment for installers: package sources and caches. */
export const surroundings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  ),
);
