import { CaError } from "../../base/errors.ts";
import { kindOf } from "../../engine/store-context.ts";
import { belowLogin } from "../rows/logins.ts";
import { expectMethod, type Method } from "../rows/methods.ts";
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
import { belowMethods } from "../rows/method-records.ts";

/** The tokens that recent logins would have received, cached by the presented credentials. */
const logins = kindOf<TokenRow | undefined>(1000, [
  belowMethods.rows,
  belowMethods.data,
  belowLogin.entities,
  belowLogin.aliases,
]);
/** The caller of a login. */
type LoginCaller = Pick<Caller, "address" | "audit">;

/** A login that authenticates a single request. */
interface DelegatedLogin {
  /** Path of the method's login endpoint, and the fields of the request body. */
  readonly as: Pick<LoginAttempt, "path" | "parameters">;
  /** Verifies the credentials, as in a login. */
  readonly decide: () => Promise<Login>;
  /**
   * The presented credentials, if the outcome depends only on them and on the method's rows. The
   * result of a login that changed nothing is then cached for one second, as tokens are (D 4).
   */
  readonly shown?: readonly string[];
}

/**
 * Authenticates a single request: returns the identity that a batch token from the method would
 * have, without issuing a token. Applies rate limits, including those of the method, and finds or
 * creates the entity. Throws CaError
 * - `too_many_requests` above a rate limit,
 * - `unauthorized` if `decide` rejects,
 * - `forbidden` if the address or the entity is not allowed,
 * - `malformed` if the method does not issue batch tokens.
 */
export async function delegatedLogin(
  method: Method,
  caller: LoginCaller,
  { as, decide, shown }: DelegatedLogin,
): Promise<Identity> {
  const { cache } = method.sys;
  const path = `auth/${method.path}/${as.path}`;
  await countLogin(method.deployment, { address: caller.address, path, parameters: as.parameters });
  let facts: TokenRow | undefined;
  const decided = async (): Promise<TokenRow | undefined> => {
    const login = await decidedLogin(method, caller, decide);
    facts = login.facts;
    // a result of undefined is not cached
    return login.stays ? facts : undefined;
  };
  const cached = shown
    ? await cache.recent(logins, JSON.stringify([method.uuid, caller.address, ...shown]), decided)
    : await decided();
  facts ??= cached;
  const identity = facts && (await identityOf(method.deployment, facts));
  // the entity was disabled concurrently
  if (!identity) throw permissionDenied();
  return identity;
}

/**
 * The result of a login. `stays` is true if the login changed nothing, so that its result may be
 * cached.
 */
interface Decided {
  readonly facts: TokenRow;
  readonly stays: boolean;
}
function decidedLogin(
  method: Method,
  caller: LoginCaller,
  decide: () => Promise<Login>,
): Promise<Decided> {
  const { sys, deployment } = method;
  return sys.change(
    async () => {
      const login = await proven(decide);
      requireAddress(login.token.token_bound_cidrs, caller.address);
      const { spec, id, changes } = await plannedToken(method, "/login", login);
      if (spec.type !== "batch")
        throw new CaError(
          "malformed",
          `logins of auth/${method.path}/ create service tokens, but batch tokens are required here: set token_type of the method, role or user to batch`,
        );
      if (id !== "") caller.audit.draft?.({ entity: id });
      const batch = mergeBatches(
        { expect: [await expectMethod(method)] },
        login.more ?? {},
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
