import { methods, tokenPath } from "../engine/methods.ts";
import { flag, map } from "../wire/field.ts";
import { systemEndpoint } from "../wire/endpoint.ts";
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
    const groups = mounts.map(({ path, type, tag }) => ({
      base: `/v1/${path}`,
      tag,
      endpoints: types[type]?.endpoints ?? [],
    }));
    const logins = [...(await methods(ca.sys))]
      .filter(([path]) => path !== tokenPath)
      .map(([path, { type }]) => ({
        base: `/v1/auth/${path}`,
        tag: `auth/${path}`,
        endpoints: methodTypes[type]?.endpoints ?? [],
      }));
    return openapi(
      [
        ...groups,
        ...logins,
        { base: "/v1/sys", tag: "sys", endpoints: sys },
        { base: "/v1/auth", tag: "auth", endpoints: auth },
        { base: "/v1/identity", tag: "identity", endpoints: identity },
        { base: "/v1/cubbyhole", tag: "cubbyhole", endpoints: cubbyhole },
      ],
      reportedVersion,
    );
  },
});
/** The mount of the first start comes first, so that its operations have the plain names. */
const pkiFirst = (a: string, b: string): number =>
  Number(b === "pki") - Number(a === "pki") || (a < b ? -1 : 1);
