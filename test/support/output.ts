const write = process.stdout.write.bind(process.stdout);

/** Prints a line of the test run itself, which is not buffered. */
export const print = (text: string): void => void write(`${text}\n`);

/**
 * Buffers the output of the runtimes besides the tests, such as a crash that a test causes; only
 * the seeds of random tests are printed at once. Returns a function that prints the end of the
 * buffer, for a failed run.
 */
export function holdBack(): () => void {
  const pending = new Set<string>();
  const receive = (chunk: Uint8Array | string): boolean => {
    for (const line of (typeof chunk === "string"
      ? chunk
      : Buffer.from(chunk).toString("utf8")
    ).split("\n")) {
      if (/^seed -?\d+$/.test(line)) print(line);
      else if (line !== "") pending.add(line);
    }
    return true;
  };
  process.stdout.write = receive;
  process.stderr.write = receive;
  return () => {
    if (pending.size > 0)
      print(`\nThe runtimes printed at last:\n${[...pending].slice(-60).join("\n")}\n`);
  };
}

/** Prints the last line and exits once it is written. */
export function end(passed: number, failed: number): void {
  write(`${passed} passed, ${failed} failed\n`, () => process.exit(failed > 0 ? 1 : 0));
}
