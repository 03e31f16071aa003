import { expect, it } from "vitest";
import { parseRequestUrl } from "../../src/base/request-url.ts";

it.each([
  "http://ca.test/",
  "http://ca.test",
  "https://ca.test:8443/v1/pki/ca?x=1&y=a%20b#part",
  "http://[::1]:80/v1//pki;a/%2F?",
  "http://ca.test/a?b?c#d?e",
  "http://ca.test/a#b?c=/d",
  "http://ca.test/\u00e9 x?\u00e9= y",
  "http://user@ca.test/a//b/../c",
])("parseRequestUrl parses %s like URL", (text) => {
  const { href, protocol, pathname, search, host } = new URL(text);
  const found = parseRequestUrl(href);
  expect({ ...found, searchParams: [...found.searchParams] }).toEqual({
    protocol,
    origin: expect.stringContaining(host),
    pathname,
    search,
    searchParams: [...new URL(text).searchParams],
  });
});
