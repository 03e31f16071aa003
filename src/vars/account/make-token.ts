import type { StoreContext } from "../../engine/store-context.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { readText } from "../jsonapi/attributes.ts";
import { timestamp, type Lazy } from "../jsonapi/document.ts";
import { readResource } from "../jsonapi/resource.ts";
import { attributeFault, invalidError } from "../jsonapi/fault.ts";
import type { Principal, TokenRow } from "../rows/rows.ts";
import { addToken, newToken, type Grant } from "./token.ts";
import { tokenDocument } from "./token-document.ts";

/**
 * Creates the requested token and returns it with its secret. Rejects with 404 if the owner no
 * longer exists, and with 422 if the request is invalid or the owner cannot have another token.
 */
export async function makeToken(
  storeContext: StoreContext,
  caller: Caller,
  data: Lazy | undefined,
  grant: Grant & { readonly principal: Principal },
) {
  const requested = parseTokenRequest(data, storeContext.ports.now(), caller.identity.expires);
  const token = await newToken(storeContext, caller, { principal: grant.principal, ...requested });
  await addToken(storeContext, token, grant);
  return { data: tokenDocument(token.row, token.token) };
}

/**
 * Parses a request for a token, which must not outlive the caller's token. Throws 422 if an
 * attribute is invalid.
 */
function parseTokenRequest(
  data: Lazy | undefined,
  now: number,
  latest: number | undefined,
): Pick<TokenRow, "description" | "expires"> {
  // clients send no document, an empty document, or a document without attributes
  const { attributes } = readResource(data?.() ?? {}, {});
  const text = readText(attributes, "expired-at");
  const expires = text === undefined ? null : instantOf(text);
  if (expires !== null && !(expires > now))
    throw invalidError([attributeFault("expired-at", "Expired at must be a time in the future")]);
  if (latest !== undefined && (expires === null || expires > latest))
    throw invalidError([
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
 * Parses an RFC 3339 time to Unix milliseconds. Returns NaN for other strings, some of which
 * `Date.parse` would accept.
 */
const instantOf = (text: string): number =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text)
    ? Date.parse(text.toUpperCase())
    : Number.NaN;
