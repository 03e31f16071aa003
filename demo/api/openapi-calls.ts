import { beginsWord } from "../lib/word-match.ts";
import type { Operation, Paths } from "./openapi.ts";

/**
 * Matches the beginning of a path in a mount. The OpenAPI description has a path parameter for the
 * mount; that of older servers describes only the `pki` mount.
 */
const mountPath = /^\/v1\/(?:\{pki_mount_path\}|pki)\//;

/** A method and path of the API. */
export interface ApiCall {
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

const verbs = ["GET", "LIST", "POST", "PATCH", "PUT", "DELETE"];

/** Returns the calls under `/v1`, sorted by path, with the path of the current mount filled in. */
export function callsOf(paths: Paths, mount: string): readonly ApiCall[] {
  // omit the variables API, which has its own tokens
  const own = Object.entries(paths).filter(([path]) => path.startsWith("/v1/"));
  const calls = own.flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]): ApiCall => {
      const lists =
        operation.parameters?.some(
          ({ name, in: where }) => where === "query" && name === "list",
        ) === true;
      return {
        verb: lists ? "LIST" : verb.replace(/^x-/, "").toUpperCase(),
        path: path.replace(mountPath, `/v1/${mount}/`).replace(/\{(\w+)\}/g, ":$1"),
        operation,
      };
    }),
  );
  calls.sort((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : verbs.indexOf(a.verb) - verbs.indexOf(b.verb),
  );
  return calls;
}

/**
 * Returns the cost of matching a word with the name, the path or the description of a call, or
 * undefined if the word occurs in none of them.
 */
function costOf(word: string, { verb, path, operation }: ApiCall): number | undefined {
  const name = operation.operationId.toLowerCase();
  if (name === word) return 0;
  const line = `${verb} ${path}`.toLowerCase();
  const parts = line.split("/");
  const at = parts.indexOf(word);
  // shorter paths cost less, and so do paths that have the word near the end
  if (at >= 0) return 0.5 + (parts.length - at) / 100 + parts.length / 1000;
  if (line.includes(word) || name.includes(word)) return 1 + parts.length / 1000;
  const summary = operation.summary?.toLowerCase() ?? "";
  if (beginsWord(summary, word)) return 2 + parts.length / 1000;
  return summary.includes(word) ? 3 : undefined;
}

/**
 * Returns the calls that contain all words, best match first. Without words, returns all calls in
 * order.
 */
export function matchingCalls(
  calls: readonly ApiCall[],
  words: readonly string[],
): readonly ApiCall[] {
  if (words.length === 0) return calls;
  return calls
    .flatMap((call) => {
      const costs = words.map((word) => costOf(word, call) ?? Infinity);
      const cost = costs.reduce((sum, one) => sum + one, 0);
      return cost === Infinity ? [] : [{ call, cost }];
    })
    .toSorted((a, b) => a.cost - b.cost)
    .map(({ call }) => call);
}
