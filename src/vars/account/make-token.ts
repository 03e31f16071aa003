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
 * Makes the token that a caller asks for, and answers it with its secret. Throws 404 when its
 * holder is gone, 422.
 */
export async function makeToken(
  storeContext: StoreContext,
  caller: Caller,
  data: Lazy | undefined,
  grant: Grant & { readonly principal: Principal },
) {
  const asked = askedToken(data, storeContext.ports.now(), caller.expires);
  const made = await newToken(storeContext, caller, { principal: grant.principal, ...asked });
  await addToken(storeContext, made, grant);
  return { data: tokenDocument(made.row, made.token) };
}

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
 * Unix milliseconds of an RFC 3339 time; NaN for any other text, of which parsers make times of
 * their own.
 */
const instantOf = (text: string): number =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text)
    ? Date.parse(text.toUpperCase())
    : Number.NaN;
