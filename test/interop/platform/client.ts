import type { RunningServer } from "../../support/server.ts";

/** A client of this API family, and what it does with an authority that was just started. */
export interface Client {
  readonly name: string;
  /** Installs it below a directory of its own; a text says why it cannot be tried. */
  install(directory: string): Promise<string | undefined>;
  /** Fails by throwing; gives what it was, with its version. */
  work(server: RunningServer, directory: string): Promise<string>;
}

/** Runs an installation that may be impossible here; the text says why it was. */
export const attempt = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) =>
      (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1),
  );

/** Fails unless a program said at its end that it has come there. */
export function ended(output: string): void {
  if (!/(^|\n)done\n$/.test(output)) throw new Error(output);
}

/** What tools that install need of the environment: where packages come from, and are kept. */
export const surroundings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  ),
);
