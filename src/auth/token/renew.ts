import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { systemTtl } from "../../engine/new-mount.ts";
import { tokenIndex, type TokenRow, tokenKeys } from "../rows/tokens.ts";
import type { Expect } from "../../engine/ports.ts";
import type { AuthReply } from "../../wire/outcome.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { seconds, secret, text } from "../../wire/field.ts";
import { authEnvelope } from "../../wire/style.ts";
import { dueRows } from "./ends.ts";
import { entityOfToken } from "./entity.ts";
import {
  requireMember,
  invalidAccessor,
  ownToken,
  serviceOf,
  tokenByAccessor,
  tokenOf,
  type NamedToken,
} from "./named-token.ts";
import { lesserLimit, lifetimeOf, type TtlBounds } from "./lifetime.ts";
import { loginLimits } from "./login-source.ts";
import { authOf } from "./make.ts";
import { tokenReply, authReply } from "./reply.ts";
import { tokenRole } from "./roles.ts";

/** The result of a renewal: the token for the response, and warnings. */
interface Renewed {
  readonly auth: AuthReply;
  readonly warnings: readonly string[];
}
/**
 * Renews a token (P 9.6 rule 4). `token` is the token's value for the response, or empty if the
 * caller must not see it. Throws `malformed` if the token cannot be renewed.
 */
async function renew(
  deployment: Deployment,
  named: NamedToken | undefined,
  { token, increment }: { readonly token: string; readonly increment: number },
): Promise<Renewed> {
  if (!named) throw new CaError("malformed", "token not found");
  if (named.kind === "batch") throw new CaError("malformed", "batch tokens cannot be renewed");
  if (named.kind === "given" || !named.row.renewable) throw notRenewable();
  const { entity_id } = named.row;
  const holder = entity_id === "" ? undefined : await entityOfToken(deployment, entity_id);
  const identity_policies = holder?.policies ?? [];
  const { sys } = deployment;
  const key = tokenKeys.token(named.hash);
  return sys.change(
    async () => {
      const [tokenRow, [ends]] = await Promise.all([
        serviceOf(deployment, named.hash),
        sys.store.get([tokenKeys.ends]),
      ]);
      if (!tokenRow) throw new CaError("malformed", "token not found");
      const now = sys.ports.now();
      const limits = await limitsOf(deployment, tokenRow.row);
      const { row, left, warnings } = renewed(tokenRow.row, limits, {
        increment,
        now: Math.floor(now / 1000),
      });
      const due = dueRows(row, ends, now);
      return {
        reply: { auth: authOf(row, token, { identity_policies, seconds: left }), warnings },
        batch: {
          expect: [[key, tokenRow.rev], ...limits.expect, ...(due.expect ?? [])],
          put: [[key, row, tokenIndex(row)], ...(due.put ?? [])],
        },
      };
    },
    { what: "the token" },
  );
}
const notRenewable = (): CaError => new CaError("malformed", "lease is not renewable");

/** The limits of a renewal, and preconditions on the rows from which they come. */
interface Limits extends Omit<TtlBounds, "age"> {
  readonly expect: readonly Expect[];
}
/**
 * Returns the limits for renewing a token, from the current settings of the token role, or of the
 * login role or user, with which it was created. Throws `malformed` if the role or user no longer
 * exists or now grants different policies.
 */
async function limitsOf(deployment: Deployment, row: TokenRow): Promise<Limits> {
  const { role: name, path, explicit_max_ttl } = row;
  const own: Limits = {
    ttls: { default: row.ttl, max: row.max_ttl || systemTtl },
    ttl: 0,
    period: row.period,
    max_ttl: row.max_ttl || systemTtl,
    explicit_max_ttl,
    expect: [],
  };
  // the role of a token from a login belongs to the login method
  if (name === "" || !path.startsWith("auth/token/create/"))
    return { ...own, ...(await loginLimits(deployment, row)) };
  const role = await tokenRole(deployment.sys, name);
  if (!role)
    throw new CaError(
      "malformed",
      `original token role "${name}" could not be found, not renewing`,
    );
  return {
    ...own,
    period: lesserLimit(row.period, role.token_period),
    explicit_max_ttl: lesserLimit(explicit_max_ttl, role.token_explicit_max_ttl),
  };
}
interface Renewal {
  readonly increment: number;
  /** Current time, Unix seconds. */
  readonly now: number;
}
function renewed(current: TokenRow, limits: Limits, { increment, now }: Renewal) {
  const { seconds: left, warnings } = lifetimeOf({
    ...limits,
    ttl: increment || limits.ttl,
    age: now - current.created,
  });
  if (left === 0) throw new CaError("malformed", "past the max TTL, cannot renew");
  const row: TokenRow = { ...current, expires: now + left, renewed: now };
  return { row, left, warnings };
}

const shared = { access: "token", style: authEnvelope, reply: authReply, nullable: true } as const;
const increment = seconds.default(
  0,
  "Requested remaining lifetime. 0 means the token's original lifetime or, for a token from a login, the lifetime that a new login would get.",
);

export const renewSelf = systemEndpoint({
  ...shared,
  id: "renewSelf",
  audits: { own: true },
  at: ["POST /token/renew-self"],
  doc: "Renews the caller's token.",
  body: { increment },
  refuses: ["malformed"],
  run: async (deployment, input, caller) => {
    const named = ownToken(caller);
    if (!named) throw notRenewable();
    const { auth, warnings } = await renew(deployment, named, {
      token: "",
      increment: input.increment,
    });
    for (const warning of warnings) caller.reply.warn(warning);
    caller.reply.auth(auth, "own");
    return null;
  },
});
export const renewToken = systemEndpoint({
  ...shared,
  id: "renewToken",
  at: ["POST /token/renew"],
  doc: "Renews a token.",
  body: { token: secret.requiredOr("", "The token."), increment },
  refuses: ["malformed"],
  run: async (deployment, input, caller) => {
    const token = requireMember(input.token, "missing token ID");
    const named = await tokenOf(deployment, token);
    const { auth, warnings } = await renew(deployment, named, {
      token,
      increment: input.increment,
    });
    return tokenReply(caller, auth, warnings);
  },
});
export const renewAccessor = systemEndpoint({
  ...shared,
  id: "renewAccessor",
  at: ["POST /token/renew-accessor"],
  doc: "Renews a token, given its accessor. The reply does not contain the token.",
  body: { accessor: text.requiredOr("", "Accessor of the token."), increment },
  refuses: ["malformed"],
  run: async (deployment, input, caller) => {
    const named = await tokenByAccessor(
      deployment,
      requireMember(input.accessor, "missing accessor"),
    );
    if (!named) throw invalidAccessor();
    const { auth, warnings } = await renew(deployment, named, {
      token: "",
      increment: input.increment,
    });
    return tokenReply(caller, auth, warnings);
  },
});
