import { expect, it } from "vitest";
import { inRange } from "../../src/x509/address.ts";

it.each([
  ["10.1.2.3", "10.0.0.0/8", true],
  ["11.1.2.3", "10.0.0.0/8", false],
  ["2001:db8::1", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/32", false],
  ["0.0.0.0", "::/0", false],
  ["::", "0.0.0.0/0", false],
  ["host.test", "0.0.0.0/0", false],
  ["10.1.2.3", "10.0.0.0", false],
])("the address %s is in the range %s: %s", (address, range, expected) =>
  expect(inRange(address, range)).toBe(expected),
);
