import { CaError } from "../base/errors.ts";
import type { Call } from "./call.ts";

const truths: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

/**
 * The one spelling of a call's method and path, so that no spelling meets a different rule (P 9.1):
 * listing, slashes at the end, namespaces. Refuses what could be read in two ways.
 */
export function addressOf(call: Call): Pick<Call, "method" | "path"> {
  const path = checkPath(call.path);
  const namespace = call.header("x-vault-namespace") || call.header("x-service-namespace");
  if (namespace) throw noRoute(`${namespace.slice(0, 128)}${path}`);
  const method = isListing(call) ? "LIST" : call.method;
  if (method === "") throw new CaError("unsupported_operation", "");
  if ((method === "POST" || method === "PATCH") && path.endsWith("/"))
    throw new CaError("malformed", "cannot write to a path ending in '/'");
  return { method, path: path.endsWith("/") ? path.slice(0, -1) : path };
}
/** The refusal of a path that belongs to nothing, without the slash before it. */
export const noRoute = (path: string): CaError =>
  new CaError("no_route", `no handler for route "${path}". route entry not found.`);

/** LIST itself, `?list=true` or the override header on GET (D 3). */
function isListing(call: Call): boolean {
  if (call.method === "LIST") return true;
  // the last one counts: a front that cannot pass the verb on adds its own
  const list = call.query.size === 0 ? "" : (call.query.getAll("list").at(-1) ?? "");
  const wanted = list === "" ? false : Object.hasOwn(truths, list) ? truths[list] : undefined;
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
 * Refuses paths that a policy and a router could read differently: `//`, dot segments, encoded
 * slashes, control characters, bad escapes.
 */
function checkPath(path: string): string {
  // most paths have nothing in them that could be refused
  if (/^(?:\/[\w-]+)+\/?$/.test(path)) return path;
  const refuse = (why: string): never => {
    throw new CaError("malformed", `invalid path: ${why}`);
  };
  if (path.includes("//")) refuse("empty segment");
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) refuse("malformed percent-encoding");
  if (/%2f|%5c|%00|[\\;]/i.test(path)) refuse("separator other than /");
  let decoded = "";
  try {
    decoded = decodeURIComponent(path);
  } catch {
    refuse("percent-encoding that is not UTF-8");
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(decoded)) refuse("control character");
  if (decoded.split("/").some((segment) => segment === "." || segment === ".."))
    refuse("dot segment");
  return path;
}
