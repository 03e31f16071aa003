import { rfc3339nano } from "../base/duration.ts";
import { CaError } from "../base/errors.ts";
import type { Engine } from "../engine.ts";
import { endpoint, type AnyEndpoint, type Call, type Style } from "../wire/endpoint.ts";
import { printed } from "../wire/dispatch.ts";
import { int, map, secret, text } from "../wire/field.ts";
import { readJson } from "../wire/json.ts";
import { envelope } from "../wire/style.ts";
import { wrapInfo } from "../wire/wrap.ts";
import { readWrapped, rewrap, takeWrapped, wrapReply, type WrapInfo, type Wrapped } from "../wrapped.ts";

/** The reply stands in `wrap_info`. Numbers of a body come back as numbers, however they were written. */
const wrapping: Style = {
  ...envelope,
  holds: "wrap_info",
  read: (call) => readJson(call.body, call.header("content-type")),
  // only handlers that answer a WrapInfo have this style
  reply: ({ data, warnings }, call, at, requestId) =>
    envelope.reply({ data: null, warnings, lease: undefined, wrapInfo: data as WrapInfo }, call, at, requestId),
};

/** A wrapping token needs no other beside it: it may be sent as the request's own. */
function readToken(call: Call): Readonly<Record<string, unknown>> {
  const members = envelope.read(call);
  return members["token"] === undefined || members["token"] === "" ? { ...members, token: call.token ?? "" } : members;
}
const byToken: Style = { ...envelope, read: readToken };

/** A reply that was taken, and the endpoint that gave it. */
interface Unwrapped {
  readonly wrapped: Wrapped;
  readonly origin: AnyEndpoint | undefined;
}
/** The envelope of the reply that was wrapped, in the dialect of the call that unwraps it. */
const unwrapping: Style = {
  ...byToken,
  holds: "data",
  reply: ({ data, warnings }, call, at, requestId) => {
    // only the handler of `unwrap` has this style
    const { wrapped, origin } = data as Unwrapped;
    const shown = origin ? printed(origin.reply, wrapped.data, wrapped.form, call.dialect) : wrapped.data;
    return envelope.reply({ data: shown, warnings: [...warnings, ...wrapped.warnings], lease: wrapped.lease }, call, origin ?? at, requestId);
  },
};
/** The endpoint that gave a wrapped reply; undefined when this version has it no more. */
const originOf = ({ system: { tables } }: Engine, { endpoint: id }: Wrapped): AnyEndpoint | undefined =>
  [...tables.mount, ...tables.sys, ...(tables.auth ?? [])].find((known) => known.id === id);

const ownToken = { token: secret.default("", "The wrapping token; not needed when it is sent as the request's own token.") } as const;

export const wrapData = endpoint({
  id: "wrapData",
  at: ["POST /wrapping/wrap"],
  access: "token",
  style: wrapping,
  doc: "Puts the members of the body behind a wrapping token; how long it waits says the header `X-Service-Wrap-TTL` (or `X-Vault-Wrap-TTL`).",
  body: {},
  rest: true,
  reply: wrapInfo,
  refuses: ["malformed"],
  run: async (ca, input, caller) => {
    if (caller.wrapTtl === undefined) throw new CaError("malformed", "the header X-Service-Wrap-TTL or X-Vault-Wrap-TTL must say how long the data waits");
    const { rest } = input as { readonly rest?: unknown }; // undeclared members arrive there
    const info = await wrapReply(ca, { endpoint: "wrapData", path: "sys/wrapping/wrap", data: rest, warnings: [], form: {} }, caller.wrapTtl);
    caller.note({ wrap_accessor: info.accessor, wrap_ttl: info.ttl });
    return info;
  },
});

export const unwrap = endpoint({
  id: "unwrap",
  at: ["POST /wrapping/unwrap"],
  access: "open",
  style: unwrapping,
  doc: "Gives the reply behind a wrapping token, once.",
  body: ownToken,
  reply: {},
  whole: map.required("What was behind the token."),
  refuses: ["malformed"],
  run: async (ca, { token }, caller) => {
    const wrapped = await takeWrapped(ca, token);
    caller.note({ wrap_accessor: wrapped.accessor });
    return { wrapped, origin: originOf(ca, wrapped) } satisfies Unwrapped;
  },
});

export const lookupWrapping = endpoint({
  id: "lookupWrapping",
  at: ["POST /wrapping/lookup"],
  access: "open",
  style: byToken,
  hoist: true,
  doc: "Tells of a wrapping token where it comes from, without opening the reply.",
  body: ownToken,
  reply: {
    creation_path: text.required("Path of the call whose reply it is."),
    creation_time: text.required("When it was wrapped, RFC 3339."),
    creation_ttl: int.required("How long it waits from then on, seconds."),
  },
  refuses: ["malformed"],
  run: async (ca, { token }, caller) => {
    const { path, created, ttl, accessor } = await readWrapped(ca, token);
    caller.note({ wrap_accessor: accessor });
    return { creation_path: path, creation_time: rfc3339nano(created), creation_ttl: ttl };
  },
});

export const rewrapReply = endpoint({
  id: "rewrapReply",
  at: ["POST /wrapping/rewrap"],
  access: "token",
  style: wrapping,
  doc: "Moves the reply behind a new wrapping token, for as long as it was given at first; the old token opens nothing any more.",
  body: { token: secret.required("The wrapping token.") },
  reply: wrapInfo,
  refuses: ["malformed"],
  run: async (ca, { token }, caller) => {
    const info = await rewrap(ca, token);
    caller.note({ wrap_accessor: info.accessor, wrap_ttl: info.ttl });
    return info;
  },
});
