import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/**
 * Prompts for a secret on the terminal without echoing it. Reads it from standard input if that is
 * not a terminal.
 */
export async function readSecretLine(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, "");
  process.stderr.write(question);
  const silent = new Writable({ write: (_, __, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
