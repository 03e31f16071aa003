import { expect, it } from "vitest";
import { readEntries } from "../../../../demo/lib/x509/crl-entries.ts";
import { concat, fromHex } from "../../../../src/base/bytes.ts";
import { encodeRevokedEntry } from "../../../../src/x509/crl.ts";

const entry = (serial: string, reason?: number): Uint8Array =>
  encodeRevokedEntry({
    serial: fromHex(serial),
    revokedAt: 1_700_000_000,
    ...(reason !== undefined && { reason }),
  });
const read = (...entries: readonly Uint8Array[]) => readEntries({ entries: concat(entries) });

it("CRL entries are read page by page, the last entry first, with reasons as text", async () => {
  const entries = await read(entry("0a01"), entry("0b02", 4), entry("0c03", 0));
  expect(entries.count).toBe(3);
  expect(entries.beginning("")).toEqual([2, 1, 0]);
  expect(entries.at(entries.beginning("").slice(1))).toEqual([
    { serial: "0b02", time: new Date(1_700_000_000_000), reason: "superseded" },
    { serial: "0a01", time: new Date(1_700_000_000_000), reason: "" },
  ]);
  expect(entries.at([3])).toEqual([]);
});

it("CRL entries are found by the first digits of their serial numbers, even by one or an odd number of digits", async () => {
  const entries = await read(entry("0a01"), entry("0a11"), entry("7b02"));
  const found = (digits: string): readonly string[] =>
    entries.at(entries.beginning(digits)).map(({ serial }) => serial);
  expect(found("0")).toEqual(["0a11", "0a01"]);
  expect(found("7")).toEqual(["7b02"]);
  expect(found("0a1")).toEqual(["0a11"]);
  expect(found("0A01")).toEqual(["0a01"]);
  expect(found("0a0100")).toEqual([]);
  expect(found("5")).toEqual([]);
});

it("a serial number is found in full with or without leading zeros, but not by its last digits", async () => {
  const entries = await read(entry("80ff"), entry("0102"), entry("ff"), entry("00"));
  expect(entries.find("80ff")?.serial).toBe("80ff");
  expect(entries.beginning("80f")).toEqual([0]);
  expect(entries.find("000102")?.serial).toBe("0102");
  expect(entries.find("02")).toBeUndefined();
  expect(entries.find("ff")?.serial).toBe("ff");
  expect(entries.find("")).toBeUndefined();
});

it("a serial number of 200 bytes is found like any other", async () => {
  const long = `01${"ab".repeat(199)}`;
  const entries = await read(entry("05"), entry(long));
  expect(entries.find(long)?.serial).toBe(long);
  expect(entries.beginning(long.slice(0, 301))).toEqual([1]);
});

it("a CRL with a malformed entry is rejected before any entry is shown", async () => {
  const broken = entry("0a01").slice();
  broken[2] = 0x04;
  await expect(read(entry("0b"), broken)).rejects.toThrow(/serial number has tag 0x4/);
});

it("reading 100,000 CRL entries yields to the event loop", async () => {
  const one = entry("01020304");
  const bytes = new Uint8Array(100_000 * one.length);
  for (let i = 0; i < 100_000; i++) bytes.set(one, i * one.length);
  let turns = 0;
  const timer = setInterval(() => turns++);
  const entries = await readEntries({ entries: bytes });
  clearInterval(timer);
  expect(entries.count).toBe(100_000);
  expect(turns).toBeGreaterThanOrEqual(1);
  expect(entries.at(entries.beginning("01020304").slice(0, 50))).toHaveLength(50);
});
