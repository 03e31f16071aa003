import { endpoint } from "../wire/endpoint.ts";
import { openapi } from "../wire/openapi.ts";
import { plain } from "../wire/style.ts";
import { reportedVersion } from "./health.ts";

export const openapiSpec = endpoint({
  id: "openapiSpec",
  at: ["GET /internal/specs/openapi", "POST /internal/specs/openapi"],
  access: "token",
  style: plain,
  doc: "The OpenAPI 3.1 document of this API.",
  body: {},
  ignores: ["context", "generic_mount_paths"],
  reply: {},
  run: async (ca) => {
    const { mount, sys } = ca.system.tables;
    return openapi(
      [
        { base: "/v1/pki", tag: "pki", endpoints: mount },
        { base: "/v1/sys", tag: "sys", endpoints: sys },
      ],
      reportedVersion,
    );
  },
});
