import { rfc3339 } from "../../base/duration.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { Identity, TokenFacts } from "../../engine/identity.ts";
import { responseWrapping } from "../../policy/index.ts";
import { systemEndpoint, type Style } from "../../wire/endpoint.ts";
import { flag, int, list, secret, text, textOrNull, textsOrNull } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { wrappedBy } from "../../wire/wrapped-accessor.ts";
import type { WrapDetails } from "../../wire/wrapped.ts";
import { entityOfToken } from "./entity.ts";
import {
  badToken,
  requireMember,
  invalidAccessor,
  secondsLeft,
  tokenByAccessor,
  tokenOf,
} from "./named-token.ts";
import { storedTokens } from "../rows/tokens.ts";

/**
 * The response style that adds the token itself to the response, because the token is neither
 * stored nor available to handlers.
 */
const own: Style = {
  ...envelope,
  reply: ({ data, ...outcome }, call) =>
    // only `lookupSelf` uses this style
    envelope.reply({ ...outcome, data: { ...(data as object), id: call.call.token ?? "" } }, call),
};
/** The fields of a token in responses (P 9.6). */
export const details = {
  id: text.required("The token itself; empty in a lookup by accessor."),
  accessor: text.required("Accessor of the token; empty if it has none."),
  display_name: text.required("Display name of the token in logs."),
  policies: list.required("Policies of the token."),
  identity_policies: list.optional("Policies of the token's entity."),
  path: text.required("Path on which the token was created."),
  meta: textsOrNull.required("Metadata of the token."),
  entity_id: text.required("ID of the token's entity; empty if it has none."),
  type: text.required("`service` or `batch`.", ["service", "batch"]),
  ttl: int.required("Remaining lifetime in seconds; 0 means that the token does not expire."),
  creation_ttl: int.required("Lifetime at creation in seconds; 0 means no expiry."),
  creation_time: int.required(
    "Time at which the token was created, Unix seconds; 0 means unknown.",
  ),
  explicit_max_ttl: int.required(
    "Explicit maximum lifetime, including renewals, in seconds; 0 means that none is set.",
  ),
  expire_time: textOrNull.required(
    "Time at which the token expires, RFC 3339; null if it does not expire.",
  ),
  issue_time: text.optional(
    "Time at which the token was created, RFC 3339; only present for tokens that expire.",
  ),
  last_renewal: text.optional("Time of the last renewal, RFC 3339."),
  last_renewal_time: int.optional("Time of the last renewal, Unix seconds."),
  num_uses: int.required("Remaining uses; 0 means unlimited."),
  orphan: flag.required(
    "Whether the token is an orphan, which outlives the token that created it.",
  ),
  renewable: flag.required("Whether the token can be renewed."),
  period: int.optional("Lifetime after each renewal in seconds."),
  role: text.optional("Token role that was used to create the token."),
  bound_cidrs: list.optional("Address ranges (CIDR) from which the token may be used."),
} as const;

function tokenOutput(facts: TokenFacts, now: number, ofEntity: readonly string[]) {
  const { expires, renewed, period, role, bound_cidrs } = facts;
  return {
    id: "",
    accessor: facts.accessor,
    display_name: facts.display_name,
    policies: facts.policies,
    ...(ofEntity.length ? { identity_policies: ofEntity } : {}),
    path: facts.path,
    meta: facts.meta,
    entity_id: facts.entity_id,
    type: facts.type,
    ttl: secondsLeft(facts, now),
    creation_ttl: facts.ttl,
    creation_time: facts.created,
    explicit_max_ttl: facts.explicit_max_ttl,
    expire_time: expires === undefined ? null : rfc3339(expires),
    ...(expires === undefined ? {} : { issue_time: rfc3339(facts.created) }),
    ...(renewed === undefined
      ? {}
      : { last_renewal: rfc3339(renewed), last_renewal_time: renewed }),
    num_uses: Math.max(0, facts.num_uses),
    orphan: facts.orphan,
    renewable: facts.renewable,
    ...(period > 0 ? { period } : {}),
    ...(role === "" ? {} : { role }),
    ...(bound_cidrs.length ? { bound_cidrs } : {}),
  };
}
/** The identity of a token that the deployment's host defines. */
interface HostIdentity {
  readonly id: string;
  readonly policies?: readonly string[];
  readonly entity?: Identity["entity"] | undefined;
}
/**
 * Returns an identity that the deployment's host defines, formatted for responses as a token that
 * does not expire.
 */
const hostIdentityOutput = ({ id, policies = [], entity }: HostIdentity) => ({
  id: "",
  accessor: "",
  display_name: id,
  policies,
  path: policies.includes("root") ? "auth/token/root" : "auth/token/create",
  meta: null,
  entity_id: entity?.id ?? "",
  type: "service",
  ttl: 0,
  creation_ttl: 0,
  creation_time: 0,
  explicit_max_ttl: 0,
  expire_time: null,
  num_uses: 0,
  orphan: true,
  renewable: false,
});
/** Returns a token, formatted for responses, with the policies of its entity. */
export async function toTokenReply(deployment: Deployment, facts: TokenFacts) {
  const { entity_id } = facts;
  const holder = entity_id === "" ? undefined : await entityOfToken(deployment, entity_id);
  return tokenOutput(facts, deployment.ports.now(), holder?.policies ?? []);
}

/** Describes a wrapping token as a token with a single use, which may only unwrap. */
const factsOf = (accessor: string, { path, created, ttl }: WrapDetails): TokenFacts => ({
  ...storedTokens.token({}),
  accessor,
  path,
  policies: [responseWrapping.name],
  created: Math.floor(created / 1000),
  expires: Math.floor(created / 1000) + ttl,
  ttl,
  explicit_max_ttl: ttl,
  num_uses: 1,
  orphan: true,
  renewable: false,
});

export const lookupSelf = systemEndpoint({
  id: "lookupSelf",
  at: ["GET /token/lookup-self", "POST /token/lookup-self"],
  access: "token",
  style: own,
  doc: "Returns the properties of the caller's token. The `default` policy allows this.",
  body: {},
  reply: details,
  run: async (deployment, _, { identity }) =>
    identity.token ? toTokenReply(deployment, identity.token) : hostIdentityOutput(identity),
});

export const lookupToken = systemEndpoint({
  id: "lookupToken",
  at: ["POST /token/lookup"],
  access: "token",
  style: envelope,
  doc: "Returns the properties of a token.",
  body: { token: secret.requiredOr("", "The token.") },
  reply: details,
  refuses: ["malformed", "forbidden"],
  run: async (deployment, { token }) => {
    const named = await tokenOf(deployment, requireMember(token, "missing token ID"));
    if (!named) throw badToken();
    const about =
      named.kind === "given"
        ? hostIdentityOutput(named.identity)
        : await toTokenReply(deployment, named.row);
    return { ...about, id: token };
  },
});

export const lookupAccessor = systemEndpoint({
  id: "lookupAccessor",
  at: ["POST /token/lookup-accessor"],
  access: "token",
  style: envelope,
  doc: "Returns the properties of a token, given its accessor, without the token itself.",
  body: { accessor: text.requiredOr("", "Accessor of the token.") },
  reply: details,
  refuses: ["malformed", "forbidden"],
  run: async (deployment, { accessor }) => {
    const named = await tokenByAccessor(deployment, requireMember(accessor, "missing accessor"));
    if (named) return toTokenReply(deployment, named.row);
    const wrapping = await wrappedBy(deployment.sys, accessor);
    if (!wrapping) throw invalidAccessor();
    return tokenOutput(factsOf(accessor, wrapping), deployment.ports.now(), []);
  },
});
