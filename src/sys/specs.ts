import { flag, map } from "../wire/field.ts";
import { systemEndpoint } from "../wire/endpoint.ts";
import { plain } from "../wire/style.ts";

const path = "sys/internal/specs/openapi";
export const openapiSpec = systemEndpoint({
  id: "openapiSpec",
  at: ["GET /internal/specs/openapi", "POST /internal/specs/openapi"],
  access: "open",
  style: plain,
  doc: "Returns the OpenAPI 3.1 document of this server. Without a token that may read it, mounts and login methods are described at their usual paths.",
  body: {
    generic_mount_paths: flag.default(
      false,
      "Describe all mounts once, with a path parameter for the mount.",
    ),
  },
  ignores: ["context"],
  reply: {},
  whole: map.required("The document."),
  async run(ca, { generic_mount_paths: generic }, caller) {
    const holder = await caller.holder();
    const known = (["read", "update"] as const).some((one) => holder?.can(one, path) === true);
    return (await import("./specs-run.ts")).described(ca, caller.tables, { generic, known });
  },
});
