const write = process.stdout.write.bind(process.stdout);

/** Prints a line of the run itself. */
export const print = (text: string): void => void write(`${text}\n`);

/**
 * Keeps what the runtimes print beside the tests (a Worker that a test made crash reports so); only
 * the seeds of random tests are printed at once. Gives a function that prints the last of what was
 * kept, for a run that failed.
 */
export function holdBack(): () => void {
  const held = new Set<string>();
  const take = (chunk: Uint8Array | string): boolean => {
    for (const line of (typeof chunk === "string"
      ? chunk
      : Buffer.from(chunk).toString("utf8")
    ).split("\n")) {
      if (/^seed -?\d+$/.test(line)) print(line);
      else if (line !== "") held.add(line);
    }
    return true;
  };
  process.stdout.write = take;
  process.stderr.write = take;
  return () => {
    if (held.size > 0)
      print(`\nThe runtimes printed at last:\n${[...held].slice(-60).join("\n")}\n`);
  };
}

/** Prints the last line of all and ends the process when it is out. */
export function end(passed: number, failed: number): void {
  write(`${passed} passed, ${failed} failed\n`, () => process.exit(failed > 0 ? 1 : 0));
}
