import { visible } from "./visible-text.ts";

/**
 * The kind of page: `index` is hosted without a server, `worker` is hosted by a server and connects
 * to it, and `connect` connects to any server.
 */
export type PageKind = "index" | "worker" | "connect";

/** A server as specified by the page's URL. */
export interface ServerAddress {
  readonly kind: "browser" | "worker";
  /** URL of the API without `/v1` and trailing slash; empty if the page's URL specifies none. */
  readonly base: string;
  readonly mount: string;
}

/** A page and its location. */
export interface PageLocation {
  readonly page: PageKind;
  readonly origin: string;
  /** URL of the page's folder, which is the scope of the service worker. */
  readonly folder: string;
}

const browser = "browser";

/**
 * Parses a server URL that the user entered. Returns it without `/v1` and trailing slash, or an
 * error.
 */
export function readAddress(
  typed: string,
  { page, origin }: PageLocation,
): { base: string } | { why: string } {
  let url: URL;
  try {
    url = new URL(typed.trim());
  } catch {
    return { why: `${typed.trim() || "Empty"}: not a URL. Enter https://ca.example.net` };
  }
  if (url.username || url.password || url.search || url.hash)
    return { why: "Enter only the URL, without user name, password, query or fragment" };
  const near = url.hostname === "localhost" || url.hostname === "127.0.0.1";
  if (url.protocol !== "https:" && !(url.protocol === "http:" && near) && url.origin !== origin)
    return { why: "Tokens are sent only over https" };
  const base = url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
  return url.origin === origin || page === "connect" ? { base } : { why: "elsewhere" };
}

/** Converts an entered mount path to its form in the API. */
export const bareMount = (typed: string): string => typed.trim().replace(/^\/+|\/+$/g, "") || "pki";

/**
 * Returns why a mount path is invalid, or an empty string if it is valid. With an invalid path, a
 * request and its token could be sent to a different path.
 */
export const wrongMount = (mount: string): string =>
  mount.length <= 512 &&
  mount.split("/").every((segment) => /^[\w.-]+$/.test(segment) && !/^\.\.?$/.test(segment))
    ? ""
    : `${visible(mount.slice(0, 100))}: not a valid mount name. Use letters, digits, . - and _, with / between parts`;

/**
 * Returns the server that a page opens: the server in its URL, or else the server that hosts the
 * page, or else the CA in the browser.
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
 * Reports whether only the page's URL specifies this server, so that someone else may have chosen
 * where the token would be sent. `used` lists the servers that the user has signed in to or
 * confirmed.
 */
export const isOnlyNamed = (
  { kind, base }: ServerAddress,
  { page }: Pick<PageLocation, "page">,
  used: ReadonlySet<string>,
): boolean => page === "connect" && kind === "worker" && base !== "" && !used.has(base);

/** Parses the server URLs that the tab has stored. Returns none if they are malformed. */
export function readUsed(stored: string | null): readonly string[] {
  try {
    const list: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}

/** Returns the query that specifies a server. It has no `at` for the page's default server. */
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
  // Colons and slashes are allowed in a query, and make the URL easier to read.
  return query && `?${query.replaceAll("%3A", ":").replaceAll("%2F", "/")}`;
}
