import { BlockList } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ipToText } from "../../src/x509/address.ts";
import { targetRefusal } from "../../src/net/target.ts";
import { forSeeds } from "../base/seeds.ts";

/** Returns the ranges of the registries as a Node block list. */
function listOf(...ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", prefix] = range.split("/");
    list.addSubnet(address, Number(prefix), address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
const has = (list: BlockList, address: string): boolean =>
  list.check(address, address.includes(":") ? "ipv6" : "ipv4");

const never = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "100.100.100.200/32",
  "168.63.129.16/32",
];
const privateFour = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"];
const neverFour = listOf(...never);
const neverSix = listOf("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");
const publicSix = listOf("2000::/3");
const local = listOf("fc00::/7");
const metadata = listOf("fd00:ec2::/32", "fd20:ce::254/128");

const four = (bytes: readonly number[]): string => bytes.join(".");
/** Reports whether an address may be dialled if no ranges are configured. */
function dialled(bytes: readonly number[], privateNetworks: boolean): boolean {
  if (bytes.length === 4) {
    const address = four(bytes);
    if (has(neverFour, address)) return false;
    return privateNetworks || !has(listOf(...privateFour), address);
  }
  const address = ipToText(Uint8Array.from(bytes));
  // the well-known NAT64 prefix
  if (bytes.slice(0, 12).join() === "0,100,255,155,0,0,0,0,0,0,0,0")
    return dialled(bytes.slice(12), privateNetworks);
  if (has(local, address)) return privateNetworks && !has(metadata, address);
  return has(publicSix, address) && !has(neverSix, address);
}

const byte = fc.integer({ min: 0, max: 255 });
const edges = [...never, ...privateFour].flatMap((range) => {
  const [address = "", prefix = ""] = range.split("/");
  const first = address.split(".").reduce((all, part) => all * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(prefix));
  return [first - 1, first, first + size - 1, first + size].map((at) =>
    [24, 16, 8, 0].map((shift) => Math.floor((at + 2 ** 32) / 2 ** shift) % 256),
  );
});
const anyFour = fc.oneof(
  fc.tuple(byte, byte, byte, byte).map((all): readonly number[] => all),
  fc.constantFrom<readonly number[]>(...edges),
);
const hex = (text: string): readonly number[] =>
  (text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
const prefixes = [
  "",
  "00000000000000000000ffff",
  "000000000000000000000000",
  "0000000000000000ffff0000",
  "0064ff9b0000000000000000",
  "0064ff9b0001",
  "2002",
  "20010000",
  "2001",
  "20010db8",
  "2000",
  "3fff",
  "4000",
  "fc",
  "fd000ec2",
  "fe80",
  "febf",
  "fec0",
  "ff02",
].map(hex);
const anySix = fc
  .tuple(
    fc.constantFrom(...prefixes),
    anyFour,
    fc.array(fc.oneof(byte, fc.constant(0)), { minLength: 16, maxLength: 16 }),
    fc.boolean(),
  )
  .map(([prefix, end, rest, fourAtEnd]): readonly number[] => [
    ...[...prefix, ...rest].slice(0, fourAtEnd ? 12 : 16),
    ...(fourAtEnd ? end : []),
  ]);
const isMapped = (bytes: readonly number[]): boolean =>
  bytes.slice(0, 12).join() === "0,0,0,0,0,0,0,0,0,0,255,255";

it("security row 35: addresses are classified like Node's block lists, including the edges of ranges", () => {
  const seen = { asked: 0, refused: 0 };
  forSeeds(
    fc.property(fc.oneof(anyFour, anySix), fc.boolean(), (bytes, privateNetworks) => {
      const rules = { permitted: [], excluded: [], privateNetworks };
      const refused = targetRefusal(ipToText(Uint8Array.from(bytes)), rules) !== undefined;
      seen[refused ? "refused" : "asked"]++;
      return refused === !(dialled(bytes, privateNetworks) && !isMapped(bytes));
    }),
  );
  expect(Math.min(seen.asked, seen.refused)).toBeGreaterThan(20);
});

const ranges = fc.uniqueArray(
  fc.oneof(
    fc.tuple(anyFour, fc.integer({ min: 0, max: 32 })),
    fc.tuple(anySix, fc.integer({ min: 0, max: 128 })),
  ),
  { maxLength: 4 },
);
const textOf = ([bytes, prefix]: readonly [readonly number[], number]): string =>
  `${ipToText(Uint8Array.from(bytes))}/${prefix}`;

const bits = (bytes: readonly number[]): string =>
  bytes.map((one) => one.toString(2).padStart(8, "0")).join("");
/** Reports whether one of the ranges of the same family contains an address. */
const inOne = (
  all: readonly (readonly [readonly number[], number])[],
  bytes: readonly number[],
): boolean =>
  all.some(
    ([range, prefix]) =>
      range.length === bytes.length && bits(bytes).startsWith(bits(range).slice(0, prefix)),
  );

it("security row 38: configured ranges are compared bit by bit, and excluded ones take precedence", () => {
  let decided = 0;
  forSeeds(
    fc.property(ranges, ranges, fc.oneof(anyFour, anySix), (permitted, excluded, bytes) => {
      // an IPv4-mapped range is an IPv4 range, unless its prefix is longer than IPv4's
      fc.pre([...permitted, ...excluded].every(([range]) => !isMapped(range)));
      const rules = {
        permitted: permitted.map(textOf),
        excluded: excluded.map(textOf),
        privateNetworks: true,
      };
      const own = isMapped(bytes) ? bytes.slice(12) : bytes;
      const reason = targetRefusal(ipToText(Uint8Array.from(bytes)), rules)?.reason;
      if (inOne(excluded, own)) {
        decided++;
        return reason === "is in an excluded range";
      }
      if (reason === "is in an excluded range" && own.length === 4) return false;
      if (permitted.length === 0 || reason === "is in an excluded range") return true;
      decided++;
      const inside = inOne(permitted, own);
      if (inside) return reason === undefined;
      return own.length === 16 || reason === "is in no permitted range";
    }),
  );
  expect(decided).toBeGreaterThan(100);
});
