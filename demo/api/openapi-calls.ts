import { beginsWord } from "../lib/word-match.ts";
import type { Operation, Paths } from "./openapi.ts";

/** The beginning of a path of a mount: all mounts are described once; older servers ignore that. */
const mountPath = /^\/v1\/(?:\{pki_mount_path\}|pki)\//;

/** A method and path of the API. */
export interface ApiCall {
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

const verbs = ["GET", "LIST", "POST", "PATCH", "PUT", "DELETE"];

/** Returns the calls below `/v1`, by path; those of a mount with the path of the mount in use. */
export function callsOf(paths: Paths, mount: string): readonly ApiCall[] {
  // the variables API has its own tokens
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

/** The cost of a word in a call: its name, a part of the path, or only its text. */
function costOf(word: string, { verb, path, operation }: ApiCall): number | undefined {
  const name = operation.operationId.toLowerCase();
  if (name === word) return 0;
  const line = `${verb} ${path}`.toLowerCase();
  const parts = line.split("/");
  const at = parts.indexOf(word);
  // shorter paths first, then those that end with the word
  if (at >= 0) return 0.5 + (parts.length - at) / 100 + parts.length / 1000;
  if (line.includes(word) || name.includes(word)) return 1 + parts.length / 1000;
  const summary = operation.summary?.toLowerCase() ?? "";
  if (beginsWord(summary, word)) return 2 + parts.length / 1000;
  return summary.includes(word) ? 3 : undefined;
}

/** Returns the calls that contain all of these words, best first; all, in order, without words. */
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
