import type { ApiDescription } from "../../wire/openapi-about.ts";
import { credentialsOf } from "./credentials.ts";
import { mediaOf } from "./media.ts";
import { parameterText, parameterValues } from "./parameters.ts";
import { version } from "./version.ts";

const description = `The API of a certificate authority and a variable store.

The CA is under \`/v1\`. In its paths, \`pki\` represents the path of a mount, and names such as \`approle\` represent the path of a login method. Send a token in \`X-Service-Token\`, in \`X-Vault-Token\` or as a bearer token. The header selects the format of times, lifetimes and warnings in responses; this document describes \`X-Service-Token\`. Responses have an envelope around \`data\`; errors are \`{"errors": [text]}\`. \`LIST\` is equivalent to \`GET\` with \`list=true\`, and \`PUT\` to \`POST\`. Every response with an envelope can be wrapped.

Under \`/api/v2\` is the variables API, which uses JSON:API and has its own users and tokens.

Durations are seconds, or strings such as \`72h\`. The version in \`sys/health\` is that of the API family, by which clients detect features.`;

const begun = { 202: "Started; `sync` was not requested." };
const changed = { 204: "Updated an existing object." };
/** Additional responses, by endpoint ID. */
const furtherAnswers = new Map<string, Readonly<Record<number, string>>>([
  ...["revokeLease", "revokeLeases", "forceRevokeLeases"].map((id) => [id, begun] as const),
  ...["writeEntity", "writeEntityByName", "writeGroup", "writeGroupByName"].map(
    (id) => [id, changed] as const,
  ),
  ["acmeNewAccount", { 201: "Registered." }],
]);
/** The general part of the OpenAPI document. */
export const about = {
  version,
  description,
  parameter: parameterText,
  allowedValues: parameterValues,
  media: mediaOf,
  credentials: credentialsOf,
  further: (id) => furtherAnswers.get(id),
} as const satisfies Partial<ApiDescription>;
