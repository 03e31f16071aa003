import { ask } from "../cli/ask.ts";
import { databaseOf } from "./stored.ts";

/** What the Worker says of its health, as far as it is of the form that is known here. */
interface Told {
  readonly degraded?: unknown;
  readonly warnings?: unknown;
}
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Stored names come into these texts: nothing of them may steer a terminal. */
const sentence = (text: string): string => `${text.replace(/\p{Cc}/gu, "?").replace(/\.$/, "")}.`;

function faultOf(entry: unknown, files: ReadonlyMap<string, string>): readonly string[] {
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
  const file = files.get(mount);
  return [
    sentence(
      `${what} cannot do its work: ${reason}${file === undefined ? "" : ` (its file: ${file})`}`,
    ),
  ];
}

/**
 * Paths of the databases below `objects`, by the mount that health names. Where the Worker does not
 * list its mounts, those of the system and of the variables.
 */
export async function filesOf(
  socketPath: string,
  objects: string,
  token: string,
): Promise<ReadonlyMap<string, string>> {
  const told = (await ask(socketPath, "/v1/sys/mounts", { "x-service-token": token })) as
    | { readonly data?: unknown }
    | null
    | undefined;
  const listed = Object.entries(told?.data ?? {}).flatMap(
    ([mount, about]: [string, { readonly uuid?: unknown } | null]) => {
      const uuid = about?.uuid;
      return typeof uuid === "string" ? [[mount, uuid] as const] : [];
    },
  );
  const names = [["sys/", "sys"] as const, ["/api/v2/", "vars"] as const, ...listed];
  return new Map(names.map(([mount, name]) => [mount, databaseOf(objects, name)]));
}

/**
 * What needs an operator's attention, a sentence each: mounts that cannot do their work, then
 * warnings. None where the Worker does not say.
 */
export async function complaintsOf(
  socketPath: string,
  files: () => Promise<ReadonlyMap<string, string>>,
): Promise<readonly string[]> {
  const { degraded, warnings } = ((await ask(socketPath, "/v1/sys/health")) ?? {}) as Told;
  const known = listIn(degraded).length === 0 ? new Map<string, string>() : await files();
  return [
    ...listIn(degraded).flatMap((entry) => faultOf(entry, known)),
    ...listIn(warnings).flatMap((text) => (typeof text === "string" ? [sentence(text)] : [])),
  ];
}
