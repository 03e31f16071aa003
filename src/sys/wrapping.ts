import { rfc3339nano } from "../base/duration.ts";
import { CaError } from "../base/errors.ts";
import {
  systemEndpoint,
  type AnyEndpoint,
  type RoutedCall,
  type Style,
  type Tables,
  type MountEndpoints,
} from "../wire/endpoint.ts";
import { int, map, secret } from "../wire/field.ts";
import type { WrapInfo } from "../wire/outcome.ts";
import { readJson } from "../base/json-members.ts";
import { envelope } from "../wire/style.ts";
import { printReply } from "../wire/shape.ts";
import { loadEndpoint, loadEndpoints } from "../wire/lazy-endpoints.ts";
import { wrapInfo } from "../wire/wrap.ts";
import { readWrapped, rewrap, unwrapReply, wrapReply, type Wrapped } from "../wire/wrapped.ts";

/**
 * Style for responses whose content is in `wrap_info`. Numbers in the request body keep their
 * notation.
 */
const wrapping: Style = {
  ...envelope,
  contents: "wrap_info",
  read: async (routed) => readJson(await routed.body(), routed.call.headers.get("content-type")),
  // only handlers that return a WrapInfo have this style
  reply: ({ data, ...outcome }, routed) =>
    envelope.reply({ ...outcome, data: null, wrapInfo: data as WrapInfo }, routed),
};

/** Parses a request with a wrapping token, which may be sent as the request's own token. */
async function readToken(routed: RoutedCall): Promise<Readonly<Record<string, unknown>>> {
  const members = await envelope.read(routed);
  return members["token"] === undefined || members["token"] === ""
    ? { ...members, token: routed.call.token ?? "" }
    : members;
}
const byToken: Style = { ...envelope, read: readToken };

/** An unwrapped response, and the endpoint that produced it. */
interface Unwrapped {
  readonly wrapped: Wrapped;
  readonly origin: AnyEndpoint | undefined;
}
/**
 * Style for unwrapping: returns the envelope of the wrapped response, in the dialect of the
 * unwrapping request.
 */
const unwrapping: Style = {
  ...byToken,
  contents: "data",
  reply: ({ data, warnings, ...outcome }, routed) => {
    // only `unwrap` has this style
    const { wrapped, origin = routed.endpoint } = data as Unwrapped;
    return envelope.reply(
      {
        ...outcome,
        data: printReply(origin.reply, wrapped.data, wrapped.form, routed.call.dialect),
        warnings: [...warnings, ...wrapped.warnings],
        lease: wrapped.lease,
        auth: wrapped.auth,
      },
      {
        ...routed,
        endpoint: origin,
        target: { ...routed.target, type: wrapped.type ?? routed.target.type },
      },
    );
  },
};
/**
 * Returns the endpoint that produced a wrapped response, or undefined if this version no longer has
 * it.
 */
async function originOf(
  { mounts, methods, sys, auth, identity, cubbyhole }: Tables,
  { endpoint: id }: Wrapped,
): Promise<AnyEndpoint | undefined> {
  const lists: readonly MountEndpoints<never>[] = [
    ...Object.values(mounts),
    ...Object.values(methods),
    sys,
    auth,
    identity,
    cubbyhole,
  ];
  const isIt = (one: Pick<AnyEndpoint, "id">): boolean => one.id === id;
  const endpoint = lists.flatMap(({ endpoints }) => endpoints).find(isIt);
  return endpoint
    ? loadEndpoint(endpoint)
    : (await Promise.all(lists.map(loadEndpoints))).flat().find(isIt);
}

const ownToken = {
  token: secret.default("", "Wrapping token; may be sent as the request's token instead."),
} as const;

export const wrapData = systemEndpoint({
  id: "wrapData",
  audits: { own: true },
  at: ["POST /wrapping/wrap"],
  access: "token",
  style: wrapping,
  doc: "Wraps the body and returns a wrapping token for it. The header `X-Service-Wrap-TTL` (or `X-Vault-Wrap-TTL`) sets the lifetime of the token.",
  body: {},
  rest: true,
  reply: wrapInfo,
  refuses: ["malformed"],
  run: async (deployment, input, caller) => {
    if (caller.reply.wrapTtl === undefined)
      throw new CaError(
        "malformed",
        "missing header X-Service-Wrap-TTL or X-Vault-Wrap-TTL, which sets the lifetime of the token",
      );
    const { rest } = input as { readonly rest?: unknown }; // undeclared members
    const info = await wrapReply(
      deployment.sys,
      { endpoint: "wrapData", path: "sys/wrapping/wrap", data: rest, warnings: [], form: {} },
      caller.reply.wrapTtl,
    );
    caller.audit.note({ wrap_accessor: info.accessor, wrap_ttl: info.ttl });
    return info;
  },
});

export const unwrap = systemEndpoint({
  id: "unwrap",
  at: ["POST /wrapping/unwrap"],
  access: "open",
  style: unwrapping,
  doc: "Returns the wrapped response. A token can be unwrapped once.",
  body: ownToken,
  reply: {},
  whole: map.required("The wrapped data."),
  refuses: ["malformed"],
  run: async (deployment, { token }, caller) => {
    const wrapped = await unwrapReply(deployment.sys, token);
    caller.audit.note({ wrap_accessor: wrapped.accessor });
    return { wrapped, origin: await originOf(caller.tables, wrapped) } satisfies Unwrapped;
  },
});

export const lookupWrapping = systemEndpoint({
  id: "lookupWrapping",
  at: ["POST /wrapping/lookup", "GET /wrapping/lookup"],
  access: "open",
  style: byToken,
  hoist: true,
  doc: "Returns the path that created a wrapping token, its creation time and its lifetime, without unwrapping the response.",
  body: ownToken,
  reply: {
    creation_path: wrapInfo.creation_path,
    creation_time: wrapInfo.creation_time,
    creation_ttl: int.required("Lifetime of the wrapping token in seconds."),
  },
  refuses: ["malformed"],
  run: async (deployment, { token }, caller) => {
    const { path, created, ttl, accessor } = await readWrapped(deployment.sys, token);
    caller.audit.note({ wrap_accessor: accessor });
    return { creation_path: path, creation_time: rfc3339nano(created), creation_ttl: ttl };
  },
});

export const rewrapReply = systemEndpoint({
  id: "rewrapReply",
  at: ["POST /wrapping/rewrap"],
  access: "token",
  style: wrapping,
  doc: "Replaces a wrapping token with a new one of the same lifetime. The old token becomes invalid.",
  body: { token: secret.required("Wrapping token.") },
  reply: wrapInfo,
  refuses: ["malformed"],
  run: async (deployment, { token }, caller) => {
    const info = await rewrap(deployment.sys, token);
    caller.audit.note({ wrap_accessor: info.accessor, wrap_ttl: info.ttl });
    return info;
  },
});
