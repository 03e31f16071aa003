import { documentMember, dataOf, timestamp } from "../jsonapi/document.ts";
import {
  membersOf,
  listOf,
  object,
  resource,
  text,
  textOrNull,
  toOne,
} from "../jsonapi/resource-schema.ts";
import type { TokenRow } from "../rows/rows.ts";

/**
 * Returns a token's resource object. `token` is the secret in the response that creates the token,
 * and otherwise null.
 */
export function tokenDocument(row: TokenRow, token: string | null) {
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
const schema = resource(
  "authentication-tokens",
  object({
    "created-at": text,
    ...membersOf(["last-used-at", "description", "expired-at"], textOrNull),
    token: { ...textOrNull, description: "Null except in the response that creates the token." },
  }),
  { team: toOne("teams") },
);
/** Reply fields for one token. */
export const oneToken = {
  data: documentMember<ReturnType<typeof tokenDocument>>(
    schema,
    "The token; its secret is only in the response that creates the token.",
  ),
} as const;
/** Reply fields for a list of tokens. */
export const manyTokens = {
  data: documentMember<readonly ReturnType<typeof tokenDocument>[]>(
    listOf(schema),
    "The tokens, without their secrets.",
  ),
} as const;
/** The `data` member of a request that creates a token. */
export const tokenData = dataOf("authentication-tokens", {
  description: { type: ["string", "null"] },
  "expired-at": { type: ["string", "null"], format: "date-time" },
});
