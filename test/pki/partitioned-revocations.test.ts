import { describe, expect, it } from "vitest";
import { concat, toHex } from "../../src/base/bytes.ts";
import { placementOf } from "../../src/engine/placement-rules.ts";
import type { Batch, Store, Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import { partitionedStore } from "../../src/store/partitions/partitioned-store.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { authority, type Authority } from "../support/authority.ts";
import { unreachable } from "../support/faulty.ts";
import { fresh, gathered } from "../sys/backup/kept.ts";
import { hexOf, inFour, keysIn } from "./in-four.ts";
import { statusOf } from "./ocsp/asking.ts";
import { hour, over, tidying } from "./tidy/tidying.ts";

const entriesIn = (bytes: unknown): readonly string[] =>
  // pages only contain bytes
  [...eachRevoked({ entries: bytes as Uint8Array })].map(({ serial }) => toHex(serial));
/** Returns the serial numbers of the CRL entries in a store. */
const pagesIn = async (store: Store): Promise<readonly string[]> =>
  (await store.list("crlpage/")).flatMap(([, { value }]) => entriesIn(value)).toSorted();
const listed = async (a: Authority, path = "crl"): Promise<readonly string[]> =>
  [...eachRevoked(parseCrl((await a.call("GET", `pki/${path}`)).bytes))]
    .map(({ serial }) => toHex(serial))
    .toSorted();
const plain = (serials: readonly string[]): readonly string[] => serials.map(hexOf).toSorted();
/** The repairs that were logged: there are none unless storage was damaged. */
const repairs = ({ events }: Authority): number =>
  events.filter(({ endpoint }) => endpoint === "crl entries").length;

interface Watched {
  readonly stores: Stores;
  /** Called with each batch before its commit, and the number of the partition. */
  watch: (partition: number, batch: Batch) => Promise<void> | undefined;
}
/** Returns stores whose mounts have four partitions, over other stores, whose commits are watched. */
function watchedInFour(inner: Stores = memoryStore()): Watched {
  const watched: Watched = { stores: inner, watch: () => undefined };
  const opened = new Map<string, Store>();
  const partition = (name: string, at: number): Store => {
    const store = inner(at === 0 ? name : `${name}.${at}`);
    const commit: Store["commit"] = async (batch) => {
      await watched.watch(at, batch);
      return store.commit(batch);
    };
    return { ...store, commit };
  };
  const open = (name: string): Store => {
    if (!/^[\da-f]{8}-/.test(name)) return inner(name);
    const all = Array.from({ length: 4 }, (_, at) => partition(name, at));
    const store = opened.get(name) ?? partitionedStore(all, placementOf(pkiPlacement, 4));
    opened.set(name, store);
    return store;
  };
  return Object.assign(watched, { stores: Object.assign(open, { durable: false as const }) });
}

/** Creates an authority with four partitions that builds a delta CRL each second. */
async function withDeltas() {
  const it = await inFour();
  await it.a.pki.writeCrlConfig({
    auto_rebuild: true,
    enable_delta: true,
    delta_rebuild_interval: "1s",
  });
  return it;
}
/** Returns those serial numbers whose CRL entries are in the second partition. */
async function inSecond(
  [, partition]: readonly Store[],
  serials: readonly string[],
): Promise<readonly string[]> {
  if (!partition) throw new TypeError("no second partition");
  const own = new Set(await pagesIn(partition));
  const some = plain(serials).filter((serial) => own.has(serial));
  expect(some.length).toBeGreaterThan(1);
  return some;
}
/**
 * Moves all CRL entries of the second partition to one series, as if its pages were full. `pages`:
 * the serial numbers in each page.
 */
async function joinSeries(
  [, partition]: readonly Store[],
  pages: readonly (readonly string[])[],
): Promise<void> {
  if (!partition) throw new TypeError("no second partition");
  const rows = await partition.list("crlpage/");
  const entries = new Map(
    // pages only contain bytes
    rows.flatMap(([, { value }]) =>
      [...eachRevoked({ entries: value as Uint8Array })].map((one) => [toHex(one.serial), one.der]),
    ),
  );
  const prefix = (rows[0]?.[0] ?? "").slice(0, -8);
  await partition.commit({
    del: rows.map(([key]) => key),
    put: pages.map((serials, at) => [
      `${prefix}${String(at).padStart(8, "0")}`,
      concat(serials.map((serial) => entries.get(serial) ?? new Uint8Array())),
    ]),
  });
}

/** Alters the first byte of each page of CRL entries. */
async function alterPages(store: Store): Promise<void> {
  for (const [key, { value }] of await store.list("crlpage/")) {
    // pages only contain bytes
    const altered = new Uint8Array(value as Uint8Array);
    altered[0] = 0;
    await store.commit({ put: [[key, altered]] });
  }
}

describe("revocations of a mount with four partitions", () => {
  it("are in the partition of their certificate, with their CRL entry", async () => {
    const { a, partitions, issue, revoke } = await inFour();
    const serials = await issue(24);
    await revoke(serials.slice(0, 20));
    const certificates = await keysIn(partitions, "cert/");
    const revoked = plain(serials.slice(0, 20));
    for (const [at, store] of partitions.entries()) {
      const own = certificates[at]?.filter((serial) => revoked.includes(serial)) ?? [];
      expect(own.length).toBeGreaterThan(0);
      expect((await keysIn([store], "revoked/"))[0]).toEqual(own);
      expect(await pagesIn(store)).toEqual(own);
    }
    expect(await listed(a)).toEqual(revoked);
    expect(repairs(a)).toBe(0);
  });

  it("take one commit in one partition each", async () => {
    const watched = watchedInFour();
    const a = authority({ stores: watched.stores });
    await a.root();
    await a.role("web");
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
    const { issue, revoke } = await over(a);
    for (const serial of await issue(8)) {
      const commits: number[] = [];
      watched.watch = (at) => void commits.push(at);
      await revoke([serial]);
      expect(commits).toEqual([placementOf(pkiPlacement, 4).placeOf(`revoked/${hexOf(serial)}`)]);
    }
  });

  it("found by a search are in every partition, and on the CRL", async () => {
    const { a, partitions, issue } = await inFour();
    const serials = await issue(24);
    const done = await a.pki.revokeFound({ role: "web" });
    expect([done.revoked, done.already_revoked]).toEqual([24, 0]);
    expect(done.keys.map(hexOf).toSorted()).toEqual(plain(serials));
    expect((await keysIn(partitions, "revoked/")).every((own) => own.length > 0)).toBe(true);
    expect(await listed(a)).toEqual(plain(serials));
    expect((await a.pki.revokeFound({ role: "web" })).already_revoked).toBe(24);
  });

  it("are in a delta CRL until the next complete one, even after tidy rewrote their pages", async () => {
    const { a, issue, revoke, tidy } = await withDeltas();
    const short = await issue(12);
    const [long, late] = [await issue(8, "900h"), await issue(8, "900h")];
    await revoke([...short, ...long]);
    await a.call("GET", "pki/crl/rotate");
    expect(await listed(a)).toHaveLength(20);
    a.clock.advance(2 * hour);
    await revoke(late);
    await tidy({ tidy_revoked_certs: true, safety_buffer: "1s" });
    a.clock.advance(2);
    await a.ca.tick();
    expect(await listed(a, "crl/delta")).toEqual(plain(late));
    await a.call("GET", "pki/crl/rotate");
    expect(await listed(a)).toEqual(plain([...long, ...late]));
    expect(await listed(a, "crl/delta")).toEqual([]);
    expect(repairs(a)).toBe(0);
  });

  it("are in a delta CRL if tidy rewrote pages that no complete CRL includes", async () => {
    const { a, partitions, issue, revoke, tidy } = await withDeltas();
    await a.call("GET", "pki/crl/rotate");
    const [short, long] = [await issue(24), await issue(24, "900h")];
    await revoke([...short, ...long]);
    const ended = await inSecond(partitions, short);
    const valid = await inSecond(partitions, long);
    await joinSeries(partitions, [
      [...ended.slice(0, 1), ...valid.slice(0, 1)],
      [...ended.slice(1), ...valid.slice(1)],
    ]);
    a.clock.advance(2 * hour);
    await tidy({ tidy_revoked_certs: true, safety_buffer: "1s" });
    a.clock.advance(2);
    await a.ca.tick();
    expect([await listed(a, "crl/delta"), repairs(a)]).toEqual([plain(long), 0]);
  });

  it("are in a delta CRL if they are in a page that tidy deleted before, or in the preceding page", async () => {
    const { a, partitions, issue, revoke, tidy } = await withDeltas();
    const [short, long, late] = [await issue(24), await issue(24, "900h"), await issue(24, "900h")];
    await revoke([...short, ...long]);
    const ended = await inSecond(partitions, short);
    const valid = await inSecond(partitions, long);
    await joinSeries(partitions, [valid, ended]);
    await a.call("GET", "pki/crl/rotate");
    a.clock.advance(2 * hour);
    await tidy({ tidy_revoked_certs: true, safety_buffer: "1s" });
    await revoke(late);
    const added = await inSecond(partitions, late);
    await joinSeries(partitions, [[...valid, ...added.slice(0, 1)], added.slice(1)]);
    a.clock.advance(2);
    await a.ca.tick();
    expect([await listed(a, "crl/delta"), repairs(a)]).toEqual([plain(late), 0]);
  });

  it("are rebuilt from the rows if pages of a partition are altered or lost, even after a crash", async () => {
    const watched = watchedInFour();
    const a = authority({ stores: watched.stores });
    await a.root();
    await a.role("web");
    const { store, issue, revoke } = await over(a);
    const serials = await issue(24);
    await revoke(serials);
    const partition = store.partitions?.[2];
    if (!partition) throw new TypeError("no third partition");
    const pages = await partition.list("crlpage/");
    const [first = "", second = ""] = pages.map(([key]) => key);
    const altered = new Uint8Array(pages[0]?.[1].value as Uint8Array);
    altered[12] = (altered[12] ?? 0) ^ 1;
    await partition.commit({ put: [[first, altered]], del: [second] });
    // the process stops between the digests and the pages
    watched.watch = (at, { put = [] }) =>
      at === 2 && put.some(([key]) => key.startsWith("crlpage/")) ? unreachable() : undefined;
    a.events.length = 0;
    await a.call("GET", "pki/crl/rotate");
    watched.watch = () => undefined;
    expect(repairs(a)).toBe(0);
    await a.call("GET", "pki/crl/rotate");
    expect(repairs(a)).toBeGreaterThan(0);
    expect(await listed(a)).toEqual(plain(serials));
    expect(await pagesIn(partition)).toEqual((await keysIn([partition], "revoked/"))[0]);
    a.events.length = 0;
    await revoke(await issue(8));
    await a.call("GET", "pki/crl/rotate");
    expect([repairs(a), (await listed(a)).length]).toEqual([0, 32]);
  });

  it("are rebuilt from an altered page after their certificates have expired", async () => {
    const { a, partitions, issue, revoke } = await inFour();
    const serials = await issue(24, "1h");
    await revoke(serials);
    for (const partition of partitions) await alterPages(partition);
    a.clock.advance(2 * hour);
    for (let builds = 0; builds < 40; builds++) await a.call("GET", "pki/crl/rotate");
    expect(repairs(a)).toBeGreaterThan(0);
    expect(await listed(a)).toEqual(plain(serials));
    const { certificate: issuer } = await a.pki.readIssuer({ issuer_ref: "default" });
    expect(await statusOf(a, { issuer, serial: hexOf(serials[0] ?? "") })).toMatchObject({
      reason: 0,
    });
  });
});

/** Returns the jobs that a batch deletes without expecting their revision. */
const unexpectedBuilds = ({ expect: expected = [], del = [] }: Batch): readonly string[] =>
  del.filter((key) => /^job\/\d+\/crl\//.test(key) && !expected.some(([one]) => one === key));

/** Mounts with four partitions: new, or restored from one partition with all pages at home. */
const origins = ["in four partitions", "in one partition before"] as const;
async function revokedIn(origin: (typeof origins)[number]) {
  const watched = watchedInFour();
  const isNew = origin === "in four partitions";
  const first = await tidying({ stores: isNew ? watched.stores : memoryStore() });
  const short = await first.issue(14);
  const long = await first.issue(4, "900h");
  await first.revoke([...short.slice(0, 8), ...long, ...short.slice(8, 12)]);
  const { clock } = first.a;
  if (isNew) return { ...first, watched, short, long };
  const b = fresh({ stores: watched.stores, clock });
  await b.ca.restore("pki", await gathered(first.a.ca.backup("pki")));
  return { ...(await over(b)), watched, short, long };
}

it.each(origins)(
  "revocations that were made %s are rebuilt from altered pages after their certificates have expired",
  async (origin) => {
    const { a, store, long, short } = await revokedIn(origin);
    await alterPages(store);
    a.clock.advance(100 * hour);
    for (let builds = 0; builds < 40; builds++) await a.call("GET", "pki/crl/rotate");
    const done = repairs(a);
    expect(done).toBeGreaterThan(0);
    expect(await listed(a)).toEqual(plain([...long, ...short.slice(0, 12)]));
    await a.call("GET", "pki/crl/rotate");
    expect(repairs(a)).toBe(done);
  },
);

describe.each(origins)("tidying revocations that were made %s", (origin) => {
  it("continues after a crash at any commit, with CRLs that agree with the rows each time", async () => {
    let isPast = false;
    for (let stop = 1; !isPast; stop++) {
      const { a, watched, long, short } = await revokedIn(origin);
      a.clock.advance(100 * hour);
      await a.pki.tidy({ tidy_cert_store: true, tidy_revoked_certs: true, page_size: 5 });
      let commits = 0;
      const unexpected: string[] = [];
      // the host crashes: none of its writes arrives any more
      watched.watch = (_, batch) => {
        unexpected.push(...unexpectedBuilds(batch));
        return ++commits >= stop ? unreachable() : undefined;
      };
      await a.ca.tick();
      // otherwise a job that a revocation has put again could be deleted
      expect([stop, unexpected]).toEqual([stop, []]);
      isPast = commits < stop;
      watched.watch = () => undefined;
      const again = await over(authority({ stores: watched.stores, clock: a.clock }));
      // a complete build that reads all revocations
      await again.a.call("GET", "pki/crl/rotate");
      const shown = await listed(again.a);
      expect(shown).toEqual(expect.arrayContaining([...plain(long)]));
      expect([...plain(long), ...plain(short)]).toEqual(expect.arrayContaining([...shown]));
      expect([stop, repairs(again.a)]).toEqual([stop, 0]);
      again.a.clock.advance(700);
      expect(await again.finish()).toMatchObject({ state: "Finished" });
      expect((await again.keys("revoked/")).map((key) => key.slice(8))).toEqual(plain(long));
      expect(await pagesIn(again.store)).toEqual(plain(long));
      await again.a.call("GET", "pki/crl/rotate");
      expect(await listed(again.a)).toEqual(plain(long));
      expect([stop, repairs(again.a)]).toEqual([stop, 0]);
    }
  });
});

it("tidying pages while another process builds the CRL is not mistaken for damage", async () => {
  const { a, watched, long } = await revokedIn("in four partitions");
  const b = authority({ stores: watched.stores, clock: a.clock });
  a.clock.advance(100 * hour);
  let builds = 0;
  let isBuilding = false;
  watched.watch = async (at, { put = [], del = [] }) => {
    const isRewrite = [...put.map(([key]) => key), ...del].some((key) =>
      key.startsWith("crlpage/"),
    );
    if (at === 0 || isBuilding || !isRewrite) return;
    isBuilding = true;
    await b.call("GET", "pki/crl/rotate");
    builds++;
    isBuilding = false;
  };
  const { tidy } = await over(a);
  expect(await tidy({ tidy_revoked_certs: true })).toMatchObject({
    state: "Finished",
    revoked_cert_deleted_count: 12,
  });
  watched.watch = () => undefined;
  expect(builds).toBeGreaterThan(5);
  for (const one of [a, b]) {
    await one.call("GET", "pki/crl/rotate");
    expect([await listed(one), repairs(one)]).toEqual([plain(long), 0]);
  }
});

describe("a mount that was restored into four partitions", () => {
  it("revokes an issuer whose certificate is in another partition, even if that is interrupted", async () => {
    const first = await tidying({ stores: memoryStore() });
    const { placeOf } = placementOf(pkiPlacement, 4);
    let [serial, issuer_ref] = ["", ""];
    while (serial === "") {
      const { csr } = await first.a.pki.generateIntermediate({
        common_name: "Issuing CA",
        key_type: "ec",
      });
      const signed = await first.a.pki.signIntermediate({ csr, ttl: "900h" });
      const { certificate } = signed;
      const { imported_issuers } = await first.a.pki.setSigned({ certificate });
      if (placeOf(`cert/${hexOf(signed.serial_number)}`) === 0) continue;
      [serial, issuer_ref] = [signed.serial_number, imported_issuers?.[0] ?? ""];
    }
    const watched = watchedInFour();
    const { clock } = first.a;
    const a = fresh({ stores: watched.stores, clock });
    await a.ca.restore("pki", await gathered(first.a.ca.backup("pki")));
    const revoke = () => a.call("POST", `pki/issuer/${issuer_ref}/revoke`, {});
    watched.watch = (_, { put = [] }) =>
      put.some(([key]) => key.startsWith("revoked/")) ? unreachable() : undefined;
    expect((await revoke()).status).toBe(503);
    watched.watch = () => undefined;
    const revokedAt = Math.floor(clock.now / 1000);
    clock.advance(5);
    expect((await revoke()).data["revocation_time"]).toBe(revokedAt);
    expect((await a.call("GET", `pki/cert/${serial}`)).data["revocation_time"]).toBe(revokedAt);
    expect(await listed(a)).toContain(hexOf(serial));
    clock.advance(100 * hour);
    await a.call("GET", "pki/crl/rotate");
    expect([repairs(a), await listed(a)]).toEqual([0, [hexOf(serial)]]);
  });

  it("returns the OCSP status of certificates that were revoked before and after", async () => {
    const { a, issue, revoke, short } = await revokedIn("in one partition before");
    const issuer = (await a.pki.readIssuer({ issuer_ref: "default" })).certificate;
    const [valid = "", later = ""] = await issue(2);
    await revoke([later]);
    const statuses = await Promise.all(
      [short[0] ?? "", later, valid].map((serial) => statusOf(a, { issuer, serial })),
    );
    expect(statuses).toEqual([
      expect.objectContaining({ revokedAt: expect.any(Number) }),
      expect.objectContaining({ revokedAt: expect.any(Number) }),
      "good",
    ]);
  });
});
