import { visible } from "./format.ts";

/**
 * The kind of page: without a server, hosted by a server for its own origin, or for servers
 * anywhere.
 */
export type PageKind = "index" | "worker" | "connect";

/** A server, as named by the page's address. */
export interface ServerAddress {
  readonly kind: "browser" | "worker";
  /** URL of the API without `/v1` and trailing slash; empty if none is named. */
  readonly base: string;
  readonly mount: string;
}

/** A page and its location. */
export interface PageLocation {
  readonly page: PageKind;
  readonly origin: string;
  /** The page's folder: the service worker responds below it. */
  readonly folder: string;
}

const browser = "browser";

/** Parses the typed URL of a server, without `/v1` and trailing slash, or returns the error. */
export function readAddress(
  typed: string,
  { page, origin }: PageLocation,
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

/** Normalizes a typed mount path to that of the API. */
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
 * Returns the server that a page opens: the one named by its address, else the one that hosts the
 * page, else the browser's CA; never another one silently.
 */
export function serverOf(search: string, lying: PageLocation): ServerAddress {
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
 * Reports whether only the page's address names this server, so that someone else may have chosen
 * where the token goes. `used`: addresses that were signed in to or confirmed.
 */
export const isOnlyNamed = (
  { kind, base }: ServerAddress,
  { page }: Pick<PageLocation, "page">,
  used: ReadonlySet<string>,
): boolean => page === "connect" && kind === "worker" && base !== "" && !used.has(base);

/** Parses the tab's stored server URLs; empty if malformed. */
export function readUsed(stored: string | null): readonly string[] {
  try {
    const list: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}

/** Returns the query that names a server; the page's default needs no `at`. */
export function searchOf({ kind, base, mount }: ServerAddress, lying: PageLocation): string {
  const own =
    kind === "browser"
      ? lying.page === "index"
      : base === "" || (lying.page === "worker" && base === lying.origin);
  const at = own ? "" : kind === "browser" ? browser : base;
  const query = new URLSearchParams({
    ...(at && { at }),
    ...((kind === "worker" && base !== "") || mount !== "pki" ? { mount } : {}),
  }).toString();
  // Colons and slashes are allowed in a query and keep the address readable.
  return query && `?${query.replaceAll("%3A", ":").replaceAll("%2F", "/")}`;
}
