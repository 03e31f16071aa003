import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint, type Caller } from "../../wire/endpoint.ts";
import { notFound } from "../jsonapi/fault.ts";
import { bareJsonapi, jsonapi } from "../jsonapi/style.ts";
import { organizationAccessById } from "../rights/organization-access.ts";
import { isId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import { isOrganization, isUser } from "../rows/rows.ts";
import { makeToken } from "./make-token.ts";
import { tokenOwnerOf } from "./team-tokens.ts";
import { dropToken, tokenAt, tokensOf, type HashedToken } from "./token.ts";
import { manyTokens, oneToken as reply, tokenData, tokenDocument } from "./token-document.ts";

export const listUserTokens = storeEndpoint({
  id: "listUserTokens",
  at: ["GET /users/:user_id/authentication-tokens"],
  access: "known",
  style: jsonapi,
  doc: "Lists the caller's own tokens. The list is empty for any other user.",
  body: {},
  reply: manyTokens,
  run: async (storeContext, { user_id }, caller) => ({
    data:
      user_id === caller.identity.id
        ? (await tokensOf(storeContext, user_id)).map((row) => tokenDocument(row, null))
        : [],
  }),
});
export const makeUserToken = storeEndpoint({
  id: "makeUserToken",
  at: ["POST /users/:user_id/authentication-tokens"],
  access: "known",
  style: bareJsonapi,
  status: 201,
  doc: "Creates an additional token for the caller.",
  body: { data: tokenData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { user_id, data }, caller) => {
    if (user_id !== caller.identity.id || !isUser(caller.identity.id)) throw notFound();
    return makeToken(storeContext, caller, data, {
      principal: user_id,
      holder: rowKeys.user(user_id),
    });
  },
});

/**
 * Returns the token with the given ID. Rejects with 404 if it does not exist or the caller may not
 * manage it.
 */
async function managed(
  storeContext: StoreContext,
  caller: Caller,
  id: string,
): Promise<HashedToken> {
  if (!isId("at", id)) throw notFound();
  const token = await tokenAt(storeContext, rowKeys.tokenId(id));
  const { principal } = token.row;
  if (principal === caller.identity.id && isUser(principal)) return token;
  if (isUser(principal)) throw notFound();
  if (isOrganization(principal))
    await organizationAccessById(storeContext, caller.identity.id, principal, "own");
  else await tokenOwnerOf(storeContext, caller, { team_id: principal });
  return token;
}
export const readToken = storeEndpoint({
  id: "readToken",
  at: ["GET /authentication-tokens/:token_id"],
  access: "known",
  style: jsonapi,
  doc: "Reads a token without its secret.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (storeContext, { token_id }, caller) => ({
    data: tokenDocument((await managed(storeContext, caller, token_id)).row, null),
  }),
});
export const deleteToken = storeEndpoint({
  id: "deleteToken",
  at: ["DELETE /authentication-tokens/:token_id"],
  access: "known",
  style: jsonapi,
  doc: "Deletes a token, which is then no longer accepted.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (storeContext, { token_id }, caller) => {
    await dropToken(storeContext, await managed(storeContext, caller, token_id));
    return undefined;
  },
});
