import { CaError } from "../../base/errors.ts";

/** What an account may keep: many times what clients send, and no place for other people's data. */
const [mostContacts, longestContact] = [20, 500];

/**
 * The addresses that an account gives (RFC 8555 section 7.1.2): texts of any scheme, as they were
 * sent, none where nothing was sent (B 5.7). Throws CaError `malformed`, `invalid_contact`.
 */
export function contactOf(sent: unknown): readonly string[] {
  if (sent === undefined || sent === null) return [];
  if (!Array.isArray(sent) || !sent.every((one): one is string => typeof one === "string"))
    throw new CaError("malformed", "contact must be a list of strings");
  if (sent.length > mostContacts)
    throw new CaError("invalid_contact", `contact has more than ${mostContacts} entries`);
  if (sent.some(({ length }) => length === 0 || length > longestContact))
    throw new CaError(
      "invalid_contact",
      `each entry of contact must have 1 to ${longestContact} characters`,
    );
  return sent;
}
