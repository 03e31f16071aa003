import type { Style } from "../../wire/endpoint.ts";
import { isObject } from "./document.ts";
import { jsonapi, listStyle } from "./style.ts";

/** Date from which `/vars` is deprecated: 2020-01-01 in Unix seconds (RFC 9745 section 2). */
const deprecatedSince = 1_577_836_800;
/**
 * Returns the headers of a deprecated endpoint: the deprecation date, and the URL of its successor
 * (RFC 5829 section 3.3).
 */
export const deprecation = (
  successor = "/api/v2/workspaces",
): Readonly<Record<string, string>> => ({
  deprecation: `@${deprecatedSince}`,
  link: `<${successor}>; rel="successor-version"`,
});
const deprecated = (style: Style): Style => ({
  ...style,
  reply: (outcome, routed) =>
    style.reply(
      { ...outcome, headers: { ...deprecation(successorOf(outcome.data)), ...outcome.headers } },
      routed,
    ),
});
/** Returns the path of a document's variable in the current API, if the document has one. */
function successorOf(content: unknown): string | undefined {
  const data = isObject(content) ? content["data"] : undefined;
  const relationships = isObject(data) ? data["relationships"] : undefined;
  const configurable = isObject(relationships) ? relationships["configurable"] : undefined;
  const workspace = isObject(configurable) ? configurable["data"] : undefined;
  if (!isObject(data) || !isObject(workspace)) return undefined;
  return `/api/v2/workspaces/${String(workspace["id"])}/vars/${String(data["id"])}`;
}
/** Style for documents in the deprecated API. */
export const oldJsonapi = deprecated(jsonapi);
/** Style for lists in the deprecated API. */
export const oldList = deprecated(listStyle);
