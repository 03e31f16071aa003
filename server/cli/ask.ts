import { sendTo, type Target } from "./target.ts";

/** Longer than any answer takes whose storage can be reached. */
const PATIENCE_MS = 5_000;

/**
 * The JSON that a server answers to a GET with `headers`; undefined where
 * there is no answer, none in time, or none that can be read.
 */
export function ask(
  target: Target,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  return new Promise((resolve) => {
    const request = sendTo(target, path, { headers, timeout: PATIENCE_MS }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.once("error", () => resolve(undefined));
      answer.once("end", () => resolve(parseIfJson(text)));
    });
    request.once("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
    request.once("close", () => resolve(undefined));
  });
}

/** Parses JSON; returns undefined for anything else. */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
