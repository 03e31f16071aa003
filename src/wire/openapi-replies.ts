import { statusOfRefusal } from "../base/errors.ts";
import type { AnyEndpoint } from "./endpoint.ts";
import { schemaOf } from "./field.ts";
import type { ApiDescription, Group } from "./openapi-about.ts";
import {
  binary,
  type GeneralStatus,
  type Json,
  schemaRef,
  nameOf,
  nothing,
  refTo,
  refusalContent,
  sharedAnswer,
  type SharedParts,
} from "./openapi-components.ts";

/** A path of an endpoint whose responses are to be described. */
interface Replying {
  readonly endpoint: AnyEndpoint;
  readonly method: string;
  readonly reads: boolean;
  readonly group: Group<AnyEndpoint>;
  readonly about: Pick<ApiDescription, "media" | "further">;
  readonly shared: SharedParts;
}

/** Returns the responses of an operation by status. */
export const repliesOf = (replying: Replying): Json => ({
  ...success(replying),
  ...further(replying),
  ...refused(replying),
});

/**
 * Returns the other successful responses that a handler may choose: an envelope with only warnings
 * if work was started, or the same document without an envelope.
 */
const further = (replying: Replying): Json =>
  Object.fromEntries(
    Object.entries(replying.about.further?.(replying.endpoint.id) ?? {}).map(
      ([status, description]) => [
        status,
        status === "204"
          ? { description }
          : { description, content: { "application/json": { schema: furtherSchema(replying) } } },
      ],
    ),
  );
const furtherSchema = ({ endpoint, shared }: Replying): Json =>
  endpoint.style.name === "envelope" ? enveloped(nothing) : documentOf(endpoint, shared);
/** Returns the schema of an endpoint's response without the envelope. */
const documentOf = ({ id, whole, reply }: AnyEndpoint, shared: SharedParts): Json =>
  schemaRef(shared, nameOf(id, "Reply"), whole?.json ?? schemaOf(reply));

function success({ endpoint, reads, about, shared }: Replying): Json {
  const { name, answers } = endpoint.style;
  const types = about.media(endpoint.id) ?? (answers === undefined ? undefined : [answers]);
  if (types || name === "raw")
    return {
      200: {
        description: "The bytes.",
        content: Object.fromEntries(
          (types ?? []).map((type) => [
            type,
            { schema: type === "application/json" ? { type: "object" } : binary },
          ]),
        ),
      },
      ...(name === "raw" && answers === undefined ? { 204: { description: "No content." } } : {}),
    };
  const response = (description: string, schema: Json) => ({
    [endpoint.status ?? 200]: { description, content: { [documentType(endpoint)]: { schema } } },
  });
  if (endpoint.status === 202)
    return {
      ...response("Started, with a warning about it.", enveloped(nothing)),
      200: { ...response("", enveloped(nothing))[202], description: "Already running." },
    };
  if (endpoint.status === 303)
    return response("Continues at the URL in `Location`.", enveloped(nothing));
  const isEmpty = !endpoint.whole && Object.keys(endpoint.reply).length === 0;
  if (isEmpty && reads && name !== "envelope") return { 204: { description: "Headers only." } };
  if (isEmpty && !reads)
    // a response with only warnings has an envelope
    return {
      ...(name === "envelope" ? response("Done, with warnings.", enveloped(nothing)) : {}),
      [endpoint.status ?? endpoint.style.done ?? 204]: { description: "Done." },
    };
  if (endpoint.style.contents === "wrap_info") return response("OK", wrapping);
  const reply = documentOf(endpoint, shared);
  return response("OK", name === "envelope" ? envelopeOf(endpoint, reply) : reply);
}

/** Returns the media type of an endpoint's documents. */
const documentType = ({ style }: AnyEndpoint): string =>
  (style.name === "jsonapi" ? style.accepts["POST"] : undefined) ?? "application/json";

const enveloped = (data: Json, ...more: readonly Json[]): Json => ({
  allOf: [refTo("Envelope"), { type: "object", properties: { data }, required: ["data"] }, ...more],
});
const wrapping = enveloped(nothing, {
  type: "object",
  properties: { wrap_info: refTo("WrapInfo") },
});
function envelopeOf({ style, hoist, whole, nullable }: AnyEndpoint, reply: Json): Json {
  if (style.contents === "auth")
    return enveloped(nothing, { type: "object", properties: { auth: reply } });
  // a schema cannot distinguish members with arbitrary names from those of the envelope
  return enveloped(
    nullable ? { oneOf: [reply, nothing] } : reply,
    ...(hoist && !whole ? [reply] : []),
  );
}

/** Returns the general errors that an operation may return. */
function generalOf({ endpoint, method, reads, group }: Replying): readonly GeneralStatus[] {
  const { access, style } = endpoint;
  // these endpoints implement separate protocols with few error statuses
  if (style.refusesAs === style.answers && style.answers !== undefined) return [400, 500];
  const takesBody = !reads && (method !== "DELETE" || style.name === "jsonapi");
  const anonymousStatus = group.anonymous === "unauthorized" ? 401 : 403;
  const isTyped = takesBody && (method === "PATCH" || style.name === "jsonapi" || style.refusesAs);
  return [
    400,
    ...(group.mounted ? ([404] as const) : []),
    405,
    ...(takesBody ? ([413] as const) : []),
    ...(isTyped ? ([415] as const) : []),
    429,
    ...(access === "open" ? [] : ([anonymousStatus, 431] as const)),
    500,
    503,
  ];
}

function refused(replying: Replying): Json {
  const { endpoint, reads, shared } = replying;
  const { refuses = [], style } = endpoint;
  const coded = refuses.map((code) => [code, statusOfRefusal(code, reads)] as const);
  const media = style.refusesAs ?? documentType(endpoint);
  const isOwn = new Set(coded.map(([, status]) => status));
  const general = generalOf(replying)
    .filter((status) => !isOwn.has(status))
    .map((status) => [status, sharedAnswer(status, media, shared)] as const);
  const own = [...isOwn].map((status) => {
    const why = coded.flatMap(([code, at]) => (at === status ? code : [])).join(", ");
    return [status, { description: why, content: refusalContent(media) }] as const;
  });
  return Object.fromEntries([...general, ...own].sort(([a], [b]) => a - b));
}
