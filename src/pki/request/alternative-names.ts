import { CaError } from "../../base/errors.ts";
import {
  asciiOf,
  endsInNumber,
  fitsDns,
  fitsMail,
  hasControlCharacter,
  isHostName,
  isMailAddress,
  isWildLabel,
  excerpt,
  toAscii,
} from "../../base/names.ts";

/**
 * Where the names of a certificate come from. With `csr` its names are taken and `altNames` is not
 * read.
 */
export interface NameSources {
  readonly commonName: string;
  /** Comma-separated, as sent. */
  readonly altNames: string;
  readonly excludeCn: boolean;
  readonly csr?: { readonly dns: readonly string[]; readonly email: readonly string[] };
}
/** Alternative names in the order they were asked for, each once; DNS names in ASCII form. */
export interface Names {
  readonly dns: readonly string[];
  readonly email: readonly string[];
}

/** So many are sent by mistake or to do harm: browsers and servers give up long before. */
export const mostNames = 5000;

/**
 * Collects the DNS and mail names that a request asks for. A common name that is neither a host
 * name nor a mail address is no alternative name. Refuses (`name_not_allowed`) control characters
 * anywhere and alternative names of the body that are neither.
 */
export function collectNames({ commonName, altNames, excludeCn, csr }: NameSources): Names {
  const [dns, email] = [new Set(csr?.dns), new Set(csr?.email)];
  const asked = csr ? [] : altNames.split(",").map((name) => name.trim());
  if (asked.length > mostNames)
    throw new CaError(
      "name_not_allowed",
      `${asked.length} alternative names were asked for, ${mostNames} at most are taken`,
    );
  // Trimming would also take a line break away unseen.
  for (const name of csr ? [commonName, ...dns, ...email] : [commonName, altNames])
    refuseControlCharacters(name);
  if (!excludeCn && commonName !== "") {
    const form = sanForm(commonName);
    if (form) (form.email ? email : dns).add(form.name);
  }
  for (const name of asked)
    if (name !== "") (name.includes("@") ? email : dns).add(asSan(name, name.includes("@")));
  return { dns: [...dns], email: [...email] };
}

/**
 * Refuses (`name_not_allowed`) a name with a control character: other software cuts it there, or
 * shows it as another one.
 */
export function refuseControlCharacters(name: string): void {
  if (!hasControlCharacter(name)) return;
  // Quoted as JSON, so that the message holds no such character itself.
  const visible = JSON.stringify(excerpt(name)).replace(/\p{Cc}/gu, "?");
  throw new CaError("name_not_allowed", `the name ${visible} contains a control character`);
}

/**
 * Refuses (`name_not_allowed`) a DNS name or a mail address that is longer than any can be: it
 * reaches nobody, and some software cuts it off.
 */
export function refuseLongNames({ dns, email }: Names): void {
  const host = dns.find((name) => !fitsDns(name));
  if (host !== undefined)
    throw new CaError(
      "name_not_allowed",
      `the DNS name ${excerpt(host)} is too long: a name has at most 253 octets, and each label at most 63`,
    );
  const address = email.find((name) => !fitsMail(name));
  if (address !== undefined)
    throw new CaError(
      "name_not_allowed",
      `the e-mail address ${excerpt(address)} is too long: an address has at most 254 octets`,
    );
}

/**
 * The name as an alternative name, or nothing when it can be none, as an address can. Also takes a
 * wild label like `f*o` in front of a host name.
 */
function sanForm(name: string): { readonly name: string; readonly email: boolean } | undefined {
  if (name.includes("@")) return isMailAddress(name) ? { name, email: true } : undefined;
  const ascii = asciiOf(name);
  if (ascii === undefined || endsInNumber(ascii)) return undefined;
  const dot = ascii.indexOf(".");
  const wild =
    dot > 0 &&
    isWildLabel(ascii.slice(0, dot)) &&
    isHostName(ascii.slice(dot + 1)) &&
    !ascii.includes("*", dot);
  return wild || isHostName(ascii) ? { name: ascii, email: false } : undefined;
}

/**
 * The name as an alternative name of its kind: the same form from a body and from a CSR. Refuses
 * (`name_not_allowed`) any other.
 */
export function asSan(name: string, email: boolean): string {
  if (!email && !name.includes("@")) toAscii(name);
  const form = sanForm(name);
  if (form?.email === email) return form.name;
  const kind = email ? "e-mail address" : "DNS name";
  throw new CaError(
    "name_not_allowed",
    `subject alternate name ${excerpt(name)} is not a valid ${kind} and cannot be included as a SAN`,
  );
}
