import { CaError } from "../base/errors.ts";
import { parseBoolean } from "../base/parse-boolean.ts";
import type { Call } from "./call.ts";

/** Method and path of a call in their one spelling. */
export interface Spelling extends Pick<Call, "method" | "path"> {
  /**
   * Why the path is refused, unless it leads to an endpoint that takes the rest of its path as it
   * arrived.
   */
  readonly doubt?: CaError | undefined;
  /** Why it is refused where it leads, unless a slash at its end is overlooked there. */
  readonly slashed?: CaError | undefined;
}

/**
 * The one spelling of a call's method and path, so that no spelling meets a different rule (P 9.1):
 * listing, slashes at the end, namespaces. Refuses what could be read in two ways. `heads`: behind
 * which, such as `/name/`, the rest of a path may be taken as it arrived.
 */
export function addressOf(call: Call, heads: readonly string[] = []): Spelling {
  const { path } = call;
  const doubt = refusalOf(path);
  if (doubt && !heads.some((head) => hasRest(path, head))) throw doubt;
  const namespace = call.header("x-vault-namespace") || call.header("x-service-namespace");
  if (namespace) throw noRoute(`${namespace.slice(0, 128)}${path}`);
  const method = isListing(call) ? "LIST" : call.method;
  if (method === "") throw new CaError("unsupported_operation", "");
  if (!path.endsWith("/")) return { method, path, doubt };
  const isWrite = method === "POST" || method === "PATCH";
  const slashed = isWrite
    ? new CaError("malformed", "cannot write to a path ending in '/'")
    : undefined;
  return { method, path: path.slice(0, -1), doubt, slashed };
}

/**
 * Whether nothing is wrong with a path but slashes and escapes in base64 text behind `head`: there
 * are no dots in that, so it leads nowhere else.
 */
function hasRest(path: string, head: string): boolean {
  const at = path.indexOf(head);
  if (at < 0 || refusalOf(path.slice(0, at + head.length - 1))) return false;
  try {
    return /^[\w+/=-]*$/.test(decodeURIComponent(path.slice(at + head.length)));
  } catch {
    return false;
  }
}
/** The refusal of a path that belongs to nothing, without the slash before it. */
export const noRoute = (path: string): CaError =>
  new CaError("no_route", `no handler for route "${path}". route entry not found.`);

/** LIST itself, `?list=true` or the override header on GET (D 3). */
function isListing(call: Call): boolean {
  if (call.method === "LIST") return true;
  // the last one counts: a front that cannot pass the verb on adds its own
  const list = call.query.size === 0 ? "" : (call.query.getAll("list").at(-1) ?? "");
  const wanted = list === "" ? false : parseBoolean(list);
  if (wanted === undefined)
    throw new CaError(
      "malformed",
      `invalid query value list=${list.slice(0, 32)}: use true or false`,
    );
  return (
    call.method === "GET" &&
    (wanted || call.header("x-http-method-override")?.toUpperCase() === "LIST")
  );
}

/**
 * The refusal of a path that a policy and a router could read differently: `//`, dot segments,
 * encoded slashes, control characters, bad escapes.
 */
function refusalOf(path: string): CaError | undefined {
  // most paths have nothing in them that could be refused
  if (/^(?:\/[\w-]+)+\/?$/.test(path)) return undefined;
  const why = ambiguityOf(path);
  return why === undefined ? undefined : new CaError("malformed", `invalid path: ${why}`);
}
function ambiguityOf(path: string): string | undefined {
  if (path.includes("//")) return "empty segment";
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return "malformed percent-encoding";
  if (/%2f|%5c|%00|[\\;]/i.test(path)) return "separator other than /";
  let decoded = "";
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return "percent-encoding that is not UTF-8";
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(decoded)) return "control character";
  return decoded.split("/").some((segment) => segment === "." || segment === "..")
    ? "dot segment"
    : undefined;
}
