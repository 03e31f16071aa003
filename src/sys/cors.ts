import { listForm, lowerCaseForm } from "../base/forms.ts";
import { CaError } from "../base/errors.ts";
import { type CorsRow, corsKey, storedCors } from "../quota/records.ts";
import { systemEndpoint } from "../wire/endpoint.ts";
import { flag, withNormalForm, list } from "../wire/field.ts";
import { envelope } from "../wire/style.ts";
import { stateOf } from "../quota/rate-limit.ts";

export const readCors = systemEndpoint({
  id: "readCors",
  at: ["GET /config/cors"],
  access: "sudo",
  style: envelope,
  hoist: true,
  doc: "Reads the stored CORS settings. They do not include the origins in the deployment's settings.",
  body: {},
  reply: {
    enabled: flag.required("Whether CORS is enabled."),
    allowed_origins: list.optional("Allowed origins; `*` means all. Absent if CORS is disabled."),
    allowed_headers: withNormalForm(list, listForm(lowerCaseForm)).optional(
      "Allowed request headers, besides those of the API.",
    ),
  },
  run: async ({ sys }) => {
    const [row] = await sys.store.get([corsKey]);
    return row ? { enabled: true, ...storedCors(row.value) } : { enabled: false };
  },
});

export const writeCors = systemEndpoint({
  id: "writeCors",
  at: ["POST /config/cors"],
  access: "sudo",
  style: envelope,
  doc: "Sets the origins whose pages may call this server, including the variables API. Takes effect everywhere within a second. Browser credentials are never allowed: pages need a token.",
  body: {
    enabled: flag.optional("If false and `allowed_origins` is empty, the settings are deleted."),
    allowed_origins: list.default([], "Allowed origins such as `https://a.example`, or only `*`."),
    allowed_headers: withNormalForm(list, listForm(lowerCaseForm)).default(
      [],
      "Allowed request headers, besides those of the API.",
    ),
  },
  ignores: ["enable"],
  reply: {},
  refuses: ["malformed"],
  run: async ({ sys }, { enabled, allowed_origins, allowed_headers }) => {
    // the Go SDK sends `enabled: false` together with the origins to enable
    const isOpen = enabled !== false || allowed_origins.length > 0;
    if (!isOpen) await sys.commit({ del: [corsKey] });
    else {
      checkOrigins(allowed_origins);
      checkHeaders(allowed_headers);
      const row: CorsRow = { allowed_origins, allowed_headers };
      await sys.commit({ put: [[corsKey, row]] });
    }
    // takes effect in this process at once, and in other processes within a second
    stateOf(sys).isOpen = isOpen;
    return undefined;
  },
});

export const deleteCors = systemEndpoint({
  id: "deleteCors",
  at: ["DELETE /config/cors"],
  access: "sudo",
  style: envelope,
  doc: "Deletes the CORS settings. Origins in the deployment's settings stay allowed.",
  body: {},
  reply: {},
  run: async ({ sys }) => {
    await sys.commit({ del: [corsKey] });
    return undefined;
  },
});

/** Maximum number of origins, and of headers. */
const maxOrigins = 100;
const origin = /^[a-z][a-z\d+.-]{0,30}:\/\/[\da-z.[\]:_-]{1,253}$/;
const header = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
function checkOrigins(origins: readonly string[]): void {
  if (origins.length === 0)
    throw new CaError("malformed", "at least one origin or the wildcard must be provided");
  if (origins.includes("*") && origins.length > 1)
    throw new CaError(
      "malformed",
      "to allow all origins the '*' must be the only value for allowed_origins",
    );
  if (origins.length > maxOrigins)
    throw new CaError("malformed", `at most ${maxOrigins} origins are allowed`);
  for (const one of origins)
    if (one !== "*" && !origin.test(one))
      throw new CaError(
        "malformed",
        `invalid origin ${JSON.stringify(one.slice(0, 256))}: expected scheme, host and port in lower case, such as https://a.example`,
      );
}
function checkHeaders(headers: readonly string[]): void {
  if (headers.length > maxOrigins)
    throw new CaError("malformed", `at most ${maxOrigins} headers are allowed`);
  for (const one of headers)
    if (one === "*" || !header.test(one))
      throw new CaError("malformed", `invalid header ${JSON.stringify(one.slice(0, 100))}`);
}
