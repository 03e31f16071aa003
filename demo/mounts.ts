import { ask, request, type Reply } from "./api.ts";
import { lasting, roleSeconds } from "./words.ts";

/** A mount as the API tells it. */
interface Told {
  readonly type: string;
  readonly description: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** A mount with issuers, roles and certificates of its own. */
export interface Mount {
  readonly path: string;
  readonly description: string;
  /** The longest life of what it issues, in words; empty where the server's maximum holds. */
  readonly longest: string;
}

/** The mounts that hold certificates, by path. */
export async function mounts(): Promise<readonly Mount[]> {
  const all = await ask<Readonly<Record<string, Told>>>("GET", "sys/mounts");
  return Object.entries(all)
    .filter(([, { type }]) => type === "pki")
    .map(([path, { description, config }]) => {
      const most = roleSeconds(config["max_lease_ttl"]);
      return { path: path.replace(/\/$/, ""), description, longest: most > 0 ? lasting(most) : "" };
    })
    .toSorted((a, b) => a.path.localeCompare(b.path));
}

/** Makes a mount with nothing in it. */
export const makeMount = (
  path: string,
  { description, longest }: Omit<Mount, "path">,
): Promise<Reply<unknown>> =>
  request("POST", `sys/mounts/${path.split("/").map(encodeURIComponent).join("/")}`, {
    type: "pki",
    ...(description && { description }),
    ...(longest && { config: { max_lease_ttl: longest } }),
  });

/** What is wrong with the path of a new mount; empty where nothing is. */
export function wrongPath(path: string, taken: readonly string[]): string {
  if (path === "") return "A mount needs a path";
  if (!/^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/.test(path))
    return `${path}: letters, digits, dots, hyphens and slashes, as in teams/web`;
  if (["sys", "auth", "identity", "cubbyhole"].includes(path.split("/")[0] ?? ""))
    return `${path}: the server has that path itself`;
  return taken.includes(path) ? `${path} exists already` : "";
}
