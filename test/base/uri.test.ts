import { expect, it } from "vitest";
import { uriHost } from "../../src/base/uri.ts";

it.each([
  ["http://a.test/x?y=z#w", "a.test"],
  ["https://user:pw@a.test:8443", "a.test"],
  ["http://[2001:db8::1]:80/", "[2001:db8::1]"],
  ["http://192.0.2.1/crl", "192.0.2.1"],
  ["ldap://dir.test/CN=a,DC=b?certificateRevocationList?base", "dir.test"],
  ["spiffe://trust.test/ns/a%20b", "trust.test"],
  ["http://a%41.test/", "a%41.test"],
  ["file:///etc/x", ""],
  ["urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", ""],
  ["mailto:a@b.test", ""],
  ["http:/a", ""],
  ["tag:", ""],
])("uriHost returns the host of %s", (text, host) => {
  expect(uriHost(text)).toBe(host);
});

it.each([
  "",
  "a.test",
  "//a.test/",
  "1http://a.test",
  "http://x/%zz",
  "http://x/%4",
  "http://\\x/",
  "http:\\\\x",
  'http://x/"',
  "http://x/<>",
  "http://x/{a}",
  "http://x/a b",
  "http://x/\r\n",
  "http://x/\t",
  "http://x/\u0000",
  "http://ü/",
  "http://x/ü",
  "http://x/[",
  "http://a..b/",
  "http://a.b./",
  "http://.a/",
  "http://a:b/",
  "http://a@b@c/",
  "http://[::1/",
  "http://[zz]/",
  "http://x/#a#b",
  "http://x/^",
  "http://x/|",
  "http://x/`",
  "http://a.test/\n",
])("uriHost rejects %j", (text) => {
  expect(uriHost(text)).toBeUndefined();
});

it("uriHost checks long texts quickly", () => {
  for (const text of [
    `http://${"a".repeat(1e5)}@${"b:".repeat(1e5)}`,
    `x:${"/".repeat(2e5)}"`,
    `http://${"%41".repeat(1e5)}%`,
    `a:${"a".repeat(2e5)}\u0000`,
  ])
    expect(uriHost(text)).toBeUndefined();
});
