import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { JsonMembers } from "../../jose/jwk.ts";

/**
 * Maximum number of contacts of an account, and maximum length of a contact. Clients send one or
 * two contacts.
 */
const [maxContacts, maxContactLength] = [4, 100];

const invalid = (why: string): CaError => new CaError("invalid_contact", why);

/**
 * Parses the `contact` member of a payload (RFC 8555 section 7.1.2): URLs with the schemes `mailto`
 * and `tel`, unchanged (B 5.7) except for spaces after the colon, which getssl sends. Returns
 * undefined if the payload has no `contact`. Throws CaError `malformed` if it is not a list of
 * strings, `unsupported_contact` for another scheme, and `invalid_contact` for any other invalid
 * URL.
 */
export function readContact({ contact: sent }: JsonMembers): readonly string[] | undefined {
  if (sent === undefined) return undefined;
  if (!Array.isArray(sent) || !sent.every((one): one is string => typeof one === "string"))
    throw new CaError("malformed", "contact must be a list of strings");
  if (sent.length > maxContacts)
    throw invalid(`contact has ${sent.length} entries; the maximum is ${maxContacts}`);
  return sent.map(readUrl);
}

/**
 * Returns a contact URL without spaces after the colon. Rejects a URL with several addresses (RFC
 * 8555 section 7.3).
 */
function readUrl(url: string): string {
  const refuse = (why: string) => invalid(`contact: ${truncateForMessage(url)} ${why}`);
  if (url.length === 0 || url.length > maxContactLength)
    throw invalid(`each entry of contact must have 1 to ${maxContactLength} characters`);
  const [, scheme = "", address = ""] = /^([a-z][a-z\d+.-]*): *(.*)$/is.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case "":
      throw refuse("is not a URL: write mailto:you@example.com");
    case "mailto":
      // RFC 6068 also allows several addresses and header fields
      if (address.includes("?")) throw refuse("has header fields: remove them");
      if (address.includes(",")) throw refuse("has several addresses: send a URL for each");
      if (!/^[^\s\p{C}@#]+@[^\s\p{C}@#]+$/u.test(address))
        throw refuse("is not a URL with one email address");
      break;
    case "tel":
      if (!/^[^\s\p{C}?#]+$/u.test(address)) throw refuse("is not a URL with one telephone number");
      break;
    default:
      throw new CaError(
        "unsupported_contact",
        `contact: the scheme ${truncateForMessage(scheme)} is not supported: use mailto or tel`,
      );
  }
  return `${scheme}:${address}`;
}
