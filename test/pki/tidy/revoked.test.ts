import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { memoryStore } from "../../../src/index.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { ageRevocation, hour, keyOf, revokeLike, tidying, type Tidying } from "./tidying.ts";

/** Returns the serial numbers in an issuer's CRL, in the form of row keys. */
async function listed({ a }: Tidying, issuer_ref = "default"): Promise<readonly string[]> {
  // cached reads may be used for a second
  a.clock.advance(2);
  const list = await a.call("GET", `pki/issuer/${issuer_ref}/crl/der`);
  return [...eachRevoked(parseCrl(list.bytes))].map(({ serial }) => toHex(serial)).sort();
}
const plain = (serials: readonly string[]) => serials.map((one) => one.replaceAll(":", "")).sort();

describe("tidying revoked certificates", () => {
  it("B 3.1 tidy_revoked_certs, B 3.1 revoked: removes entry, row and certificate of expired revocations, and rebuilds the CRL", async () => {
    const t = await tidying();
    const { a, issue, revoke, keys, tidy } = t;
    const short = await issue(7);
    const long = await issue(3, "900h");
    const live = await issue(2);
    await revoke([...short.slice(0, 3), ...long, ...short.slice(3)]);
    expect(await listed(t)).toEqual(plain([...short, ...long]));
    a.clock.advance(74 * hour);
    const number = (await a.pki.readIssuerCrl({ issuer_ref: "root" })).crl;
    expect(await tidy({ tidy_revoked_certs: true, page_size: 5 })).toMatchObject({
      state: "Finished",
      revoked_cert_deleted_count: 7,
      cert_store_deleted_count: 0,
    });
    await a.ca.tick();
    expect(await listed(t)).toEqual(plain(long));
    expect((await a.pki.readIssuerCrl({ issuer_ref: "root" })).crl).not.toBe(number);
    expect((await a.pki.listRevoked({})).keys?.toSorted()).toEqual(long.toSorted());
    expect(await keys("cert/")).toHaveLength(3 + 2 + 1);
    expect(await keys("cert/")).toContain(keyOf("cert/", live[0] ?? ""));
    // and only the scheduled CRL jobs are left
    a.clock.advance(60);
    await a.ca.tick();
    expect((await keys("job/")).filter((key) => /\/(crl|tidy)\//.test(key))).toEqual([]);
    expect(a.events.filter(({ status }) => status === 500)).toEqual([]);
  });

  it("leaves the CRLs to the schedule with auto_rebuild, and the next build omits what was removed", async () => {
    const t = await tidying();
    const { a, issue, revoke, keys, tidy } = t;
    await a.pki.writeCrlConfig({ auto_rebuild: true, expiry: "2000h" });
    const [short = "", long = ""] = [...(await issue()), ...(await issue(1, "9000h"))];
    await revoke([short, long]);
    await a.pki.rotateCrl({});
    const before = await listed(t);
    expect(before).toEqual(plain([short, long]));
    a.clock.advance(100 * hour);
    expect(await tidy({ tidy_revoked_certs: true })).toMatchObject({
      revoked_cert_deleted_count: 1,
    });
    await a.ca.tick();
    expect((await keys("job/")).filter((key) => key.includes("/crl/"))).toEqual([]);
    expect(await listed(t)).toEqual(before);
    await a.pki.rotateCrl({});
    expect(await listed(t)).toEqual(plain([long]));
  });

  it("B 3.1 revoked_safety_buffer: applies to revocations, and safety_buffer to certificates", async () => {
    const t = await tidying();
    const { a, issue, revoke, tidy } = t;
    await revoke(await issue(2));
    a.clock.advance(10 * hour);
    const both = { tidy_revoked_certs: true, tidy_cert_store: true };
    expect(
      await tidy({ ...both, safety_buffer: "1h", revoked_safety_buffer: "20h" }),
    ).toMatchObject({
      revoked_cert_deleted_count: 0,
      cert_store_deleted_count: 2,
    });
    expect(await listed(t)).toHaveLength(2);
    expect(
      await tidy({ ...both, safety_buffer: "20h", revoked_safety_buffer: "1h" }),
    ).toMatchObject({
      revoked_cert_deleted_count: 2,
    });
    await a.ca.tick();
    expect(await listed(t)).toEqual([]);
  });

  it("reads the expiry from the certificate if an older row lacks it, stores it, and skips unknown ones", async () => {
    const t = await tidying();
    const { a, issue, revoke, store, keys, tidy } = t;
    const short = await issue(2);
    const [damaged = "", long = ""] = await issue(2, "900h");
    const serials = [...short, damaged, long];
    await revoke(serials);
    for (const serial of serials) await ageRevocation(store, serial);
    await store.commit({ put: [[keyOf("cert/", damaged), { der: Uint8Array.of(1, 2), crc: 3 }]] });
    a.clock.advance(100 * hour);
    expect(await tidy({ tidy_revoked_certs: true })).toMatchObject({
      revoked_cert_deleted_count: 2,
    });
    a.clock.advance(900 * hour);
    expect(await tidy({ tidy_revoked_certs: true })).toMatchObject({
      revoked_cert_deleted_count: 1,
    });
    expect(await keys("revoked/")).toEqual([keyOf("revoked/", damaged)]);
    await a.ca.tick();
    expect(await listed(t)).toEqual(plain([damaged]));
    // no known certificate has expired: the pages are not read again
    const lists: string[] = [];
    const { list } = store;
    store.list = (prefix, page) => (lists.push(prefix), list(prefix, page));
    await tidy({ tidy_revoked_certs: true });
    expect(lists).not.toContain("crlpage/");
  });

  it.each([
    // the first octet of the serial number: the entry stays well-formed
    ["a page names another certificate", (page: Uint8Array) => page.with(4, (page[4] ?? 0) ^ 16)],
    ["a page is lost", () => undefined],
  ] as const)("keeps the revocations of a CRL while %s", async (_, damage) => {
    const t = await tidying();
    const { a, issue, revoke, store, keys, tidy } = t;
    // no build is due while tidy runs, because it would repair the page
    await a.pki.writeCrlConfig({ expiry: "2000h" });
    await revoke(await issue());
    const before = await listed(t);
    a.clock.advance(100 * hour);
    // runs the due build now, because it would repair the page during tidy
    await a.ca.tick();
    const [[key, { value }] = ["", { value: undefined }]] = await store.list("crlpage/");
    // pages hold bytes
    const page = damage(value as Uint8Array);
    await store.commit(page ? { put: [[key, page]] } : { del: [key] });
    const body = { tidy_revoked_certs: true };
    expect(await tidy(body)).toMatchObject({ revoked_cert_deleted_count: 0 });
    expect(await keys("revoked/")).toHaveLength(1);
    expect(await listed(t)).toEqual(before);
    // the next build repairs the page
    await a.pki.rotateCrl({});
    expect(await tidy(body)).toMatchObject({ revoked_cert_deleted_count: 1 });
    await a.ca.tick();
    expect(await listed(t)).toEqual([]);
  });

  it("removes expired revoked issuers, whether they are on a parent's CRL or not", async () => {
    const t = await tidying();
    const { a, store, keys, tidy } = t;
    await a.root({ common_name: "Alone", issuer_name: "alone", ttl: "10h" });
    await a.pki.revokeIssuer({ issuer_ref: "alone" });
    const below = await a.intermediate({ issuer_ref: "root", ttl: "20h" });
    await a.pki.revokeIssuer({ issuer_ref: below.id });
    expect(await keys("revoked/")).toHaveLength(2);
    expect(await listed(t, "root")).toHaveLength(1);
    a.clock.advance(85 * hour);
    expect(await tidy({ tidy_revoked_certs: true })).toMatchObject({
      revoked_cert_deleted_count: 1,
    });
    expect(await listed(t, "root")).toHaveLength(1);
    a.clock.advance(20 * hour);
    expect(await tidy({ tidy_revoked_certs: true })).toMatchObject({
      revoked_cert_deleted_count: 1,
    });
    await a.ca.tick();
    expect([await keys("revoked/"), await keys("revokedissuer/")]).toEqual([[], []]);
    expect(await listed(t, "root")).toEqual([]);
    expect(await store.list("crlpage/")).toEqual([]);
    // a deep build does not bring them back either
    a.clock.advance(100 * hour);
    await a.ca.tick();
    expect(await listed(t, "root")).toEqual([]);
    expect(a.events.filter(({ status }) => status === 500)).toEqual([]);
  });

  it("handles at most 500 entries per step, and removes concurrent revocations with their rows or not at all", async () => {
    // with several partitions, pages have fewer entries
    const t = await tidying({ stores: memoryStore() });
    const { a, issue, revoke, store, status } = t;
    const [serial = "", ...more] = await issue(3);
    await revoke([serial]);
    await revokeLike(store, serial, 2200);
    a.clock.advance(100 * hour);
    await a.pki.writeCrlConfig({ allow_expired_cert_revocation: true });
    await a.pki.tidy({ tidy_revoked_certs: true, pause_duration: "1s" });
    const seen: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      await a.ca.tick();
      seen.push((await status())["revoked_cert_deleted_count"]);
      if (i === 1) await revoke(more);
      a.clock.advance(1);
    }
    expect(seen.slice(0, 2)).toEqual([500, 1000]);
    expect(await status()).toMatchObject({ state: "Finished" });
    await a.ca.tick();
    expect(await t.keys("revoked/")).toEqual([]);
    expect(await listed(t)).toEqual([]);
    expect(a.events.filter(({ status: code }) => code === 500)).toEqual([]);
  });
});
