import { describe, expect, it } from "vitest";
import { targetRefusal, type TargetRules } from "../../src/net/target.ts";

const none: TargetRules = { permitted: [], excluded: [], privateNetworks: false };
const why = (address: string, rules: Partial<TargetRules> = {}) =>
  targetRefusal(address, { ...none, ...rules })?.reason;

/** Addresses of each non-public kind, including the first and last address of each range. */
const special: readonly (readonly [reason: string, ...addresses: string[]])[] = [
  ["is a loopback address", "127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"],
  ["is a private address", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255"],
  ["is a private address", "192.168.0.0", "192.168.255.255"],
  ["is a shared address", "100.64.0.0", "100.127.255.255"],
  ["is a link-local address", "169.254.0.0", "169.254.255.255", "fe80::", "febf:ffff::1"],
  ["is a cloud metadata address", "169.254.169.254", "169.254.170.2", "100.100.100.200"],
  ["is a cloud metadata address", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"],
  ["is an unspecified address", "0.0.0.0", "0.255.255.255", "::"],
  ["is a documentation address", "192.0.2.1", "198.51.100.255", "203.0.113.0"],
  ["is a documentation address", "2001:db8::1", "2001:db8:ffff::", "3fff::", "3fff:fff::1"],
  ["is a multicast address", "224.0.0.0", "239.255.255.255", "ff00::", "ff02::1", "ffff::"],
  ["is a unique local address", "fc00::", "fdff:ffff::1"],
  ["is a reserved address", "192.0.0.0", "192.88.99.1", "198.18.0.0", "198.19.255.255"],
  ["is a reserved address", "240.0.0.0", "255.255.255.255"],
  ["is a reserved address", "2001:2::1", "2001:20::", "2001:1ff::", "100::", "fec0::1"],
  ["is a reserved address", "4000::", "1fff::", "5f00::1", "::1:0:0:0"],
  ["is an IPv4-mapped address", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::FFFF:a00:1"],
  ["is an IPv4-compatible address", "::8.8.8.8", "::7f00:1", "::ffff:ffff"],
  ["is an IPv4-translated address", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
  ["is a loopback address", "64:ff9b::127.0.0.1"],
  ["is a cloud metadata address", "64:ff9b::a9fe:a9fe"],
  ["is a private address", "64:ff9b::10.1.2.3"],
  ["is a NAT64 address", "64:ff9b:1::", "64:ff9b:1:ffff::8.8.8.8"],
  ["is a reserved address", "64:ff9b:2::8.8.8.8", "64:ff9a::1", "64:ff9b:0:1::8.8.8.8"],
  ["is a 6to4 address", "2002:7f00:1::", "2002:808:808::1"],
  ["is a Teredo address", "2001::1", "2001:0:808:808::1"],
];

describe("security row 35: addresses that validation contacts", () => {
  it.each(special)("exclude an address that %s", (reason, ...addresses) => {
    for (const address of addresses) expect([address, why(address)]).toEqual([address, reason]);
  });

  it.each(["8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "126.255.255.255", "128.0.0.1"])(
    "include the public address %s",
    (address) => expect(why(address)).toBeUndefined(),
  );

  it.each([
    "100.63.255.255",
    "100.128.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2600::1",
    "2a00:1450::1",
    "2001:200::",
    "2001:db7::1",
    "2003::1",
    "64:ff9b::8.8.8.8",
  ])("include %s, which is next to a blocked range", (address) =>
    expect(why(address)).toBeUndefined(),
  );

  it.each(["", "localhost", "10.1", "0x7f.1", "127.1", "010.0.0.1", "fe80::1%eth0", "[::1]", "1"])(
    "exclude %j, which other parsers may read as an address",
    (address) => expect(why(address)).toBe("is not an IP address"),
  );

  it("are explained with the address and the setting that decided", () => {
    expect(targetRefusal("10.0.0.9", none)).toEqual({
      address: "10.0.0.9",
      reason: "is a private address",
      setting: "ACME_PRIVATE_NETWORKS",
      text: "10.0.0.9 is a private address and is not contacted; to permit this address, set challenge_permitted_ip_ranges of config/acme, or ACME_PRIVATE_NETWORKS of the deployment",
    });
    expect(targetRefusal("::ffff:7f00:1", none)).toMatchObject({ address: "::ffff:127.0.0.1" });
    expect(targetRefusal("0:0::1", none)?.text).toBe(
      "::1 is a loopback address and is not contacted; to permit it, add ::1/128 to challenge_permitted_ip_ranges of config/acme, which then permits only the ranges it lists",
    );
  });
});

describe("validation with privateNetworks", () => {
  it.each(["10.0.0.1", "172.20.0.1", "192.168.1.1", "100.64.0.1", "fd12::1", "64:ff9b::10.0.0.1"])(
    "contacts %s",
    (address) => expect(why(address, { privateNetworks: true })).toBeUndefined(),
  );

  it.each(
    special
      .filter(([reason]) => !/private|shared|unique local/.test(reason))
      .flatMap(([reason, ...addresses]) => addresses.map((address) => [address, reason] as const)),
  )("does not contact %s, which %s", (address, reason) =>
    expect(why(address, { privateNetworks: true })).toBe(reason),
  );
});

describe("security row 38: permitted and excluded ranges", () => {
  it("permitted ranges may be of any kind, and exclude all other addresses, even public ones", () => {
    const rules = { permitted: ["127.0.0.0/8", "fe80::/64", "169.254.169.254/32"] };
    for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "fe80::1", "169.254.169.254"])
      expect(why(address, rules)).toBeUndefined();
    for (const address of ["8.8.8.8", "10.0.0.1", "fe80:0:0:1::1", "169.254.169.253", "::1"])
      expect(why(address, { ...rules, privateNetworks: true })).toBe("is in no permitted range");
  });

  it("an empty list of permitted ranges permits the default targets, not all", () => {
    expect(why("127.0.0.1", { permitted: [] })).toBe("is a loopback address");
  });

  it("an excluded range takes precedence over a permitted one, and over the default targets", () => {
    const rules = { permitted: ["10.0.0.0/8"], excluded: ["10.1.0.0/16"] };
    expect(why("10.0.0.1", rules)).toBeUndefined();
    expect(why("10.1.0.1", rules)).toBe("is in an excluded range");
    expect(why("8.8.8.8", { excluded: ["8.0.0.0/8"] })).toBe("is in an excluded range");
    expect(targetRefusal("8.8.8.8", { ...none, excluded: ["8.0.0.0/8"] })?.text).toBe(
      "8.8.8.8 is in an excluded range and is not contacted; challenge_excluded_ip_ranges of config/acme excludes this address",
    );
  });

  it("an excluded IPv4 range applies to every notation of its addresses", () => {
    const rules = { permitted: ["0.0.0.0/0", "::/0"], excluded: ["10.0.0.0/8"] };
    for (const address of [
      "::ffff:10.1.2.3",
      "::10.1.2.3",
      "::ffff:0:10.1.2.3",
      "64:ff9b::10.1.2.3",
      "64:ff9b:1::10.1.2.3",
      "64:ff9b:1:a01:2:300::",
      "64:ff9b:1:000a:1:203::",
      "64:ff9b:1:0:a:102:300:0",
      "2002:a01:203::1",
      "2001:0:a01:203::1",
      "2001:0:1::f5fe:fdfc",
    ])
      expect([address, why(address, rules)]).toEqual([address, "is in an excluded range"]);
  });

  it("a permitted IPv4 range applies to notations that lead to the same address, and to no others", () => {
    const rules = { permitted: ["10.0.0.0/8"] };
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3"])
      expect([address, why(address, rules)]).toEqual([address, undefined]);
    for (const address of ["2002:a01:203::1", "2001:0:a01:203::1", "64:ff9b:1::10.1.2.3"])
      expect([address, why(address, rules)]).toEqual([address, "is in no permitted range"]);
  });
});
