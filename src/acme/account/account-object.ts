import { CaError } from "../../base/errors.ts";
import { map, strings, text } from "../../wire/field.ts";
import type { AccountRow } from "../rows/records.ts";

/** An account as clients see it (RFC 8555 section 7.1.2). */
export const accountReply = {
  status: text.required("`valid`, `deactivated` or `revoked`.", [
    "valid",
    "deactivated",
    "revoked",
  ]),
  orders: text.required("URL of the account's order list."),
  contact: strings.optional("Contact URLs of the account holder; absent if there are none."),
  externalAccountBinding: map.optional(
    "External account binding that was used to register the account.",
  ),
} as const;

/** A builder of URLs for the resources in a directory. */
interface AcmeUrls {
  url(suffix: string): string;
}
/** Returns the response for an account, with its headers. */
export function accountOutput({ url }: AcmeUrls, id: string, row: AccountRow) {
  const location = url(`/account/${id}`);
  const { status, contact, eab } = row;
  return {
    reply: {
      status,
      orders: `${location}/orders`,
      ...(contact.length > 0 ? { contact } : {}),
      ...(eab?.binding ? { externalAccountBinding: eab.binding } : {}),
    },
    headers: { location },
  };
}

/** Rejects a request for an account other than the one that signed it. */
export function requireOwnAccount(id: string, named: string): void {
  if (named !== id)
    throw new CaError(
      "acme_unauthorized",
      "this is not the URL of the account that signed the request",
    );
}
