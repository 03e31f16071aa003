import { CaError } from "../base/errors.ts";
import { lowerAscii as lower, toAscii } from "../base/names.ts";
import { inRange, ipToBytes } from "./address.ts";

/** Kinds of names that name constraints speak of and that have a text form. */
export type Kind = "dns" | "email" | "ip" | "uri";

/** `host` is the domain or below it; a leading dot asks for a name below. */
function inDomain(host: string, domain: string): boolean {
  const [name, tree] = [lower(host), lower(domain)];
  if (tree === "") return true;
  return tree.startsWith(".")
    ? name.endsWith(tree) && name.length > tree.length
    : name === tree || name.endsWith(`.${tree}`);
}
/** `host` is exactly this one, or below a domain with a leading dot. */
const atHost = (host: string, tree: string): boolean =>
  tree === "" ? true : tree.startsWith(".") ? inDomain(host, tree) : lower(host) === lower(tree);

/**
 * Without a final dot: no path validator takes one for permitted, so it is not, and an exclusion it
 * does not evade. Nothing where it may not be.
 */
const plainHost = (host: string, wide: boolean): string | undefined =>
  host.endsWith(".") ? (wide ? host.slice(0, -1) : undefined) : host;

/**
 * The host of a mailbox in the form that constraints are written in (RFC 9598 section 6); as it is
 * where it has none.
 */
function asciiHost(host: string): string {
  try {
    return toAscii(host);
  } catch (error) {
    if (error instanceof CaError) return host;
    throw error;
  }
}

/**
 * Whether a name lies in a subtree. `wide`: a wildcard counts as each name it stands for, so that
 * it cannot slip past an exclusion.
 */
export const matchers: Readonly<
  Record<Kind, (name: string, subtree: string, wide: boolean) => boolean>
> = {
  dns: (given, subtree, wide) => {
    const name = plainHost(given, wide);
    if (name === undefined) return false;
    if (!name.includes("*")) return inDomain(name, subtree);
    const below = lower(subtree).replace(/^\./, "");
    if (!name.includes(".")) return wide && !below.includes(".");
    const base = name.slice(name.indexOf(".") + 1);
    // a label of its own stands for all: a real one could be that of the subtree
    return (
      inDomain(`*.${base}`, subtree) ||
      (wide && below.endsWith(`.${lower(base)}`) && !below.slice(0, -base.length - 1).includes("."))
    );
  },
  email: (given, subtree, wide) => {
    const name = plainHost(given, wide);
    if (name === undefined) return false;
    const at = name.lastIndexOf("@");
    const host = asciiHost(name.slice(at + 1));
    if (!subtree.includes("@")) return atHost(host, subtree);
    const own = subtree.lastIndexOf("@");
    return (
      name.slice(0, at) === subtree.slice(0, own) && lower(host) === lower(subtree.slice(own + 1))
    );
  },
  // path validators compare like with like: a constraint in the dress of IPv6 permits no IPv4 to
  // them, and an exclusion is not evaded by the dress
  ip: (name, subtree, wide) =>
    inRange(name, subtree) && (wide || name.includes(":") === subtree.includes(":")),
  uri: (name, subtree, wide) => {
    const host = plainHost(URL.canParse(name) ? hostOf(name) : "", wide);
    // a URI without a host name cannot be shown to obey (4.2.1.10): excluded by any exclusion,
    // permitted by nothing
    return host ? atHost(host, subtree) : wide;
  },
};
function hostOf(uri: string): string {
  // what parsers read differently has no host: a second @, a backslash, an encoded letter
  const host = /^[^:]+:\/\/(?:[^@/?#\\[\]]*@)?([\w.~-]*)(?::\d*)?(?:[/?#]|$)/.exec(uri)?.[1] ?? "";
  return ipToBytes(host) ? "" : host;
}
