import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { mountTypes } from "../../../src/endpoints.ts";
import type { Mount } from "../../../src/engine/mount.ts";
import { Mounts } from "../../../src/engine/mounts.ts";
import { mergeBatches } from "../../../src/engine/merge-batches.ts";
import type { Batch, Ports, Store } from "../../../src/engine/ports.ts";
import { memoryStore } from "../../../src/index.ts";
import { type StoredPage, entryTable } from "../../../src/pki/crl/crl-pages.ts";
import { readNewEntries } from "../../../src/pki/crl/crl-entries.ts";
import { pageWithout } from "../../../src/pki/crl/crl-digest.ts";
import { eachRevoked, encodeRevokedEntry, parseCrl } from "../../../src/x509/crl.ts";
import { authority, seeded, type Authority } from "../../support/authority.ts";

interface Made {
  readonly a: Authority;
  readonly store: Store;
  readonly mount: Mount;
  readonly set: string;
}
/** Creates an authority that builds no CRL by itself, and the mount. */
async function made(): Promise<Made> {
  // with several partitions, the pages of a CRL would have other keys
  const a = authority({ stores: memoryStore() });
  await a.root();
  await a.role("web");
  await a.pki.writeCrlConfig({ auto_rebuild: true });
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  const store = a.stores(uuid);
  const set = ((await store.list("crlstate/"))[0]?.[0] ?? "").slice("crlstate/".length);
  // the vault is not used here
  const ports = { stores: a.stores, now: () => a.clock.now } as Ports;
  const mounts = new Mounts(ports, { types: Object.values(mountTypes), jobs: [] });
  return { a, store, set, mount: mounts.mount(uuid) };
}
async function revoked({ a }: Made, count: number): Promise<readonly string[]> {
  const gone: string[] = [];
  for (let i = 0; i < count; i++) {
    const { serial_number } = await a.pki.issue({
      role: "web",
      common_name: "a.test",
      ttl: "900h",
    });
    await a.pki.revoke({ serial_number });
    gone.push(serial_number.replaceAll(":", ""));
  }
  return gone.toSorted();
}
/** Stores revocations like another process. */
async function filled({ a, store, set }: Made, count: number): Promise<void> {
  const at = a.clock.now;
  for (let n = 0; n < count; n += 500) {
    const serials = Array.from({ length: 500 }, (_, i) =>
      Uint8Array.from([
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        (n + i) >> 8,
        (n + i) & 255,
      ]),
    );
    const entries = serials.flatMap((serial) => [
      ...encodeRevokedEntry({ serial, revokedAt: Math.floor(at / 1000) }),
    ]);
    await store.commit({
      put: serials.map((serial) => [`revoked/${toHex(serial)}`, { at, issuer: "", crl_set: set }]),
      append: [[`crlpage/${set}/`, Uint8Array.from(entries)]],
    });
  }
}
const serialsOf = (pages: readonly Uint8Array[]): readonly string[] =>
  pages
    .flatMap((page) => [...eachRevoked({ entries: page })].map(({ serial }) => toHex(serial)))
    .toSorted();
const listed = async ({ a }: Made): Promise<readonly string[]> =>
  serialsOf([parseCrl((await a.call("GET", "pki/crl")).bytes).entries]);
async function later({ mount, set }: Made): Promise<readonly string[] | undefined> {
  const found = await readNewEntries(mount, await mount.config(), set);
  if (found && "disagrees" in found) throw new Error(`${found.disagrees} disagrees`);
  return found && serialsOf(found.pages);
}
async function pageOf({ store, set }: Made, n = 0): Promise<StoredPage> {
  const found = (await store.list(`crlpage/${set}/`))[n];
  if (!found) throw new Error("no such page");
  const [key, { rev, value }] = found;
  return { key, rev, bytes: value as Uint8Array };
}
async function rewritten(...args: Parameters<typeof pageWithout>): Promise<Batch | undefined> {
  const change = await pageWithout(...args);
  return change && mergeBatches(change.digests, change.page);
}
const taking = (gone: readonly string[]) => (serial: Uint8Array) => gone.includes(toHex(serial));
const mendings = ({ a }: Made) => a.events.filter(({ endpoint }) => endpoint === "crl entries");

describe("the entries since the last complete CRL", () => {
  it("are those of later revocations, and together with that CRL's entries form the next CRL", async () => {
    const it = await made();
    const first = await revoked(it, 3);
    await it.a.pki.rotateCrl({});
    expect([await listed(it), await later(it)]).toEqual([first, []]);
    const more = await revoked(it, 2);
    expect([await listed(it), await later(it)]).toEqual([first, more]);
    await it.a.pki.rotateCrl({});
    expect([await listed(it), await later(it)]).toEqual([[...first, ...more].toSorted(), []]);
  });

  it("are read without the pages that are full and were counted", async () => {
    const it = await made();
    await filled(it, 2000);
    expect(await it.store.list(`crlpage/${it.set}/`)).toHaveLength(2);
    await it.a.pki.rotateCrl({});
    const more = await revoked(it, 1);
    const read: string[] = [];
    const { get } = it.store;
    it.store.get = async (keys) => (read.push(...keys), get(keys));
    expect(await later(it)).toEqual(more);
    const pages = read.filter((key) => key.startsWith("crlpage/"));
    expect(pages).toEqual([`crlpage/${it.set}/00000001`]);
  });

  it("are all found if they fill the last counted page and start others", async () => {
    const it = await made();
    const first = await revoked(it, 1);
    await it.a.pki.rotateCrl({});
    await filled(it, 2000);
    const more = await later(it);
    expect(more).toHaveLength(2000);
    await it.a.pki.rotateCrl({});
    expect(await listed(it)).toEqual([...first, ...(more ?? [])].toSorted());
  });

  it("are unknown after a row of digests in an unknown format, until the next build", async () => {
    const it = await made();
    await revoked(it, 1);
    const [key, row] = (await it.store.list("crlsum/"))[0] ?? [];
    expect(row?.value).toMatchObject({ pages: [] });
    await it.store.commit({ put: [[key ?? "", { length: 0, digests: [] }]] });
    expect(await later(it)).toBeUndefined();
    await it.a.pki.rotateCrl({});
    expect(await later(it)).toEqual([]);
  });

  it("are rejected if counted bytes have changed, or if an entry belongs to no revocation", async () => {
    const it = await made();
    await revoked(it, 1);
    await it.a.pki.rotateCrl({});
    await revoked(it, 1);
    const { key, bytes } = await pageOf(it);
    for (const at of [8, bytes.length - 20]) {
      const altered = bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
      await it.store.commit({ put: [[key, altered]] });
      await expect(later(it)).rejects.toThrow(`${it.set} disagrees`);
    }
    await it.store.commit({ put: [[key, bytes]] });
    expect(await later(it)).toHaveLength(1);
  });
});

describe("a page from which entries are removed", () => {
  it("keeps counted entries counted and later ones uncounted", async () => {
    const it = await made();
    const first = await revoked(it, 4);
    await it.a.pki.rotateCrl({});
    const more = await revoked(it, 4);
    const gone = [first[1], first[3], more[0]].map(String);
    const change = await rewritten(it.mount, await pageOf(it), taking(gone));
    await it.store.commit({
      ...change,
      del: [...(change?.del ?? []), ...gone.map((serial) => `revoked/${serial}`)],
    });
    expect(await later(it)).toEqual(more.slice(1));
    await it.a.pki.rotateCrl({});
    expect(await listed(it)).toEqual([first[0], first[2], ...more.slice(1)].toSorted());
    expect(mendings(it)).toEqual([]);
  });

  it("is deleted if empty, and the next revocation starts a new one", async () => {
    const it = await made();
    const first = await revoked(it, 2);
    await it.a.pki.rotateCrl({});
    const change = await rewritten(it.mount, await pageOf(it), taking(first));
    const rows = first.map((serial) => `revoked/${serial}`);
    expect(
      await it.store.commit({ ...change, del: [...(change?.del ?? []), ...rows] }),
    ).toBeDefined();
    expect(await it.store.list(`crlpage/${it.set}/`)).toEqual([]);
    expect(await later(it)).toEqual([]);
    const more = await revoked(it, 1);
    expect(await later(it)).toEqual(more);
    await it.a.pki.rotateCrl({});
    expect([await listed(it), mendings(it)]).toEqual([more, []]);
  });

  it("stays unchanged if it does not match the digest of a CRL", async () => {
    const it = await made();
    const first = await revoked(it, 2);
    await it.a.pki.rotateCrl({});
    const page = await pageOf(it);
    const bytes = page.bytes.map((byte, i) => (i === 8 ? byte ^ 1 : byte));
    expect(await rewritten(it.mount, { ...page, bytes }, taking(first))).toBeUndefined();
    const cut = { ...page, bytes: page.bytes.subarray(0, -1) };
    expect(await rewritten(it.mount, cut, taking(first))).toBeUndefined();
  });

  it("is not written if a revocation or a build intervened", async () => {
    const it = await made();
    const first = await revoked(it, 2);
    const beforeBuild = await rewritten(it.mount, await pageOf(it), taking(first));
    await it.a.pki.rotateCrl({});
    expect(await it.store.commit(beforeBuild ?? {})).toBeUndefined();
    const beforeRevocation = await rewritten(it.mount, await pageOf(it), taking(first));
    const more = await revoked(it, 1);
    expect(await it.store.commit(beforeRevocation ?? {})).toBeUndefined();
    await it.a.pki.rotateCrl({});
    expect(await listed(it)).toEqual([...first, ...more].toSorted());
  });
});

describe("entryTable", () => {
  it("finds serial numbers of any length in any page, and no others", () => {
    const random = seeded(4);
    const serials = Array.from({ length: 5000 }, (_, i) => {
      const serial = random(1 + (i % 20));
      serial[0] = 1 + (i % 255);
      return serial;
    });
    const of = serials.map((serial) => encodeRevokedEntry({ serial, revokedAt: 1_900_000_000 }));
    const pages = Array.from({ length: 7 }, (_, n) =>
      Uint8Array.from(of.filter((_, i) => i % 7 === n).flatMap((entry) => [...entry])),
    );
    const order = Array.from({ length: 7 }, (_, n) => serials.filter((_, i) => i % 7 === n)).flat();
    const table = entryTable(pages);
    const last = new Map(order.map((serial, i) => [toHex(serial), i]));
    for (const [serial, i] of last)
      expect(table.find(Uint8Array.from(Buffer.from(serial, "hex")))).toBe(i);
    expect(table.find(random(21))).toBeUndefined();
    expect(entryTable([]).find(random(3))).toBeUndefined();
  });
});
