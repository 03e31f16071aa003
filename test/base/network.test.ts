import { expect, it } from "vitest";
import { subscriberNetwork, siteNetwork } from "../../src/base/network.ts";

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
  ["2001:db8::6", "2001:db8:0:0::/64"],
  ["2001:db8:0:0:1::", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["unknown", "unknown"],
  ["", ""],
])(
  "the network of %s is %s: the whole address for IPv4 and the first 64 bits for IPv6",
  (address, network) => {
    expect(subscriberNetwork(address)).toBe(network);
  },
);

it.each([
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["2001:db8::6", "2001:db8:0::/48"],
  ["::1", "0:0:0::/48"],
  ["unknown", "unknown"],
])(
  "the site of %s is %s: the whole address for IPv4 and the first 48 bits for IPv6",
  (address, site) => {
    expect(siteNetwork(address)).toBe(site);
  },
);

it("any input maps to a network of at most 70 characters without an error", () => {
  for (const text of [
    ":".repeat(1000),
    "a:".repeat(1000),
    "1::2::3",
    "0:0:0:0:0:0:0:0::0:0:0:0:0",
    "x".repeat(1000),
    "::ffff:999.999.999.9999999999",
  ])
    expect([subscriberNetwork(text).length <= 70, siteNetwork(text).length <= 70]).toEqual([
      true,
      true,
    ]);
});
