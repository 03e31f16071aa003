import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { JsonMembers } from "../../jose/jwk.ts";

/** Limits of what an account stores for others: clients send one address or two. */
const [maxContacts, maxContactLength] = [4, 100];

const invalid = (why: string): CaError => new CaError("invalid_contact", why);

/**
 * Reads the `contact` member of a payload (RFC 8555 section 7.1.2): URLs of the schemes `mailto`
 * and `tel`, as they were sent (B 5.7) but for spaces after the colon, which getssl writes. Returns
 * undefined where the payload has no such member. Throws CaError `malformed`, `invalid_contact`,
 * `unsupported_contact`.
 */
export function readContact({ contact: sent }: JsonMembers): readonly string[] | undefined {
  if (sent === undefined) return undefined;
  if (!Array.isArray(sent) || !sent.every((one): one is string => typeof one === "string"))
    throw new CaError("malformed", "contact must be a list of strings");
  if (sent.length > maxContacts)
    throw invalid(`contact has ${sent.length} entries; the maximum is ${maxContacts}`);
  return sent.map(readUrl);
}

/** Returns a contact without spaces after the colon; one address each (RFC 8555 section 7.3). */
function readUrl(url: string): string {
  const refuse = (why: string) => invalid(`contact: ${truncateForMessage(url)} ${why}`);
  if (url.length === 0 || url.length > maxContactLength)
    throw invalid(`each entry of contact must have 1 to ${maxContactLength} characters`);
  const [, scheme = "", address = ""] = /^([a-z][a-z\d+.-]*): *(.*)$/is.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case "":
      throw refuse("is not a URL: write mailto:you@example.com");
    case "mailto":
      // RFC 6068 has several addresses and header fields
      if (address.includes("?")) throw refuse("has header fields: remove them");
      if (address.includes(",")) throw refuse("has several addresses: send a URL for each");
      if (!/^[^\s\p{C}@#]+@[^\s\p{C}@#]+$/u.test(address))
        throw refuse("is not the URL of one e-mail address");
      break;
    case "tel":
      if (!/^[^\s\p{C}?#]+$/u.test(address)) throw refuse("is not the URL of one telephone number");
      break;
    default:
      throw new CaError(
        "unsupported_contact",
        `contact: the scheme ${truncateForMessage(scheme)} is not supported: use mailto or tel`,
      );
  }
  return `${scheme}:${address}`;
}
