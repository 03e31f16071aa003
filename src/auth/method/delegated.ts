import { CaError } from "../../base/errors.ts";
import { expectMethod, type Method } from "../../engine/methods.ts";
import type { Identity } from "../../engine/ports.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { permissionDenied } from "../entity/of-alias.ts";
import { identityOf } from "../token/identify.ts";
import { joined, tokenFacts } from "../token/make.ts";
import { demandAddress } from "./address.ts";
import { plannedToken, type Login } from "./login.ts";

/**
 * Logs somebody in for one call: whoever a batch token of the method would belong to, and no token
 * is made. What a login counts is counted, and its entity found or made. `decide` as for a login.
 * Throws `unauthorized` where it says no, `forbidden` where address or entity forbid it,
 * `malformed` where the tokens of the login are no batch tokens.
 */
export async function delegatedLogin(
  method: Method,
  caller: Pick<Caller, "address" | "draft">,
  decide: () => Promise<Login>,
): Promise<Identity> {
  const { sys, deployment } = method;
  const facts = await sys.change(
    async () => {
      const found = await proven(decide);
      demandAddress(found.token.token_bound_cidrs, caller.address);
      const { spec, id, changes } = await plannedToken(method, "/login", found);
      if (spec.type !== "batch")
        throw new CaError(
          "malformed",
          `logins of auth/${method.path}/ make service tokens, and batch tokens are needed here: set its token_type to batch, or that of the role or user`,
        );
      if (id !== "") caller.draft?.({ entity: id });
      const batch = joined([
        { expect: [await expectMethod(method)] },
        found.more ?? {},
        ...changes,
      ]);
      return { reply: tokenFacts(deployment.ports, spec).row, batch };
    },
    { what: "the login" },
  );
  const identity = await identityOf(deployment, facts);
  // its entity was disabled meanwhile
  if (!identity) throw permissionDenied();
  return identity;
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
