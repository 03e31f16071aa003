import type { Deployment } from "../engine/deployment.ts";
import { methods, tokenPath } from "../engine/methods.ts";
import type { MountEndpoints, Tables } from "../wire/endpoint.ts";
import { allListed } from "../wire/listed.ts";
import { openapi } from "../wire/openapi.ts";
import { reportedVersion } from "./health.ts";

export { helpOn } from "./help.ts";

/** The OpenAPI document of all that can be called. `generic`: all mounts of a type as one. */
export async function described(ca: Deployment, tables: Tables, generic: boolean) {
  const { mounts: types, methods: methodTypes, sys, auth, identity, cubbyhole } = tables;
  const mounts = generic
    ? Object.keys(types).map((type) => ({ path: `{${type}_mount_path}`, type, tag: type }))
    : [...(await ca.mounts())]
        .map(([path, { type }]) => ({ path, type, tag: path }))
        .sort((a, b) => pkiFirst(a.path, b.path));
  const groups = mounts.map(({ path, type, tag }) => group(path, types[type], tag));
  const logins = [...(await methods(ca.sys))]
    .filter(([path]) => path !== tokenPath)
    .map(([path, { type }]) => group(`auth/${path}`, methodTypes[type]));
  const others = [
    group("sys", sys),
    group("auth", auth),
    group("identity", identity),
    group("cubbyhole", cubbyhole),
  ];
  return openapi(await Promise.all([...groups, ...logins, ...others]), reportedVersion);
}
async function group<On>(path: string, list: MountEndpoints<On> = { endpoints: [] }, tag = path) {
  return { base: `/v1/${path}`, tag, endpoints: await allListed(list) };
}
/** The mount of the first start comes first, so that its operations have the plain names. */
const pkiFirst = (a: string, b: string): number =>
  Number(b === "pki") - Number(a === "pki") || (a < b ? -1 : 1);
