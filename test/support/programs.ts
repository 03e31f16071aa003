import { spawnSync } from "node:child_process";
import { it, type TestContext } from "vitest";

const found = new Map<string, boolean>();

/** Reports whether a program of this machine runs with one argument that does nothing. */
export function installed(program: string, argument: string): boolean {
  const known = found.get(program);
  if (known !== undefined) return known;
  const is = spawnSync(program, [argument], { stdio: "ignore" }).status === 0;
  found.set(program, is);
  return is;
}

/**
 * Leaves out the running test where a program is not installed, and says so in the list of what was
 * skipped.
 */
export function needs({ skip }: TestContext, program: string, argument: string): void {
  skip(!installed(program, argument), `${program} is not installed`);
}

/** `it` for a test that needs a program: skipped, with this reason, where it is not installed. */
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
