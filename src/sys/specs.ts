import { flag, map } from "../wire/field.ts";
import { systemEndpoint } from "../wire/endpoint.ts";
import { plain } from "../wire/style.ts";

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
  run: async (ca, input, { tables }) =>
    (await import("./specs-run.ts")).described(ca, tables, input.generic_mount_paths),
});
