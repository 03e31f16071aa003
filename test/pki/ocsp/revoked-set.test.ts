import { describe, expect, it } from "vitest";
import { concat, fromHex, toHex } from "../../../src/base/bytes.ts";
import { memoryStore } from "../../../src/index.ts";
import type { Row, Store } from "../../../src/engine/ports.ts";
import { keys, storedPki } from "../../../src/pki/rows/records.ts";
import { encodeRevokedEntry } from "../../../src/x509/crl.ts";
import { readPage } from "../../../src/pki/ocsp/revoked-pages.ts";
import { RevokedTable } from "../../../src/pki/ocsp/revoked-table.ts";
import { authority, clockAt, seeded, start, type Authority } from "../../support/authority.ts";
import { certificateIn, statusOf } from "./asking.ts";

const entryOf = (serial: string, revokedAt: number, reason?: number) =>
  encodeRevokedEntry({
    serial: fromHex(serial),
    revokedAt,
    ...(reason === undefined ? {} : { reason }),
  });
const pageOf = (entries: readonly Uint8Array[], set = "aa") => ({
  set,
  rev: 1,
  bytes: concat(entries),
});
function tableOf(...pages: readonly Parameters<typeof readPage>[0][]): RevokedTable {
  const table = new RevokedTable();
  for (const one of pages) {
    const read = readPage(one, undefined);
    if (read) table.add(read.page);
  }
  return table;
}

describe("a table of revoked entries", () => {
  it("finds serial numbers of any length, each in its own set", () => {
    const table = tableOf(
      pageOf([entryOf("01", 1), entryOf("0100", 2, 4), entryOf("7f".repeat(20), 3)]),
      pageOf([entryOf("01", 4), entryOf("ff", 5)], "bb"),
    );
    expect(table.size).toBe(5);
    const found = (serial: string) => [...table.find(fromHex(serial))];
    expect(found("01")).toEqual([
      { at: 1, reason: 0, set: "aa" },
      { at: 4, reason: 0, set: "bb" },
    ]);
    expect(found("000001")).toEqual(found("01"));
    expect(found("0100")).toEqual([{ at: 2, reason: 4, set: "aa" }]);
    expect(found("7f".repeat(20))).toEqual([{ at: 3, reason: 0, set: "aa" }]);
    expect(found("00ff")).toEqual([{ at: 5, reason: 0, set: "bb" }]);
    for (const none of ["02", "00", "7f".repeat(19), "7f".repeat(21)])
      expect(found(none)).toEqual([]);
  });

  it("detects that a page only grew, and parses only its new entries", () => {
    const entries = ["01", "02", "03"].map((serial, n) => entryOf(serial, n));
    const before = readPage(pageOf(entries.slice(0, 2)), undefined);
    expect(before?.grew).toBe(false);
    const grown = readPage(pageOf(entries), before?.page);
    expect([grown?.grew, [...(grown?.page.at ?? [])]]).toEqual([true, [0, 1, 2]]);
    const tidied = readPage(pageOf(entries.slice(1)), before?.page);
    expect([tidied?.grew, [...(tidied?.page.at ?? [])]]).toEqual([false, [1, 2]]);
  });

  it("rejects a malformed page", () => {
    const entry = entryOf("01", 1);
    for (const bytes of [entry.subarray(1), concat([entry, entry.subarray(0, 9)])])
      expect(readPage({ set: "aa", rev: 1, bytes }, undefined)).toBeUndefined();
    expect(readPage(pageOf([entryOf("7f".repeat(21), 1)]), undefined)).toBeUndefined();
  });

  it("agrees with a map for 20,000 entries of a random history", () => {
    const seed = Date.now() & 0x7fffffff;
    const random = seeded(seed);
    const wanted = new Map<string, number>();
    const pages = Array.from({ length: 20 }, () =>
      pageOf(
        Array.from({ length: 1000 }, () => {
          const serial = random(8);
          serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
          wanted.set(toHex(serial), wanted.size);
          return entryOf(toHex(serial), wanted.size - 1);
        }),
      ),
    );
    const table = tableOf(...pages);
    for (const [serial, at] of wanted)
      expect([seed, serial, table.find(fromHex(serial))]).toEqual([
        seed,
        serial,
        [{ at, reason: 0, set: "aa" }],
      ]);
  });
});

/** Returns a store that counts its reads. */
function watched() {
  const memory = memoryStore();
  const asked: string[] = [];
  const stores = (name: string): Store => {
    const store = memory(name);
    return {
      get: (keys) => (asked.push(...keys), store.get(keys)),
      list: (prefix, page) => (asked.push(`${prefix}*`), store.list(prefix, page)),
      commit: (batch) => store.commit(batch),
    };
  };
  return { stores, memory, calls: () => asked.splice(0) };
}
async function withLeaves(count: number) {
  const store = watched();
  const clock = clockAt();
  const a = authority({ stores: store.stores, clock });
  const { certificate: issuer } = await a.root();
  await a.role("web");
  await a.pki.writeCrlConfig({ auto_rebuild: true });
  const serials: string[] = [];
  for (let n = 0; n < count; n++)
    serials.push((await a.pki.issue({ role: "web", common_name: "a.test" })).serial_number);
  return { ...store, clock, a, issuer, serials };
}

/** Returns the name of the mount's store. */
const mountOf = async (a: Authority): Promise<string> =>
  (await a.sys.readMount({ path: "pki" })).uuid;

describe("the cached revocations", () => {
  it("are read at most once a second, whatever serial numbers are requested", async () => {
    const { a, issuer, serials, calls, clock } = await withLeaves(4);
    const [first = "", ...others] = serials;
    await a.pki.revoke({ serial_number: first });
    await statusOf(a, { issuer, serial: first });
    calls();
    for (const serial of others) expect(await statusOf(a, { issuer, serial })).toBe("good");
    expect(calls()).toEqual([]);
    clock.now += 1000;
    for (const serial of others) await statusOf(a, { issuer, serial });
    expect(calls().filter((key) => /^(crlpage|revoked|cert)/.test(key))).toEqual(["crlpage/*"]);
  });

  it("include the pages of 64 shards with 64 slots, of which more are read at once if they are short", async () => {
    const { a, issuer, memory, calls, clock } = await withLeaves(1);
    const store = memory(await mountOf(a));
    const [row] = await store.list("issuer/");
    const { id, crl_set } = storedPki.issuer(row?.[1].value);
    const at = start - 5000;
    const serials = Array.from({ length: 64 * 64 }, (_, n) =>
      (2 ** 40 + n).toString(16).padStart(12, "0"),
    );
    await store.commit({
      put: serials.flatMap((serial, n) => {
        const shard = `64-${n % 64}`;
        const slot = `~${String(n >> 6).padStart(2, "0")}`;
        return [
          [keys.revoked(fromHex(serial)), { at, issuer: id, crl_set, shard }],
          [`crlpage/${crl_set}-${shard}/${slot}/00000000`, entryOf(serial, at / 1000)],
        ] as const;
      }),
    });
    for (let n = 0; n < 80; n++) await statusOf(a, { issuer, serial: serials[n] ?? "" });
    clock.now += 1000;
    calls();
    for (const serial of serials.slice(-8))
      expect(await statusOf(a, { issuer, serial })).toEqual({ revokedAt: at / 1000, reason: 0 });
    expect(calls().filter((key) => /^(revoked|cert)/.test(key))).toEqual([]);
  });

  it("are reread only for changed pages", async () => {
    const { a, issuer, serials, calls, clock } = await withLeaves(3);
    const [first = "", second = "", third = ""] = serials;
    const other = await a.root({ common_name: "Second", issuer_name: "second" });
    await a.pki.writeRole({
      name: "second",
      issuer_ref: "second",
      key_type: "ec",
      allow_any_name: true,
    });
    const far = await a.pki.issue({ role: "second", common_name: "b.test" });
    for (const serial_number of [first, far.serial_number]) await a.pki.revoke({ serial_number });
    await statusOf(a, { issuer, serial: third });
    clock.now += 1000;
    await a.pki.revoke({ serial_number: second });
    calls();
    expect(await statusOf(a, { issuer, serial: second })).toMatchObject({ reason: 0 });
    expect(calls().filter((key) => key.startsWith("crlpage/"))).toHaveLength(2);
    const wanted = { issuer: other.certificate, serial: far.serial_number };
    expect(await statusOf(a, wanted)).toMatchObject({ reason: 0 });
  });

  it("are replaced by the rows while a page is malformed, with the same results", async () => {
    const { a, issuer, serials, memory, clock } = await withLeaves(2);
    const [first = "", second = ""] = serials;
    await a.pki.revoke({ serial_number: first, reason: "superseded" });
    const store = memory(await mountOf(a));
    const [page] = await store.list("crlpage/");
    await store.commit({ put: [[page?.[0] ?? "", Uint8Array.of(0x30, 0x80)]] });
    clock.now += 1000;
    expect(await statusOf(a, { issuer, serial: first })).toEqual({
      revokedAt: start / 1000,
      reason: 4,
    });
    expect(await statusOf(a, { issuer, serial: second })).toBe("good");
    await store.commit({ put: [[page?.[0] ?? "", page?.[1].value]] });
    clock.now += 60_000;
    expect(await statusOf(a, { issuer, serial: first })).toMatchObject({ reason: 4 });
  });

  for (const [what, isCounted] of [
    ["that a list has counted", true],
    ["that came after those of the last list", false],
  ] as const)
    it(`are replaced by the rows if a bit is flipped in an entry ${what}`, async () => {
      const { a, issuer, serials, memory, stores, calls, clock } = await withLeaves(3);
      const [first = "", second = "", third = ""] = serials;
      await a.pki.revoke({ serial_number: first });
      if (isCounted) await a.pki.rotateCrl();
      const store = memory(await mountOf(a));
      const [page] = await store.list("crlpage/");
      // pages hold bytes; the last octet of the serial number precedes the date
      const bytes = new Uint8Array(page?.[1].value as Uint8Array);
      const at = bytes.findIndex((octet, n) => octet === 0x17 && bytes[n + 1] === 0x0d) - 1;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await store.commit({ put: [[page?.[0] ?? "", bytes]] });
      const b = authority({ clock, seed: 2, stores });
      for (const one of [b, a])
        for (let n = 0; n < 3; n++) {
          clock.now += 1000;
          expect(await statusOf(one, { issuer, serial: first })).toMatchObject({ reason: 0 });
          expect(await statusOf(one, { issuer, serial: second })).toBe("good");
        }
      // the next CRL build repairs the page, and then no row is read
      await a.pki.revoke({ serial_number: second });
      await a.pki.rotateCrl();
      clock.now += 61_000;
      for (const serial of [first, second, first])
        expect(await statusOf(b, { issuer, serial })).toMatchObject({ reason: 0 });
      calls();
      expect(await statusOf(b, { issuer, serial: third })).toBe("good");
      expect(calls()).toEqual([]);
    });

  it("are replaced by the rows if a page that a CRL has counted is missing", async () => {
    const { a, issuer, serials, memory, stores, clock } = await withLeaves(1);
    const [serial = ""] = serials;
    await a.pki.revoke({ serial_number: serial });
    await a.pki.rotateCrl();
    expect(await statusOf(a, { issuer, serial })).toMatchObject({ reason: 0 });
    const store = memory(await mountOf(a));
    const [page] = await store.list("crlpage/");
    await store.commit({ del: [page?.[0] ?? ""] });
    const b = authority({ clock, seed: 2, stores });
    for (const one of [b, a])
      for (let n = 0; n < 3; n++) {
        clock.now += 1000;
        expect(await statusOf(one, { issuer, serial })).toMatchObject({ reason: 0 });
      }
  });

  it("are replaced by the rows if a page cannot be decoded", async () => {
    const { issuer, serials, memory, clock, a } = await withLeaves(2);
    const [first = "", second = ""] = serials;
    await a.pki.revoke({ serial_number: first });
    const stores = (name: string): Store => ({
      ...memory(name),
      get: async (keys) => {
        if (keys.some((key) => key.startsWith("crlpage/"))) throw new Error("damaged value");
        return memory(name).get(keys);
      },
    });
    const b = authority({ clock, seed: 2, stores });
    for (let n = 0; n < 3; n++) {
      expect(await statusOf(b, { issuer, serial: first })).toMatchObject({ reason: 0 });
      expect(await statusOf(b, { issuer, serial: second })).toBe("good");
    }
  });

  it("omit what tidy removes from a page and from the rows", async () => {
    const { a, issuer, serials, memory, clock } = await withLeaves(2);
    for (const serial_number of serials) await a.pki.revoke({ serial_number });
    await statusOf(a, { issuer, serial: serials[0] ?? "" });
    const store = memory(await mountOf(a));
    const [page] = await store.list("crlpage/");
    // pages hold bytes
    const bytes = page?.[1].value as Uint8Array;
    const rest = bytes.subarray(2 + (bytes[1] ?? 0));
    const gone = (serials[0] ?? "").replaceAll(":", "");
    await store.commit({ put: [[page?.[0] ?? "", rest]], del: [`revoked/${gone}`] });
    clock.now += 1000;
    expect(await statusOf(a, { issuer, serial: serials[0] ?? "" })).toBe("good");
    expect(await statusOf(a, { issuer, serial: serials[1] ?? "" })).toMatchObject({ reason: 0 });
  });

  it("include an entry that moves to another page while pages are read", async () => {
    const { a, issuer, serials, memory, clock } = await withLeaves(2);
    for (const serial_number of serials) await a.pki.revoke({ serial_number });
    const store = memory(await mountOf(a));
    const [page] = await store.list("crlpage/");
    const bytes = page?.[1].value as Uint8Array;
    const length = 2 + (bytes[1] ?? 0);
    const next = `${page?.[0].slice(0, -1)}1`;
    await store.commit({
      put: [
        [next, bytes.subarray(length)],
        [page?.[0] ?? "", bytes.subarray(0, length)],
      ],
    });
    const rows = new Map<string, Row>();
    const b = authority({
      clock,
      seed: 2,
      stores: (name) => ({
        ...memory(name),
        list: async (prefix, how) => {
          const listed = await memory(name).list(prefix, how);
          if (prefix !== "crlpage/" || rows.size > 0) return listed;
          for (const [key, row] of listed) rows.set(key, row);
          // moves both entries to the first page after the pages were listed
          await store.commit({ put: [[page?.[0] ?? "", bytes]], del: [next] });
          return listed;
        },
      }),
    });
    for (const serial of serials)
      expect(await statusOf(b, { issuer, serial })).toMatchObject({ reason: 0 });
    clock.now += 1000;
    for (const serial of serials)
      expect(await statusOf(b, { issuer, serial })).toMatchObject({ reason: 0 });
  });

  it("include a revoked root that is on no CRL, even after it was deleted and another has its key and name", async () => {
    const a = authority();
    const root = await a.root();
    const again = await a.pki.generateRootFromKey({
      common_name: "Root CA",
      key_ref: root.key_id,
      issuer_name: "again",
      ttl: "70000h",
    });
    await a.role("web");
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test" });
    await a.pki.revoke({ serial_number: leaf.serial_number });
    const serial = toHex(certificateIn(root.certificate).serial);
    const wanted = { issuer: again.certificate, serial };
    expect(await statusOf(a, wanted)).toBe("good");
    await a.pki.revokeIssuer({ issuer_ref: root.issuer_id });
    expect(await statusOf(a, wanted)).toMatchObject({ reason: 0 });
    await a.pki.deleteIssuer({ issuer_ref: root.issuer_id });
    expect(await statusOf(a, wanted)).toMatchObject({ reason: 0 });
  });
});
