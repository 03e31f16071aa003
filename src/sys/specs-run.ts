import { memo } from "../base/memo.ts";
import type { Deployment } from "../engine/deployment.ts";
import { methods, tokenPath } from "../engine/methods.ts";
import type { Tables } from "../wire/endpoint.ts";
import type { About } from "../wire/openapi-about.ts";
import { type Group, openapi } from "../wire/openapi.ts";
import { about } from "./specs/about.ts";
import { exampleOf } from "./specs/examples.ts";
import { groupOf } from "./specs/groups.ts";

export { helpOn } from "./help.ts";

/** Where mounts and login methods lie, and what tells one from another. */
type Places = readonly (readonly [path: string, type: string, tag?: string])[];
/** How the document is wanted. */
interface Wanted {
  /** All mounts of a type as one, whose path is a parameter. */
  readonly generic: boolean;
  /** Whether the caller may know what is mounted and enabled here. */
  readonly known: boolean;
}

/** The OpenAPI document of all that can be called. */
export async function described(ca: Deployment, tables: Tables, { generic, known }: Wanted) {
  const { publicUrl } = ca.ports;
  if (!known) return forStrangers(tables)(generic, publicUrl);
  const [mounts, logins] = [await mountsOf(ca), await loginsOf(ca)];
  return made(tables, { mounts: generic ? genericOf(tables) : mounts, logins }, toldOf(publicUrl));
}

/** The same for everybody whom it is not told what is mounted here, so that it costs them once. */
const forStrangers = memo((tables: Tables) => {
  const kept = new Map<boolean, Awaited<ReturnType<typeof made>>>();
  return async (generic: boolean, publicUrl: string | undefined) => {
    const mounts = generic ? genericOf(tables) : usual(tables.mounts);
    const document =
      kept.get(generic) ??
      (await made(tables, { mounts, logins: usual(tables.methods, "auth/") }, toldOf(publicUrl)));
    kept.set(generic, document);
    return document;
  };
});

/** What is told besides what the endpoints say themselves. */
const toldOf = (publicUrl: string | undefined): About => ({
  ...about,
  servers: [publicUrl ? { url: publicUrl } : { url: "/", description: "This server." }],
  example: exampleOf,
});

/** The groups of all endpoints, at the paths that they usually have. */
export const usualGroups = (tables: Tables): Promise<readonly Group[]> =>
  groupsOf(tables, { mounts: usual(tables.mounts), logins: usual(tables.methods, "auth/") });

const made = async (tables: Tables, places: Parameters<typeof groupsOf>[1], told: About) =>
  openapi(await groupsOf(tables, places), told);

async function groupsOf(
  tables: Tables,
  { mounts, logins }: Readonly<Record<"mounts" | "logins", Places>>,
): Promise<readonly Group[]> {
  const { sys, auth, identity, cubbyhole, beside } = tables;
  const groups = [
    ...mounts.map(([path, type, tag = path]) => groupOf({ path, type, tag }, tables.mounts[type])),
    ...logins.map(([path, type]) => groupOf({ path, type }, tables.methods[type])),
    groupOf({ path: "sys" }, sys),
    groupOf({ path: "auth" }, auth),
    groupOf({ path: "identity" }, identity),
    groupOf({ path: "cubbyhole" }, cubbyhole),
  ];
  return [...(await Promise.all(groups)), ...((await beside?.()) ?? [])];
}

/** All mounts of a type as one, whose path is a parameter. */
const genericOf = ({ mounts }: Tables): Places =>
  Object.keys(mounts).map((type) => [`{${type}_mount_path}`, type, type]);

/** The path that a type usually has: its own name. */
const usual = (types: Readonly<Record<string, unknown>>, below = ""): Places =>
  Object.keys(types)
    // the same as jwt, under another name
    .filter((type) => type !== "oidc")
    .map((type) => [below + type, type]);

const mountsOf = async (ca: Deployment): Promise<Places> =>
  [...(await ca.mounts())]
    .map(([path, { type }]) => [path, type] as const)
    .sort(([a], [b]) => pkiFirst(a, b));
const loginsOf = async (ca: Deployment): Promise<Places> =>
  [...(await methods(ca.sys))]
    .filter(([path]) => path !== tokenPath)
    .map(([path, { type }]) => [`auth/${path}`, type] as const);
/** The mount of the first start comes first, so that its operations have the plain names. */
const pkiFirst = (a: string, b: string): number =>
  Number(b === "pki") - Number(a === "pki") || (a < b ? -1 : 1);
