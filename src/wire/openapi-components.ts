import { flag, int, schemaOf, text } from "./field.ts";
import type { Credential } from "./openapi-about.ts";
import { wrapInfo } from "./wrap.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** JSON Schema of null. */
export const nothing: Json = { type: "null" };
/** JSON Schema of bytes. */
export const binary: Json = { type: "string", format: "binary" };

/** The envelope around the data of a response. Each endpoint describes its `data`. */
const around = schemaOf({
  request_id: text.required("ID of this request."),
  lease_id: text.required("ID of the lease; empty if there is none."),
  renewable: flag.required("Always false."),
  lease_duration: int.required("Remaining lifetime of the lease in seconds; 0 if there is none."),
  mount_type: text.required("Type of the mount."),
});
const envelope: Json = {
  ...around,
  properties: {
    ...(around["properties"] as Json),
    wrap_info: {
      oneOf: [refTo("WrapInfo"), nothing],
      description:
        "Replaces `data`, which is then null, if the caller requested a wrapped response.",
    },
    warnings: {
      type: ["string", "array", "null"],
      items: { type: "string" },
      description:
        "Warnings, one per line; empty if there are none. Without X-Service-Token, a list of warnings, or null.",
    },
    auth: {
      type: ["object", "null"],
      description: "Created or renewed token; null in responses to other calls.",
    },
  },
  required: [...(around["required"] as readonly string[]), "wrap_info", "warnings", "auth"],
};
const listOfObjects = (properties: Json): Json => ({
  type: "array",
  items: { type: "object", properties },
});
const aText = (description: string): Json => ({ type: "string", description });

const schemas = {
  Envelope: envelope,
  WrapInfo: schemaOf(wrapInfo),
  Refusal: {
    type: "object",
    properties: { errors: { type: "array", items: { type: "string" } } },
    required: ["errors"],
  },
  Problem: {
    type: "object",
    description: "A problem document (RFC 9457, RFC 8555 section 6.7).",
    properties: {
      type: aText("Error type, such as `urn:ietf:params:acme:error:malformed`."),
      detail: aText("One sentence that says what is wrong."),
      subproblems: listOfObjects({}),
    },
    required: ["type", "detail"],
  },
  Faults: {
    type: "object",
    description: "An errors document of JSON:API.",
    properties: {
      errors: listOfObjects({
        status: aText("HTTP status, as a string."),
        title: aText("Kind of error."),
        detail: aText("One sentence that says what is wrong."),
        source: {
          type: "object",
          description: "Source of the error: `pointer` into the document, or query `parameter`.",
        },
      }),
    },
    required: ["errors"],
  },
} as const satisfies Readonly<Record<string, Json>>;
/** The name of a schema that several operations share. */
type SharedSchema = keyof typeof schemas;
/** Returns a reference to a shared schema. */
export function refTo(name: SharedSchema): Json {
  return { $ref: `#/components/schemas/${name}` };
}

const header = (description: string, type = "string"): Json => ({ description, schema: { type } });
const headers = {
  RequestId: header("ID of this request, as in the log."),
  ErrorCode: header("Stable error code, such as `unknown_role`; see docs/reference/errors.md."),
  RetryAfter: header("Seconds to wait before a retry.", "integer"),
} as const;

/** The errors that any operation may return, by status. */
const generally = {
  400: "The request is malformed, or a field is invalid.",
  401: "No valid token was sent.",
  403: "The token is missing, invalid, or lacks permission.",
  404: "Nothing is mounted at this path.",
  405: "The path does not support this method.",
  413: "The body is too large.",
  415: "Unsupported media type.",
  429: "A rate limit was exceeded.",
  431: "The token is too long.",
  500: "Internal error; see the log.",
  503: "Busy, or the storage is unreachable: retry.",
} as const;
/** The status of an error that any operation may return. */
export type GeneralStatus = keyof typeof generally;
const laterStatuses: ReadonlySet<number> = new Set([429, 503]);
/** Media types whose error responses contain the error code in a header. */
const codedMedia: ReadonlySet<string> = new Set(["application/json", "application/vnd.api+json"]);
/** Returns the headers of an error response. */
const refusalHeaders = (status: number, media: string): Json => ({
  ...(codedMedia.has(media) ? { "X-Error-Code": { $ref: "#/components/headers/ErrorCode" } } : {}),
  "X-Request-Id": { $ref: "#/components/headers/RequestId" },
  ...(laterStatuses.has(status)
    ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
    : {}),
});

/** The schemas of error responses by media type. */
const refusalSchemas: Readonly<Record<string, Json>> = {
  "application/json": refTo("Refusal"),
  "application/problem+json": refTo("Problem"),
  "application/vnd.api+json": refTo("Faults"),
  "text/plain": { type: "string" },
};
/** Returns the content of an error response, by media type. */
export const refusalContent = (media: string): Json => ({
  [media]: { schema: refusalSchemas[media] ?? binary },
});

/** The components that operations reference, collected while describing the operations. */
export interface SharedParts {
  readonly schemas: Record<string, Json>;
  readonly responses: Record<string, Json>;
}
/**
 * Returns the schema name for an endpoint's request or response: the endpoint's ID, capitalized,
 * and the kind.
 */
export const nameOf = (id: string, what: "Input" | "Reply"): string =>
  id.charAt(0).toUpperCase() + id.slice(1) + what;
/** Adds a schema to the components, and returns a reference to it. */
export function schemaRef({ schemas }: SharedParts, name: string, schema: Json): Json {
  schemas[name] ??= schema;
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the name of the shared response for a general error in a media type. */
const sharedName = (status: GeneralStatus, media: string): string =>
  `${status}-${media.replace(/^.*\//, "").replace(/\W+/g, "-")}`;
/** Adds the response of a general error to the components, and returns a reference to it. */
export function sharedAnswer(
  status: GeneralStatus,
  media: string,
  { responses }: SharedParts,
): Json {
  const name = sharedName(status, media);
  responses[name] ??= {
    description: generally[status],
    headers: refusalHeaders(status, media),
    content: refusalContent(media),
  };
  return { $ref: `#/components/responses/${name}` };
}

const wrapHeader = (name: string): Json => ({
  name,
  in: "header",
  required: false,
  description:
    "Wraps the response for this time, such as `5m`: `wrap_info` contains a single-use token for `sys/wrapping/unwrap`.",
  schema: { type: "string", format: "go-duration" },
});
const parameters = {
  WrapTtl: wrapHeader("X-Service-Wrap-TTL"),
  OtherWrapTtl: wrapHeader("X-Vault-Wrap-TTL"),
} as const;
/** The header parameters of an operation whose response may be wrapped. */
export const wrapParameters: readonly Json[] = Object.keys(parameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

/** Security schemes by kind of credential. */
const securitySchemes = {
  token: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Token",
    description: "Token; responses use the documented dialect.",
  },
  otherToken: {
    type: "apiKey",
    in: "header",
    name: "X-Vault-Token",
    description:
      "The same token, for Vault-compatible clients: responses contain times as numbers and warnings as lists.",
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "The same token; responses are the same as with X-Vault-Token.",
  },
  basic: {
    type: "http",
    scheme: "basic",
    description:
      "User name and password, or role ID and secret ID, for a login method that the mount accepts.",
  },
  mutualTls: {
    type: "mutualTLS",
    description: "Client authentication in the TLS handshake, if the platform passes it on.",
  },
  variables: {
    type: "http",
    scheme: "bearer",
    description: "Token of the variables API: of a user, a team or an organization.",
  },
} as const satisfies Readonly<Record<Credential, Json>>;

/** Returns the components of the given kind that a JSON document references. */
const referred = <T extends Json>(kind: string, all: T, text: string): Json =>
  Object.fromEntries(
    Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
/**
 * Returns the components that paths reference directly or indirectly. `credentials` contains the
 * kinds of credentials that operations accept.
 */
export function componentsOf(
  paths: Json,
  shared: SharedParts,
  credentials: ReadonlySet<string>,
): Json {
  const references = JSON.stringify([paths, shared]);
  return {
    securitySchemes: Object.fromEntries(
      Object.entries(securitySchemes).filter(([name]) => credentials.has(name)),
    ),
    schemas: {
      ...referred("schemas", schemas, references + JSON.stringify(envelope)),
      ...shared.schemas,
    },
    headers: referred("headers", headers, references),
    parameters: referred("parameters", parameters, references),
    responses: shared.responses,
  };
}
