import { CaError } from "../../base/errors.ts";
import { kindOf } from "../../engine/cache.ts";
import { belowLogin } from "../rows/logins.ts";
import { expectMethod, type Method } from "../../engine/methods.ts";
import type { TokenRow } from "../rows/tokens.ts";
import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Identity } from "../../engine/ports.ts";
import { countLogin, type LoginAttempt } from "../../quota/count-login.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { permissionDenied } from "../entity/of-alias.ts";
import { identityOf } from "../token/identify.ts";
import { tokenFacts } from "../token/make.ts";
import { requireAddress } from "./address.ts";
import { plannedToken, type Login } from "./login.ts";
import { belowMethods } from "../../engine/method-records.ts";

/** What a token would say of whoever has logged in, by what they have shown. */
const logins = kindOf<TokenRow | undefined>(1000, [
  belowMethods.rows,
  belowMethods.data,
  belowLogin.entities,
  belowLogin.aliases,
]);
/** Whose login is decided. */
type Asking = Pick<Caller, "address" | "draft">;

/** A login for one call. */
interface DelegatedLogin {
  /** Path at which the method takes such logins, below its own, and the members of a body there. */
  readonly as: Pick<LoginAttempt, "path" | "said">;
  /** As for a login. */
  readonly decide: () => Promise<Login>;
  /**
   * What decides beside rows of the method, where nothing else does: then a login that changed
   * nothing counts for a second, as a token would (D 4).
   */
  readonly shown?: readonly string[];
}

/**
 * Logs somebody in for one call: whoever a batch token of the method would belong to, and no token
 * is made. What a login counts is counted, by the rate limits of the method too, and its entity
 * found or made. Throws `too_many_requests` above a limit, `unauthorized` where `decide` says no,
 * `forbidden` where address or entity forbid it, `malformed` where the tokens of the login
 * are no batch tokens.
 */
export async function delegatedLogin(
  method: Method,
  caller: Asking,
  { as, decide, shown }: DelegatedLogin,
): Promise<Identity> {
  const { cache } = method.sys;
  const path = `auth/${method.path}/${as.path}`;
  await countLogin(method.deployment, { address: caller.address, path, said: as.said });
  let facts: TokenRow | undefined;
  const decided = async (): Promise<TokenRow | undefined> => {
    const made = await decidedLogin(method, caller, decide);
    facts = made.facts;
    // what is not there is not kept
    return made.stays ? facts : undefined;
  };
  const known = shown
    ? await cache.recent(logins, JSON.stringify([method.uuid, caller.address, ...shown]), decided)
    : await decided();
  facts ??= known;
  const identity = facts && (await identityOf(method.deployment, facts));
  // its entity was disabled meanwhile
  if (!identity) throw permissionDenied();
  return identity;
}

/** `stays`: it changed nothing. */
interface Decided {
  readonly facts: TokenRow;
  readonly stays: boolean;
}
function decidedLogin(
  method: Method,
  caller: Asking,
  decide: () => Promise<Login>,
): Promise<Decided> {
  const { sys, deployment } = method;
  return sys.change(
    async () => {
      const found = await proven(decide);
      requireAddress(found.token.token_bound_cidrs, caller.address);
      const { spec, id, changes } = await plannedToken(method, "/login", found);
      if (spec.type !== "batch")
        throw new CaError(
          "malformed",
          `logins of auth/${method.path}/ make service tokens, and batch tokens are needed here: set its token_type to batch, or that of the role or user`,
        );
      if (id !== "") caller.draft?.({ entity: id });
      const batch = mergeBatches(
        { expect: [await expectMethod(method)] },
        found.more ?? {},
        ...changes,
      );
      const stays = batch.put?.length === 0 && batch.del?.length === 0;
      return { reply: { facts: tokenFacts(deployment.ports, spec).row, stays }, batch };
    },
    { what: "the login" },
  );
}

async function proven(decide: () => Promise<Login>): Promise<Login> {
  try {
    return await decide();
  } catch (error) {
    if (error instanceof CaError && (error.code === "malformed" || error.code === "forbidden"))
      throw new CaError("unauthorized", error.message, { cause: error });
    throw error;
  }
}
