import { fetchJson } from "../client/http-client.ts";

/** The members of a health response that are read here. */
interface HealthReport {
  readonly degraded?: unknown;
  readonly warnings?: unknown;
}
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/**
 * Formats a string as a sentence. Replaces control characters: stored names may contain them, and
 * they could control the terminal.
 */
const sentence = (text: string): string => `${text.replace(/\p{Cc}/gu, "?").replace(/\.$/, "")}.`;

function faultOf(entry: unknown): readonly string[] {
  // another version of the server may send null or other members
  const { mount, reason } = (entry ?? {}) as {
    readonly mount?: unknown;
    readonly reason?: unknown;
  };
  if (typeof mount !== "string" || typeof reason !== "string") return [];
  const what =
    mount === "sys/"
      ? "The storage shared by all mounts"
      : mount.startsWith("/")
        ? `The API at ${mount}`
        : `The mount ${mount}`;
  return [sentence(`${what} cannot do its work: ${reason}`)];
}

/**
 * Fetches the problems that require an operator, each as one sentence: first degraded mounts, then
 * warnings. Resolves with an empty list if the server does not respond.
 */
export async function readProblems(socketPath: string): Promise<readonly string[]> {
  const { degraded, warnings } = ((await fetchJson(socketPath, "/v1/sys/health")) ??
    {}) as HealthReport;
  return [
    ...listIn(degraded).flatMap(faultOf),
    ...listIn(warnings).flatMap((text) => (typeof text === "string" ? [sentence(text)] : [])),
  ];
}
