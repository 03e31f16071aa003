const character = "(?:[\\w.~!$&'()*+,;=:@-]|%[0-9a-f]{2})";
const userOrName = "(?:[\\w.~!$&'()*+,;=-]|%[0-9a-f]{2})";
const authority = `(?:(?:${userOrName}|:)*@)?(\\[[0-9a-f:.]+\\]|${userOrName}*)(?::\\d*)?`;
const path = `(?:/${character}*)*`;
const uri = new RegExp(
  `^[a-z][a-z0-9+.-]*:(?://${authority}${path}|/?(?:${character}+${path})?)(?:\\?(?:${character}|[/?])*)?(?:#(?:${character}|[/?])*)?$`,
  "i",
);

/**
 * Returns the host in an absolute URI as written, or "" if there is none. Returns undefined if
 * `text` is not an absolute URI (RFC 3986 section 3) or the host has an empty label.
 */
export function uriHost(text: string): string | undefined {
  const match = uri.exec(text);
  if (!match) return undefined;
  const [, host = ""] = match;
  return host !== "" && !host.startsWith("[") && host.split(".").includes("") ? undefined : host;
}
