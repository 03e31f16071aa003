import type { About } from "../../wire/openapi-about.ts";
import { credentialsOf } from "./credentials.ts";
import { mediaOf } from "./media.ts";
import { parameterText, parameterWords } from "./parameters.ts";
import { version } from "./version.ts";

const description = `A certificate authority, and a store of variables beside it.

Below \`/v1\` is the CA engine. \`pki\` in its paths stands for the path of a mount, and \`approle\` and the like for that of a login method. It takes its tokens in \`X-Service-Token\`, \`X-Vault-Token\` or as a bearer; the header decides how replies print times, lifetimes and warnings, and what is described is \`X-Service-Token\`. Replies have an envelope around \`data\`, refusals are \`{"errors": [text]}\`. \`LIST\` is \`GET\` with \`list=true\`; \`PUT\` is \`POST\`. Every reply with an envelope can be wanted behind a wrapping token.

Below \`/api/v2\` is the API of the variables, which speaks JSON:API and has users and tokens of its own.

Durations are seconds, or texts such as \`72h\`. \`sys/health\` reports another version, by which clients of this family of APIs decide what they may ask.`;

const begun = { 202: "Begun: `sync` was not wanted." };
const changed = { 204: "What existed was changed." };
/** Additional replies, by endpoint. */
const furtherAnswers = new Map<string, Readonly<Record<number, string>>>([
  ...["revokeLease", "revokeLeases", "forceRevokeLeases"].map((id) => [id, begun] as const),
  ...["writeEntity", "writeEntityByName", "writeGroup", "writeGroupByName"].map(
    (id) => [id, changed] as const,
  ),
  ["acmeNewAccount", { 201: "Registered." }],
]);
/** The general part of the document. */
export const about = {
  version,
  description,
  parameter: parameterText,
  words: parameterWords,
  media: mediaOf,
  credentials: credentialsOf,
  further: (id) => furtherAnswers.get(id),
} as const satisfies Partial<About>;
