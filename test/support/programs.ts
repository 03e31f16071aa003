import { spawnSync } from "node:child_process";
import { it, type TestContext } from "vitest";

const found = new Map<string, boolean>();

/** Reports whether a program of this machine runs, tested with an argument that does nothing. */
export function installed(program: string, argument: string): boolean {
  const known = found.get(program);
  if (known !== undefined) return known;
  const is = spawnSync(program, [argument], { stdio: "ignore" }).status === 0;
  found.set(program, is);
  return is;
}

/** Skips the running test if a program is not installed, with that reason. */
export function needs({ skip }: TestContext, program: string, argument: string): void {
  skip(!installed(program, argument), `${program} is not installed`);
}

/**
 * Returns `it` for a test that needs a program: skipped, with that reason, if it is not installed.
 */
export function itWith(
  program: string,
  argument: string,
): (name: string, run: () => void | Promise<void>, timeout?: number) => void {
  return (name, run, timeout) =>
    it(
      name,
      async (context) => {
        needs(context, program, argument);
        await run();
      },
      timeout,
    );
}
