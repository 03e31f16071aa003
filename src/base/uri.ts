const character = "(?:[\\w.~!$&'()*+,;=:@-]|%[0-9a-f]{2})";
const userOrName = "(?:[\\w.~!$&'()*+,;=-]|%[0-9a-f]{2})";
const authority = `(?:(?:${userOrName}|:)*@)?(\\[[0-9a-f:.]+\\]|${userOrName}*)(?::\\d*)?`;
const path = `(?:/${character}*)*`;
const uri = new RegExp(
  `^[a-z][a-z0-9+.-]*:(?://${authority}${path}|/?(?:${character}+${path})?)(?:\\?(?:${character}|[/?])*)?(?:#(?:${character}|[/?])*)?$`,
  "i",
);

/**
 * Returns the host of an absolute URI as written, or "" if it has none. Undefined for other texts,
 * or if the host has an empty label (RFC 3986 section 3).
 */
export function uriHost(text: string): string | undefined {
  const match = uri.exec(text);
  if (!match) return undefined;
  const [, host = ""] = match;
  return host !== "" && !host.startsWith("[") && host.split(".").includes("") ? undefined : host;
}
