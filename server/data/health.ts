import { fetchJson } from "../cli/http-client.ts";

/** What a server says of its health, as far as it is of the form that is known here. */
interface HealthReport {
  readonly degraded?: unknown;
  readonly warnings?: unknown;
}
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Stored names come into these texts: nothing of them may steer a terminal. */
const sentence = (text: string): string => `${text.replace(/\p{Cc}/gu, "?").replace(/\.$/, "")}.`;

function faultOf(entry: unknown): readonly string[] {
  // null has no members, and what another version lists may have others
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
 * What needs an operator's attention, a sentence each: mounts that cannot do their work, then
 * warnings. None where the server does not say.
 */
export async function readProblems(socketPath: string): Promise<readonly string[]> {
  const { degraded, warnings } = ((await fetchJson(socketPath, "/v1/sys/health")) ??
    {}) as HealthReport;
  return [
    ...listIn(degraded).flatMap(faultOf),
    ...listIn(warnings).flatMap((text) => (typeof text === "string" ? [sentence(text)] : [])),
  ];
}
