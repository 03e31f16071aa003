import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint, type Caller, type Style } from "../../wire/endpoint.ts";
import { invalidError, notFound } from "../jsonapi/fault.ts";
import { bareJsonapi, jsonapi } from "../jsonapi/style.ts";
import { teamOf } from "../organizations/team.ts";
import { organizationAccess } from "../rights/organization-access.ts";
import { rowKeys } from "../rows/keys.ts";
import type { Principal } from "../rows/rows.ts";
import { makeToken } from "./make-token.ts";
import { dropToken, tokenAt, tokensOf } from "./token.ts";
import { manyTokens, oneToken as reply, tokenData, tokenDocument } from "./token-document.ts";

/** The owner of tokens, and the key of the owner's row. The row proves that the owner exists. */
interface TokenOwner {
  readonly principal: Principal;
  readonly holder: string;
}
/**
 * Returns the team or organization in a URL path, which owns the tokens. Rejects with 404 if the
 * caller may not manage them.
 */
export async function tokenOwnerOf(
  storeContext: StoreContext,
  caller: Caller,
  path: { readonly team_id?: string; readonly organization?: string },
): Promise<TokenOwner> {
  if (path.team_id !== undefined) {
    const { team, rights } = await teamOf(storeContext, caller, path.team_id, "see");
    // the token of the owners team has all rights of the owners, so only they may manage it
    if (team.owners && !rights.own) throw notFound();
    if (!rights.manageTeams && !(team.tokens && team.users.includes(caller.identity.id)))
      throw notFound();
    return { principal: team.id, holder: rowKeys.team(team.id) };
  }
  if (path.organization === undefined) throw notFound();
  const { organization } = await organizationAccess(
    storeContext,
    caller.identity.id,
    path.organization,
    "own",
  );
  return { principal: organization.id, holder: rowKeys.organization(organization.id) };
}
const soleToken = (storeContext: StoreContext, { principal }: TokenOwner) =>
  tokenAt(storeContext, rowKeys.soleToken(principal));
/**
 * Returns a style that rejects the `token` parameter. On other servers with this API, the parameter
 * selects a second token of an organization. If it were ignored, the request would replace or
 * delete the only token.
 */
const soleTokenStyle = (style: Style): Style => ({
  ...style,
  read: async (routed) => {
    const type = routed.call.query.get("token") ?? "";
    if (type !== "")
      throw invalidError([
        {
          title: "invalid parameter",
          detail: `token: ${JSON.stringify(type)} is not supported, because an organization or a team has a single token of this kind; omit the parameter`,
          source: { parameter: "token" },
        },
      ]);
    return style.read(routed);
  },
});
const sole = { read: soleTokenStyle(jsonapi), write: soleTokenStyle(bareJsonapi) } as const;
const solePaths = "/teams/:team_id/authentication-token";
const organizationPaths = "/organizations/:organization/authentication-token";

export const readSoleToken = storeEndpoint({
  id: "readSoleToken",
  at: [`GET ${solePaths}`, `GET ${organizationPaths}`],
  access: "known",
  style: sole.read,
  doc: "Reads the single token of a team or an organization, without its secret.",
  body: {},
  reply,
  refuses: ["not_found", "invalid_document"],
  run: async (storeContext, input, caller) => ({
    data: tokenDocument(
      (await soleToken(storeContext, await tokenOwnerOf(storeContext, caller, input))).row,
      null,
    ),
  }),
});
export const makeSoleToken = storeEndpoint({
  id: "makeSoleToken",
  at: [`POST ${solePaths}`, `POST ${organizationPaths}`],
  access: "known",
  style: sole.write,
  status: 201,
  doc: "Creates the single token of a team or an organization and replaces the previous one.",
  body: { data: tokenData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, input, caller) =>
    makeToken(storeContext, caller, input.data, {
      ...(await tokenOwnerOf(storeContext, caller, input)),
      sole: true,
    }),
});
export const deleteSoleToken = storeEndpoint({
  id: "deleteSoleToken",
  at: [`DELETE ${solePaths}`, `DELETE ${organizationPaths}`],
  access: "known",
  style: sole.read,
  doc: "Deletes the single token of a team or an organization.",
  body: {},
  reply: {},
  refuses: ["not_found", "invalid_document"],
  run: async (storeContext, input, caller) => {
    await dropToken(
      storeContext,
      await soleToken(storeContext, await tokenOwnerOf(storeContext, caller, input)),
    );
    return undefined;
  },
});

export const makeTeamToken = storeEndpoint({
  id: "makeTeamToken",
  at: ["POST /teams/:team_id/authentication-tokens"],
  access: "known",
  style: bareJsonapi,
  status: 201,
  doc: "Creates an additional token for a team; its description must be unique within the team.",
  body: { data: tokenData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, input, caller) =>
    makeToken(storeContext, caller, input.data, {
      ...(await tokenOwnerOf(storeContext, caller, input)),
      uniqueDescription: true,
    }),
});

export const listTeamTokens = storeEndpoint({
  id: "listTeamTokens",
  at: ["GET /teams/:team_id/authentication-tokens"],
  access: "known",
  style: jsonapi,
  doc: "Lists the tokens of a team.",
  body: {},
  reply: manyTokens,
  refuses: ["not_found"],
  run: async (storeContext, input, caller) => ({
    data: (
      await tokensOf(storeContext, (await tokenOwnerOf(storeContext, caller, input)).principal)
    ).map((row) => tokenDocument(row, null)),
  }),
});
