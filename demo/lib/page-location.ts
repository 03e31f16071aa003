import { visible } from "./format.ts";

/**
 * Which page of the console this is: one beside no Worker, one that a Worker serves from its own
 * origin, or one for Workers anywhere.
 */
export type PageKind = "index" | "worker" | "connect";

/** An authority by what the page's address says of it. */
export interface Where {
  readonly kind: "browser" | "worker";
  /** Address of the API without `/v1` and without a slash at its end; empty where none is named. */
  readonly base: string;
  readonly mount: string;
}

/** A page and where it lies. */
export interface Lying {
  readonly page: PageKind;
  readonly origin: string;
  /** The page's folder: the service worker answers below it. */
  readonly folder: string;
}

const browser = "browser";

/**
 * The address of a Worker as it was typed, without path `/v1` and slash, or why it cannot be used.
 */
export function readAddress(
  typed: string,
  { page, origin }: Lying,
): { base: string } | { why: string } {
  let url: URL;
  try {
    url = new URL(typed.trim());
  } catch {
    return { why: `${typed.trim() || "Nothing"}: not an address. Write https://ca.example.net` };
  }
  if (url.username || url.password || url.search || url.hash)
    return { why: "Enter only the address, without user name, password, query or fragment" };
  const near = url.hostname === "localhost" || url.hostname === "127.0.0.1";
  if (url.protocol !== "https:" && !(url.protocol === "http:" && near) && url.origin !== origin)
    return { why: "Tokens are only sent over https" };
  const base = url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
  return url.origin === origin || page === "connect" ? { base } : { why: "elsewhere" };
}

/** The mount as the API names it. */
export const bareMount = (typed: string): string => typed.trim().replace(/^\/+|\/+$/g, "") || "pki";

/**
 * Returns the error of a mount path; empty when valid. Other forms would lead a request, and its
 * token, to another path.
 */
export const wrongMount = (mount: string): string =>
  mount.length <= 512 &&
  mount.split("/").every((segment) => /^[\w.-]+$/.test(segment) && !/^\.\.?$/.test(segment))
    ? ""
    : `${visible(mount.slice(0, 100))}: not a valid mount name. Use letters, digits, and . - _ / between them`;

/**
 * The authority that a page opens on: the one its address names, else the Worker it comes from,
 * else the browser's own; never another in silence.
 */
export function whereOf(search: string, lying: Lying): Where {
  const query = new URLSearchParams(search);
  const mount = bareMount(query.get("mount") ?? "");
  const at = query.get("at") ?? "";
  if (wrongMount(mount)) return { kind: "worker", base: "", mount: "pki" };
  if (at === browser && lying.page !== "connect")
    return { kind: "browser", base: lying.folder, mount };
  if (at !== "") {
    const read = readAddress(at, lying);
    return { kind: "worker", base: "base" in read ? read.base : "", mount };
  }
  if (lying.page === "index") return { kind: "browser", base: lying.folder, mount };
  return { kind: "worker", base: lying.page === "worker" ? lying.origin : "", mount };
}

/**
 * Reports whether only the page's address says that this is the authority to give a token to: then
 * somebody else may have written it. `used`: addresses that were signed in to, or confirmed.
 */
export const isOnlyNamed = (
  { kind, base }: Where,
  { page }: Pick<Lying, "page">,
  used: ReadonlySet<string>,
): boolean => page === "connect" && kind === "worker" && base !== "" && !used.has(base);

/** The addresses of Workers in a text that the tab kept; none where it is of another form. */
export function readUsed(kept: string | null): readonly string[] {
  try {
    const list: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}

/** The query that names an authority; what the page opens on by itself needs no `at`. */
export function searchOf({ kind, base, mount }: Where, lying: Lying): string {
  const own =
    kind === "browser"
      ? lying.page === "index"
      : base === "" || (lying.page === "worker" && base === lying.origin);
  const at = own ? "" : kind === "browser" ? browser : base;
  const query = new URLSearchParams({
    ...(at && { at }),
    ...((kind === "worker" && base !== "") || mount !== "pki" ? { mount } : {}),
  }).toString();
  // An address stays readable: a colon and a slash may stand in a query.
  return query && `?${query.replaceAll("%3A", ":").replaceAll("%2F", "/")}`;
}
