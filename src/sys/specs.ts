import { methods, tokenPath } from "../engine/methods.ts";
import { flag, map } from "../wire/field.ts";
import { type MountEndpoints, systemEndpoint } from "../wire/endpoint.ts";
import { allListed } from "../wire/listed.ts";
import { openapi } from "../wire/openapi.ts";
import { plain } from "../wire/style.ts";
import { reportedVersion } from "./health.ts";

export const openapiSpec = systemEndpoint({
  id: "openapiSpec",
  at: ["GET /internal/specs/openapi", "POST /internal/specs/openapi"],
  access: "token",
  style: plain,
  doc: "Returns the OpenAPI 3.1 document of this API.",
  body: {
    generic_mount_paths: flag.default(
      false,
      "Describe all mounts once, with a path parameter for the mount.",
    ),
  },
  ignores: ["context"],
  reply: {},
  whole: map.required("The document."),
  run: async (ca, input, caller) => {
    const { mounts: types, methods: methodTypes, sys, auth, identity, cubbyhole } = caller.tables;
    const mounts = input.generic_mount_paths
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
  },
});
async function group<On>(path: string, list: MountEndpoints<On> = { endpoints: [] }, tag = path) {
  return { base: `/v1/${path}`, tag, endpoints: await allListed(list) };
}
/** The mount of the first start comes first, so that its operations have the plain names. */
const pkiFirst = (a: string, b: string): number =>
  Number(b === "pki") - Number(a === "pki") || (a < b ? -1 : 1);
