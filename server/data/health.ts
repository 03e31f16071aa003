import { fetchJson } from "../cli/http-client.ts";

/** The known members of a health reply. */
interface HealthReport {
  readonly degraded?: unknown;
  readonly warnings?: unknown;
}
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Texts contain stored names: removes control characters, which could affect a terminal. */
const sentence = (text: string): string => `${text.replace(/\p{Cc}/gu, "?").replace(/\.$/, "")}.`;

function faultOf(entry: unknown): readonly string[] {
  // the entry may be null, or of another version
  const { mount, reason } = (entry ?? {}) as {
    readonly mount?: unknown;
    readonly reason?: unknown;
  };
  if (typeof mount !== "string" || typeof reason !== "string") return [];
  const what =
    mount === "sys/"
      ? "The storage that all mounts share"
      : mount.startsWith("/")
        ? `The API at ${mount}`
        : `The mount ${mount}`;
  return [sentence(`${what} cannot do its work: ${reason}`)];
}

/**
 * Fetches one sentence per problem that needs an operator: degraded mounts, then warnings. Empty if
 * the server does not reply.
 */
export async function readProblems(socketPath: string): Promise<readonly string[]> {
  const { degraded, warnings } = ((await fetchJson(socketPath, "/v1/sys/health")) ??
    {}) as HealthReport;
  return [
    ...listIn(degraded).flatMap(faultOf),
    ...listIn(warnings).flatMap((text) => (typeof text === "string" ? [sentence(text)] : [])),
  ];
}
