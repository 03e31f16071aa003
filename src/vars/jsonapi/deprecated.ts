import type { Style } from "../../wire/endpoint.ts";
import { isObject } from "./document.ts";
import { jsonapi, listStyle } from "./style.ts";

/** When `/vars` became deprecated: 2020-01-01, Unix seconds (RFC 9745 section 2). */
const deprecatedSince = 1_577_836_800;
/**
 * Headers of the deprecated surface: since when, and where the same thing lies now (RFC 5829
 * section 3.3).
 */
export const deprecation = (
  successor = "/api/v2/workspaces",
): Readonly<Record<string, string>> => ({
  deprecation: `@${deprecatedSince}`,
  link: `<${successor}>; rel="successor-version"`,
});
const deprecated = (style: Style): Style => ({
  ...style,
  reply: (outcome, asked) =>
    style.reply(
      { ...outcome, headers: { ...deprecation(successorOf(outcome.data)), ...outcome.headers } },
      asked,
    ),
});
/** The scoped path of the one variable that a document shows. */
function successorOf(content: unknown): string | undefined {
  const data = isObject(content) ? content["data"] : undefined;
  const relationships = isObject(data) ? data["relationships"] : undefined;
  const configurable = isObject(relationships) ? relationships["configurable"] : undefined;
  const workspace = isObject(configurable) ? configurable["data"] : undefined;
  if (!isObject(data) || !isObject(workspace)) return undefined;
  return `/api/v2/workspaces/${String(workspace["id"])}/vars/${String(data["id"])}`;
}
/** Documents of the deprecated surface. */
export const oldJsonapi = deprecated(jsonapi);
/** Lists of the deprecated surface. */
export const oldList = deprecated(listStyle);
