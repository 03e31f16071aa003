import type { Unit } from "../../engine/unit.ts";
import type { Expect } from "../../engine/ports.ts";
import { unitEndpoint, type Caller } from "../../wire/endpoint.ts";
import { readText } from "../jsonapi/attributes.ts";
import { changeDirectory, rowOf, rowsOf, textIn } from "../rows/change.ts";
import { answer, dataOf, readResource, timestamp, type Lazy } from "../jsonapi/document.ts";
import { attributeFault, invalid, notFound } from "../jsonapi/fault.ts";
import { hashOf, isId, newId, newToken } from "../rows/ids.ts";
import { organizationAccessById, organizationAccess } from "../rights/rights.ts";
import { roomForToken } from "../rows/limits.ts";
import { isOrganization, isUser, rowKeys, type Principal, type TokenRow } from "../rows/rows.ts";
import { createdBare, jsonapi } from "../jsonapi/style.ts";
import { teamOf } from "../organizations/teams.ts";
import { storedRows } from "../rows/stored.ts";

/** A token's resource object; `token` only in the answer that makes it. */
function documentOf(row: TokenRow, token: string | null) {
  return {
    id: row.id,
    type: "authentication-tokens",
    attributes: {
      "created-at": timestamp(row.created),
      "last-used-at": row.used === undefined ? null : timestamp(row.used),
      description: row.description,
      token,
      "expired-at": row.expires === null ? null : timestamp(row.expires),
    },
    relationships: {
      ...(row.principal.startsWith("team-")
        ? { team: { data: { id: row.principal, type: "teams" } } }
        : {}),
      "created-by": { data: row.by === null ? null : { id: row.by, type: "users" } },
    },
  };
}
const reply = {
  data: answer<ReturnType<typeof documentOf>>(
    { type: "object" },
    "The token; its secret is shown only in the response that creates it.",
  ),
} as const;
// clients send no type, an empty one, or either of two
const tokenData = dataOf("authentication-tokens", {
  description: { type: ["string", "null"] },
  "expired-at": { type: ["string", "null"], format: "date-time" },
});

/** What a new token is asked to be; it does not outlive the token that asks for it. Throws 422. */
function askedToken(
  data: Lazy | undefined,
  now: number,
  latest: number | undefined,
): Pick<TokenRow, "description" | "expires"> {
  // clients send no document, an empty one, or one without attributes
  const { attributes } = readResource(data?.() ?? {}, {});
  const text = readText(attributes, "expired-at");
  const expires = text === undefined ? null : instantOf(text);
  if (expires !== null && !(expires > now))
    throw invalid([attributeFault("expired-at", "Expired at must be a time in the future")]);
  if (latest !== undefined && (expires === null || expires > latest))
    throw invalid([
      attributeFault(
        "expired-at",
        `Expired at must not be later than ${timestamp(latest)}, when the token of this request expires`,
      ),
    ]);
  const description = attributes["description"];
  return {
    description: description === "" ? "" : (readText(attributes, "description") ?? null),
    expires,
  };
}

/**
 * Unix milliseconds of an RFC 3339 time; NaN for any other text, of which parsers make times of
 * their own.
 */
const instantOf = (text: string): number =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text)
    ? Date.parse(text.toUpperCase())
    : Number.NaN;

/**
 * What a token is made for: its holder, the row that shows that the holder exists, and whether it
 * takes the place of the one before.
 */
interface Grant {
  readonly principal: Principal;
  readonly holder: string;
  readonly sole: boolean;
  readonly uniqueDescription?: boolean;
}
async function makeToken(
  ca: Unit,
  caller: Caller,
  { principal, holder, sole, uniqueDescription }: Grant,
  data: Lazy | undefined,
) {
  const now = ca.ports.now();
  const token = newToken(ca.ports.random);
  const row: TokenRow = {
    id: newId("at", ca.ports.random),
    principal,
    ...askedToken(data, now, caller.expires),
    created: now,
    by: isUser(caller.id) ? caller.id : null,
  };
  const hash = await hashOf(token);
  const place = rowKeys.soleToken(principal);
  return changeDirectory(ca, async () => {
    const [owner, before] = await ca.store.get([holder, place]);
    if (!owner) throw notFound();
    if (
      uniqueDescription &&
      (await tokensOf(ca, principal)).some(({ description }) => description === row.description)
    )
      throw invalid([attributeFault("description", "Description has already been taken")]);
    if (!sole || !before) await roomForToken(ca, principal);
    const expect: Expect[] = [[holder, owner.rev]];
    if (sole) expect.push([place, before?.rev ?? null]);
    return {
      reply: { data: documentOf(row, token) },
      batch: {
        expect,
        // rows below soletoken/ hold the hash of a token
        del: sole && typeof before?.value === "string" ? await keysOf(ca, before.value) : [],
        // the holder is written as it was, so that its deletion, and of two tokens with one
        // description the second, begins anew and sees this token
        put: [
          [rowKeys.token(hash), row],
          [rowKeys.tokenId(row.id), hash],
          [rowKeys.tokenOf(principal, row.id), hash],
          ...(sole ? [[place, hash] as const] : []),
          [holder, owner.value],
        ],
      },
    };
  });
}
/** Keys of a token's rows, the sole one's place apart. */
async function keysOf(ca: Unit, hash: string): Promise<readonly string[]> {
  const row = await rowOf(ca, storedRows.token, rowKeys.token(hash));
  return row
    ? [rowKeys.token(hash), rowKeys.tokenId(row.id), rowKeys.tokenOf(row.principal, row.id)]
    : [];
}
/** All tokens of a principal, the oldest first. */
async function tokensOf(ca: Unit, principal: Principal): Promise<readonly TokenRow[]> {
  const hashes = await ca.store.list(rowKeys.tokensOf(principal));
  // rows below tokens/ hold hashes
  const rows = await rowsOf(
    ca,
    storedRows.token,
    hashes.map(([, row]) => rowKeys.token(textIn(row.value))),
  );
  return rows.toSorted((one, other) => one.created - other.created);
}
async function soleToken(
  ca: Unit,
  principal: Principal,
): Promise<{ readonly row: TokenRow; readonly hash: string }> {
  const hash = await rowOf(ca, textIn, rowKeys.soleToken(principal));
  const row =
    hash === undefined ? undefined : await rowOf(ca, storedRows.token, rowKeys.token(hash));
  if (hash === undefined || !row) throw notFound();
  return { row, hash };
}
async function dropToken(ca: Unit, { principal, id }: TokenRow, hash: string): Promise<void> {
  const place = rowKeys.soleToken(principal);
  await changeDirectory(ca, async () => {
    const [row, sole] = await ca.store.get([rowKeys.token(hash), place]);
    if (!row) throw notFound();
    const wasSole = sole?.value === hash;
    const expect: Expect[] = wasSole
      ? [
          [rowKeys.token(hash), row.rev],
          [place, sole.rev],
        ]
      : [[rowKeys.token(hash), row.rev]];
    return {
      reply: undefined,
      batch: {
        expect,
        del: [
          rowKeys.token(hash),
          rowKeys.tokenId(id),
          rowKeys.tokenOf(principal, id),
          ...(wasSole ? [place] : []),
        ],
      },
    };
  });
}

/** Who the tokens of a path belong to. Throws 404 for callers that may not manage them. */
async function holderOf(
  ca: Unit,
  caller: Caller,
  path: { readonly team_id?: string; readonly organization?: string },
): Promise<{ readonly principal: Principal; readonly holder: string }> {
  if (path.team_id !== undefined) {
    const { team, rights } = await teamOf(ca, caller, path.team_id, "see");
    // the owners' team is the owners' own: what acts in its name can do all that they can
    if (team.owners && !rights.own) throw notFound();
    if (!rights.manageTeams && !(team.tokens && team.users.includes(caller.id))) throw notFound();
    return { principal: team.id, holder: rowKeys.team(team.id) };
  }
  if (path.organization === undefined) throw notFound();
  const { organization } = await organizationAccess(ca, caller.id, path.organization, "own");
  return { principal: organization.id, holder: rowKeys.organization(organization.id) };
}
const solePaths = "/teams/:team_id/authentication-token";
const organizationPaths = "/organizations/:organization/authentication-token";

export const readSoleToken = unitEndpoint({
  id: "readSoleToken",
  at: [`GET ${solePaths}`, `GET ${organizationPaths}`],
  access: "token",
  style: jsonapi,
  doc: "Reads the single token of a team or an organization, without its secret.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (ca, input, caller) => ({
    data: documentOf(
      (await soleToken(ca, (await holderOf(ca, caller, input)).principal)).row,
      null,
    ),
  }),
});
export const makeSoleToken = unitEndpoint({
  id: "makeSoleToken",
  at: [`POST ${solePaths}`, `POST ${organizationPaths}`],
  access: "token",
  style: createdBare,
  doc: "Creates the single token of a team or an organization and replaces the previous one.",
  body: { data: tokenData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, input, caller) =>
    makeToken(ca, caller, { ...(await holderOf(ca, caller, input)), sole: true }, input.data),
});
export const deleteSoleToken = unitEndpoint({
  id: "deleteSoleToken",
  at: [`DELETE ${solePaths}`, `DELETE ${organizationPaths}`],
  access: "token",
  style: jsonapi,
  doc: "Deletes the single token of a team or an organization.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (ca, input, caller) => {
    const { row, hash } = await soleToken(ca, (await holderOf(ca, caller, input)).principal);
    await dropToken(ca, row, hash);
    return undefined;
  },
});

export const makeTeamToken = unitEndpoint({
  id: "makeTeamToken",
  at: ["POST /teams/:team_id/authentication-tokens"],
  access: "token",
  style: createdBare,
  doc: "Creates an additional token for a team; its description must be unique within the team.",
  body: { data: tokenData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, input, caller) =>
    makeToken(
      ca,
      caller,
      { ...(await holderOf(ca, caller, input)), sole: false, uniqueDescription: true },
      input.data,
    ),
});

const manyReply = {
  data: answer<readonly ReturnType<typeof documentOf>[]>(
    { type: "array" },
    "The tokens, without their secrets.",
  ),
} as const;
export const listTeamTokens = unitEndpoint({
  id: "listTeamTokens",
  at: ["GET /teams/:team_id/authentication-tokens"],
  access: "token",
  style: jsonapi,
  doc: "Lists the tokens of a team.",
  body: {},
  reply: manyReply,
  refuses: ["not_found"],
  run: async (ca, input, caller) => ({
    data: (await tokensOf(ca, (await holderOf(ca, caller, input)).principal)).map((row) =>
      documentOf(row, null),
    ),
  }),
});
export const listUserTokens = unitEndpoint({
  id: "listUserTokens",
  at: ["GET /users/:user_id/authentication-tokens"],
  access: "token",
  style: jsonapi,
  doc: "Lists the caller's own tokens; for another user the list is empty.",
  body: {},
  reply: manyReply,
  run: async (ca, { user_id }, caller) => ({
    data:
      user_id === caller.id
        ? (await tokensOf(ca, user_id)).map((row) => documentOf(row, null))
        : [],
  }),
});
export const makeUserToken = unitEndpoint({
  id: "makeUserToken",
  at: ["POST /users/:user_id/authentication-tokens"],
  access: "token",
  style: createdBare,
  doc: "Creates an additional token for the caller.",
  body: { data: tokenData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, { user_id, data }, caller) => {
    if (user_id !== caller.id || !isUser(caller.id)) throw notFound();
    return makeToken(
      ca,
      caller,
      { principal: user_id, holder: rowKeys.user(user_id), sole: false },
      data,
    );
  },
});

/** The token of an id, if the caller may manage it. Throws 404. */
async function managed(
  ca: Unit,
  caller: Caller,
  id: string,
): Promise<{ readonly row: TokenRow; readonly hash: string }> {
  const hash = isId("at", id) ? await rowOf(ca, textIn, rowKeys.tokenId(id)) : undefined;
  const row =
    hash === undefined ? undefined : await rowOf(ca, storedRows.token, rowKeys.token(hash));
  if (hash === undefined || !row) throw notFound();
  if (isUser(row.principal) && row.principal !== caller.id) throw notFound();
  if (isOrganization(row.principal))
    await organizationAccessById(ca, caller.id, row.principal, "own");
  if (row.principal.startsWith("team-")) await holderOf(ca, caller, { team_id: row.principal });
  return { row, hash };
}
export const readToken = unitEndpoint({
  id: "readToken",
  at: ["GET /authentication-tokens/:token_id"],
  access: "token",
  style: jsonapi,
  doc: "Reads a token without its secret.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (ca, { token_id }, caller) => ({
    data: documentOf((await managed(ca, caller, token_id)).row, null),
  }),
});
export const deleteToken = unitEndpoint({
  id: "deleteToken",
  at: ["DELETE /authentication-tokens/:token_id"],
  access: "token",
  style: jsonapi,
  doc: "Deletes a token, which is no longer accepted from then on.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (ca, { token_id }, caller) => {
    const { row, hash } = await managed(ca, caller, token_id);
    await dropToken(ca, row, hash);
    return undefined;
  },
});
