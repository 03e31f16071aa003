import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import { type Caller, systemEndpoint } from "../../wire/endpoint.ts";
import { secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { dropWrappedBy } from "../../wire/wrapped-accessor.ts";
import { dropWrapped } from "../../wire/wrapped.ts";
import { endToken } from "./end.ts";
import { tokenEndKind } from "./ends.ts";
import {
  requireMember,
  ownToken,
  tokenByAccessor,
  tokenOf,
  type NamedToken,
} from "./named-token.ts";

/** Revokes a token, and its children unless they become orphans. */
async function revoke(
  deployment: Deployment,
  caller: Caller,
  named: NamedToken | undefined,
  orphans = false,
): Promise<undefined> {
  if (!named) return undefined;
  if (named.kind === "batch") throw new CaError("malformed", "batch tokens cannot be revoked");
  if (named.kind === "given")
    throw new CaError(
      "malformed",
      "this token is set in the configuration of the server; to revoke it, change the configuration",
    );
  caller.audit.note({ accessor: named.row.accessor });
  const failed = () =>
    caller.reply.warn(
      "the token is revoked; some of its child tokens and leases are still being revoked",
    );
  await endToken(deployment, named.hash, { orphans, failed });
  return undefined;
}
const rootToken: NamedToken = { kind: "given", identity: { id: "", can: () => false } };

export const revokeSelf = systemEndpoint({
  id: "revokeSelf",
  at: ["POST /token/revoke-self"],
  access: "token",
  style: envelope,
  doc: "Revokes the caller's token, its child tokens, and their leases.",
  body: {},
  reply: {},
  refuses: ["malformed"],
  run: (deployment, _, caller) => revoke(deployment, caller, ownToken(caller) ?? rootToken),
});

const named = { token: secret.requiredOr("", "The token.") } as const;
const missingToken = "missing token ID";

export const revokeToken = systemEndpoint({
  id: "revokeToken",
  at: ["POST /token/revoke"],
  access: "token",
  style: envelope,
  doc: "Revokes a token, its child tokens, and their leases. If it is a wrapping token, also deletes the wrapped response. Succeeds if the token does not exist.",
  body: named,
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { token }, caller) => {
    const named = await tokenOf(deployment, requireMember(token, missingToken));
    const wrap_accessor = named ? undefined : await dropWrapped(deployment.sys, token);
    if (wrap_accessor !== undefined) caller.audit.note({ wrap_accessor });
    return revoke(deployment, caller, named);
  },
});

export const revokeOrphan = systemEndpoint({
  id: "revokeOrphan",
  at: ["POST /token/revoke-orphan"],
  access: "sudo",
  style: envelope,
  doc: "Revokes a token and its leases; its child tokens become orphans.",
  body: named,
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { token }, caller) =>
    revoke(deployment, caller, await tokenOf(deployment, requireMember(token, missingToken)), true),
});

export const revokeAccessor = systemEndpoint({
  id: "revokeAccessor",
  at: ["POST /token/revoke-accessor"],
  access: "token",
  style: envelope,
  doc: "Revokes the token with an accessor, its child tokens, and their leases. If it is a wrapping token, also deletes the wrapped response. Succeeds if the accessor does not exist.",
  body: { accessor: text.requiredOr("", "Accessor of the token.") },
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { accessor }, caller) => {
    const named = await tokenByAccessor(deployment, requireMember(accessor, "missing accessor"));
    if (named) return revoke(deployment, caller, named);
    if (await dropWrappedBy(deployment.sys, accessor))
      caller.audit.note({ wrap_accessor: accessor });
    else caller.reply.warn("No token found with this accessor");
    return undefined;
  },
});

export const tidyTokens = systemEndpoint({
  id: "tidyTokens",
  at: ["POST /token/tidy"],
  access: "token",
  style: envelope,
  status: 202,
  nullable: true,
  doc: "Starts a job that removes expired tokens.",
  audits: { jobs: true },
  body: {},
  reply: {},
  run: async ({ sys }, _, caller) => {
    const now = sys.ports.now();
    await sys.commit({ put: [jobRow({ due: now, now }, tokenEndKind, "tokens")] });
    caller.reply.warn("Tidy operation successfully started. Its outcome is written to the log.");
    return null;
  },
});
