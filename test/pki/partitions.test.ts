import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { placementOf } from "../../src/engine/placement-rules.ts";
import type { Batch } from "../../src/engine/ports.ts";
import type { Store } from "../../src/index.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import { partitionedStore } from "../../src/store/partitions/partitioned-store.ts";
import { authority } from "../support/authority.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import { hexOf, inFour, keysIn } from "./in-four.ts";
import { caExtensions, deciding, plainCsr } from "../external/deciding.ts";
import { receiving, sink } from "../events/receiver.ts";
import { fresh, gathered, inParts } from "../sys/backup/kept.ts";
import { hour } from "./tidy/tidying.ts";

interface AuditRow {
  readonly store: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

describe("a mount with four partitions", () => {
  it("spreads certificates over its partitions, and stores each lease with its certificate", async () => {
    const { a, partitions, issue } = await inFour({ generate_lease: true });
    const issued = await issue(24);
    const certificates = await keysIn(partitions, "cert/");
    for (const own of certificates) expect(own.length).toBeGreaterThan(1);
    for (const [at, store] of partitions.entries()) {
      const leases = await store.list("lease/");
      const serials = leases.map(([, { value }]) => (value as { readonly serial: string }).serial);
      const root = certificates[at]?.filter((one) => !issued.map(hexOf).includes(one)) ?? [];
      expect([...serials, ...root].sort()).toEqual(certificates[at]);
      // the root is stored with its issuer
      expect(root).toHaveLength(at === 0 ? 1 : 0);
    }
    const listed = (await a.call("LIST", "pki/certs")).data["keys"] as readonly string[];
    expect(listed.filter((serial) => issued.includes(serial))).toEqual([...issued].sort());
  });

  it("revokes certificates of all partitions, and lists them together", async () => {
    const { a, issue, revoke } = await inFour();
    const serials = await issue(12);
    await revoke(serials.slice(0, 6));
    for (const serial of serials.slice(0, 6)) {
      const { data } = await a.call("GET", `pki/cert/${serial}`);
      expect(data["revocation_time"]).toBe(Math.floor(a.clock.now / 1000));
    }
    expect((await a.call("LIST", "pki/certs/revoked")).data["keys"]).toHaveLength(6);
    // a repeated revocation changes nothing
    await revoke(serials.slice(0, 6));
    expect((await a.call("LIST", "pki/certs/revoked")).data["keys"]).toHaveLength(6);
  });

  it("stores a presented certificate in its partition and revokes it", async () => {
    const { a, partitions } = await inFour({ no_store: true });
    const serials: string[] = [];
    for (let i = 0; i < 8; i++) {
      const { certificate, serial_number } = await a.pki.issue({
        role: "web",
        common_name: "a.test",
      });
      expect(await a.pki.revoke({ certificate })).toMatchObject({ state: "revoked" });
      serials.push(hexOf(serial_number));
    }
    const stored = await keysIn(partitions, "cert/");
    expect(stored.flat().filter((serial) => serials.includes(serial))).toHaveLength(8);
    expect(stored.slice(1).flat().length).toBeGreaterThan(0);
    const revoked = await keysIn(partitions, "revoked/");
    expect(revoked).toEqual(
      stored.map((own) => own.filter((serial) => serials.includes(serial)).toSorted()),
    );
  });

  it("revokes the leases of all partitions", async () => {
    const { a, partitions, issue } = await inFour({ generate_lease: true });
    const serials = await issue(12);
    const { status } = await a.call("POST", "sys/leases/revoke-prefix/pki/issue/web", {
      sync: true,
    });
    expect(status).toBeLessThan(300);
    expect((await keysIn(partitions, "lease/")).flat()).toEqual([]);
    const revoked = (await a.call("LIST", "pki/certs/revoked")).data["keys"];
    expect(revoked).toEqual([...serials].sort());
  });

  it("tidies expired certificates and revocations of all partitions", async () => {
    const { a, partitions, issue, revoke, tidy } = await inFour();
    const serials = await issue(16);
    await revoke(serials.slice(0, 8));
    a.clock.advance(10 * hour);
    const status = await tidy({
      tidy_cert_store: true,
      tidy_revoked_certs: true,
      safety_buffer: "1s",
    });
    expect(status).toMatchObject({ state: "Finished" });
    // only the root is left
    expect((await keysIn(partitions, "cert/")).flat()).toHaveLength(1);
    expect((await keysIn(partitions, "revoked/")).flat()).toEqual([]);
  });

  it("issues nothing under a role that another process has replaced", async () => {
    const { a, partitions, issue } = await inFour();
    await issue(1);
    // another process changes the role
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    await b.role("web", { allowed_domains: ["b.test"], allow_any_name: false });
    const before = (await keysIn(partitions, "cert/")).flat().length;
    const refused = await a.call("POST", "pki/issue/web", { common_name: "h.test" });
    expect(refused.status).toBe(400);
    expect((await keysIn(partitions, "cert/")).flat()).toHaveLength(before);
  });

  it("lists and counts the audit events of all partitions", async () => {
    const { a, partitions, issue } = await inFour();
    const serials = await issue(12);
    const logs = await Promise.all(partitions.map((store) => store.list("audit/change/")));
    for (const log of logs) expect(log.length).toBeGreaterThan(0);
    const filter = "endpoint=issue&mount=pki";
    const { data } = await a.call("GET", `sys/audit/events?list=true&${filter}`);
    const listed = Object.values(data["key_info"] as Readonly<Record<string, AuditRow>>);
    expect(listed.map(({ fields }) => fields["serial"]).sort()).toEqual(serials.map(hexOf).sort());
    expect(new Set(listed.map(({ store }) => store)).size).toBeGreaterThan(1);
    const counted = await a.call("GET", "sys/audit/counts?mount=pki");
    const counts = counted.data["counts"] as readonly { endpoint: string; count: number }[];
    const issued = counts.filter(({ endpoint }) => endpoint === "issue");
    expect(issued.map(({ count }) => count)).toEqual([12]);
  });

  it("delivers the events of all partitions to sinks once", async () => {
    const { stores, partitionsOf } = partitionedStores(4);
    const { a, received } = await receiving({ stores });
    await a.call("POST", "sys/events/sinks/ops", sink);
    await a.ca.tick();
    const serials: string[] = [];
    for (let i = 0; i < 12; i++)
      serials.push((await a.pki.issue({ role: "web", common_name: "a.test" })).serial_number);
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const stored = await keysIn(partitionsOf(uuid), "event/");
    expect(stored.flat()).toHaveLength(12);
    expect(stored.slice(1).flat().length).toBeGreaterThan(0);
    const read = async () => (await a.call("GET", "sys/events/sinks/ops")).data;
    expect(await read()).toMatchObject({ waiting: 12 });
    a.clock.advance(10);
    await a.ca.tick();
    await expect.poll(async () => (await read())["delivered"]).toBe(12);
    expect(received.map(({ event }) => event.subject).sort()).toEqual([...serials].sort());
    // the last sink is deleted with the stored events of all partitions
    await a.call("DELETE", "sys/events/sinks/ops");
    a.clock.advance(10);
    await a.ca.tick();
    expect((await keysIn(partitionsOf(uuid), "event/")).flat()).toEqual([]);
  });

  it("queues revocation requests for certificates of any partition", async () => {
    const { a } = await inFour();
    await a.pki.writeCrlConfig({ auto_rebuild: true, cross_cluster_revocation: true });
    const serials = Array.from("0123456789abcdef", (digit) => `0a:1${digit}`);
    for (const serial_number of serials)
      expect((await a.pki.revoke({ serial_number })).state).toBe("pending");
    expect((await a.pki.listRevocationQueue({})).keys).toEqual(serials);
  });

  it("indexes the certificates of all partitions by start of validity", async () => {
    const { a, issue, partitions } = await inFour();
    const serials = await issue(12);
    // the state after an upgrade
    await partitions[0]?.commit({ del: ["search/newest"] });
    expect((await a.pki.searchCerts({ order: "newest" })).order).toBe("");
    for (let i = 0; i < 5; i++) await a.ca.tick();
    const { order, keys } = await a.pki.searchCerts({ order: "newest" });
    expect(order).toBe("newest");
    expect(keys).toHaveLength(13);
    expect(keys).toEqual(expect.arrayContaining(serials));
  });

  it("stores CA certificates in several partitions, under serial numbers of an external policy service", async () => {
    const { stores, partitionsOf } = partitionedStores(4);
    const it = await deciding({ stores });
    await it.a.pki.writeUrls({ crl_distribution_points: ["http://crl.test/crl"] });
    await it.a.pki.writeCrlConfig({ shards: 2 });
    it.answer = (asked) => it.yes(asked, { subject: "Sub CA", extensions: caExtensions(0) });
    for (let i = 0; i < 8; i++) {
      const csr = await plainCsr();
      const { status, text } = await it.post("external-policy/sign-intermediate/cas", { csr });
      expect(status, text).toBe(200);
    }
    const { uuid } = await it.a.sys.readMount({ path: "pki" });
    const stored = await keysIn(partitionsOf(uuid), "cert/41");
    expect(stored.flat()).toHaveLength(8);
    expect(stored.slice(1).flat().length).toBeGreaterThan(0);
  });

  it("deletes the rows of all partitions with the mount", async () => {
    const { a, partitions, issue } = await inFour();
    await issue(8);
    await a.call("DELETE", "sys/mounts/pki");
    const left = await keysIn(partitions, "");
    expect(left.map((keys) => keys.filter((key) => key !== "epoch"))).toEqual([[], [], [], []]);
  });

  it("completes a deletion that crashed between two partitions", async () => {
    const { stores, partitionsOf } = partitionedStores(4);
    const a = authority({ stores });
    await a.root();
    await a.role("web");
    for (let i = 0; i < 12; i++) await a.pki.issue({ role: "web", common_name: "a.test" });
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const partitions = partitionsOf(uuid);
    // another authority, which cannot clear the last partition; the first one keeps its stores open
    const lost = Object.assign(
      (name: string): Store => {
        const store = stores(name);
        if (name !== uuid) return store;
        const [last] = partitions.slice(-1);
        const commit = async (batch: Batch) => {
          if (batch.clear) throw new CaError("storage", "the partition cannot be reached");
          return last?.commit(batch);
        };
        const all = [...partitions.slice(0, 3), { ...last, commit } as Store];
        return partitionedStore(all, placementOf(pkiPlacement, 4));
      },
      { durable: false as const },
    );
    const b = authority({ stores: lost, clock: a.clock, seed: 2 });
    expect((await b.call("DELETE", "sys/mounts/pki")).status).toBe(503);
    const left = await keysIn(partitions, "cert/");
    expect(left.map((keys) => keys.length > 0)).toEqual([false, false, false, true]);
    // nothing can be issued, and the mount can be deleted again
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).status).not.toBe(200);
    expect((await a.call("DELETE", "sys/mounts/pki")).status).toBeLessThan(300);
    expect((await keysIn(partitions, "cert/")).flat()).toEqual([]);
    expect((await a.sys.listMounts())["pki/"]).toBeUndefined();
  });

  it.each([1, 4, 16])("restores a backup of four partitions into %i", async (count) => {
    const { a, uuid, issue, revoke } = await inFour();
    const serials = await issue(12);
    await revoke(serials.slice(0, 3));
    const parts = await inParts(a);
    const { stores, partitionsOf } = partitionedStores(count);
    const b = fresh({ stores, clock: a.clock });
    // an interrupted restore is repeated
    await b.ca.restore("pki", parts.slice(0, 3)).catch(() => undefined);
    await b.ca.restore("pki", parts);
    const before = (await a.stores(uuid).list("cert/")).map(([key, { value }]) => [key, value]);
    const after = (await b.stores(uuid).list("cert/")).map(([key, { value }]) => [key, value]);
    expect(after).toEqual(before);
    if (count > 1)
      expect((await keysIn(partitionsOf(uuid), "cert/")).slice(1).flat().length).toBeGreaterThan(0);
    await b.pki.issue({ role: "web", common_name: "b.test" });
    await b.pki.revoke({ serial_number: serials[5] ?? "" });
    expect((await b.call("LIST", "pki/certs/revoked")).data["keys"]).toHaveLength(4);
    // and restores that mount into four partitions again
    const c = fresh({ stores: partitionedStores(4).stores, clock: a.clock, seed: 3 });
    await c.ca.restore("pki", await gathered(b.ca.backup("pki")));
    expect((await c.call("LIST", "pki/certs")).data["keys"]).toHaveLength(14);
  });
});
