import { describe, expect, it } from "vitest";
import { memoryStore, type Batch, type Stores } from "../../src/index.ts";
import { toHex } from "../../src/base/bytes.ts";
import { leaseEntry } from "../../src/engine/lease-records.ts";
import { authority, start, type Authority, type AuthorityOptions } from "../support/authority.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { storedPki } from "../../src/pki/rows/records.ts";

const hour = 3600;
interface Leased {
  readonly lease: string;
  readonly serial: string;
}
async function issued(a: Authority, role = "web", ttl = "10h"): Promise<Leased> {
  const { json, data } = await a.call("POST", `pki/issue/${role}`, { common_name: "a.test", ttl });
  return { lease: String(json["lease_id"]), serial: String(data["serial_number"]) };
}
async function withRole(options: AuthorityOptions = {}) {
  const a = authority(options);
  await a.root();
  await a.role("web", { generate_lease: true });
  return a;
}
const revokedAt = async (a: Authority, { serial }: Leased) =>
  (await a.call("GET", `pki/cert/${serial}`)).data["revocation_time"];
const isRevoked = async (a: Authority, of: Leased) => (await revokedAt(a, of)) !== 0;
const lookup = (a: Authority, lease_id: string) =>
  a.call("POST", "sys/leases/lookup", { lease_id });
const refused = async (a: Authority, path: string, body?: unknown) => {
  const { status, errors } = await a.call("POST", path, body);
  return [status, errors[0]];
};
/** Runs due jobs until there are none. */
async function settle(a: Authority): Promise<void> {
  for (let next = await a.ca.tick(); next !== undefined && next <= a.clock.now + 10;) {
    a.clock.now = Math.max(a.clock.now, next);
    next = await a.ca.tick();
  }
}
const pkiStore = async (a: Authority) => a.stores((await a.sys.readMount({ path: "pki" })).uuid);
/** Stores leases without certificates. */
async function withMany(a: Authority, count: number, below = "issue/many/") {
  const store = await pkiStore(a);
  for (let from = 0; from < count; from += 1000)
    await store.commit({
      put: Array.from({ length: Math.min(1000, count - from) }, (_, i) =>
        leaseEntry(below + String(from + i).padStart(6, "0"), {
          serial: "01",
          issued: start,
          expires: start / 1000 + hour,
          not_after: start / 1000 + hour,
        }),
      ),
    });
}

describe("a lease", () => {
  it("is stored in the batch of its certificate, without another round trip to the store", async () => {
    const inner = memoryStore();
    const calls: (readonly [name: string, what: string, batch?: Batch])[] = [];
    const stores: Stores = (name) => {
      const store = inner(name);
      return {
        get: (keys) => (calls.push([name, "get"]), store.get(keys)),
        list: (prefix, page) => (calls.push([name, "list"]), store.list(prefix, page)),
        commit: (batch) => (calls.push([name, "commit", batch]), store.commit(batch)),
      };
    };
    const a = await withRole({ stores });
    await issued(a);
    const { uuid } = await a.sys.readMount({ path: "pki" });
    calls.length = 0;
    const { lease } = await issued(a);
    expect(calls.map(([name, what]) => [name, what])).toEqual([[uuid, "commit"]]);
    const put = calls[0]?.[2]?.put?.map(([key]) => key) ?? [];
    expect(put).toEqual([
      expect.stringMatching(/^cert\//),
      `lease/${lease.slice("pki/".length)}`,
      expect.stringMatching(/^job\/\d+\/lease-end\/leases$/),
    ]);
  });

  it("is returned with its times of issue and expiry, by its ID in the body or the path", async () => {
    const a = await withRole();
    const { lease } = await issued(a);
    a.clock.advance(60);
    const told = {
      id: lease,
      issue_time: "2030-01-02T03:04:05Z",
      expire_time: "2030-01-02T13:04:05Z",
      last_renewal: null,
      renewable: false,
      ttl: 10 * hour - 60,
    };
    const { status, json, data } = await lookup(a, lease);
    expect([status, data]).toEqual([200, told]);
    expect(json).toMatchObject({ id: lease, ttl: told.ttl });
    expect((await a.call("PUT", `sys/leases/lookup/${lease}`, {})).data).toEqual(told);
  });

  it("with an unknown ID is rejected with the texts that clients match", async () => {
    const a = await withRole();
    for (const id of [
      "pki/issue/web/none",
      "nomount/issue/web/x",
      "pki",
      "pki/ö",
      "x".repeat(2000),
    ])
      expect(await refused(a, "sys/leases/lookup", { lease_id: id })).toEqual([
        400,
        "invalid lease",
      ]);
    const missing = [400, "lease_id must be specified"];
    for (const path of ["lookup", "renew", "revoke"])
      expect(await refused(a, `sys/leases/${path}`, {})).toEqual(missing);
    for (const path of ["sys/leases/renew", "sys/renew"])
      expect(await refused(a, path, { lease_id: "pki/issue/web/none" })).toEqual([
        400,
        "lease not found",
      ]);
  });

  it("is never renewed, and the error depends on whether it has expired", async () => {
    const a = await withRole();
    const { lease } = await issued(a);
    for (const [path, body] of [
      ["sys/leases/renew", { lease_id: lease, increment: "1h" }],
      ["sys/renew", { lease_id: lease }],
      [`sys/leases/renew/${lease}`, {}],
      [`sys/renew/${lease}`, undefined],
    ] as const)
      expect(await refused(a, path, body)).toEqual([400, "lease is not renewable"]);
    a.clock.advance(11 * hour);
    expect(await refused(a, "sys/leases/renew", { lease_id: lease })).toEqual([
      400,
      "lease expired",
    ]);
  });

  it("revokes its certificate when it is revoked, and on request builds the CRL at once", async () => {
    const a = await withRole();
    const ways = [
      ["sys/leases/revoke", true, 204],
      ["sys/leases/revoke", false, 202],
      ["sys/revoke", false, 204],
    ] as const;
    for (const [path, sync, status] of ways) {
      const one = await issued(a);
      const other = await issued(a);
      expect((await a.call("PUT", path, { lease_id: one.lease, sync })).status).toBe(status);
      expect((await a.call("PUT", `${path}/${other.lease}?sync=x`, { sync })).status).toBe(status);
      for (const of of [one, other]) {
        expect(await revokedAt(a, of)).toBe(start / 1000);
        expect((await lookup(a, of.lease)).errors).toEqual(["invalid lease"]);
      }
      if (sync) {
        const crl = parseCrl((await a.call("GET", "pki/crl")).bytes);
        const listed = [...eachRevoked(crl)].map(({ serial }) => toHex(serial));
        for (const { serial } of [one, other]) expect(listed).toContain(serial.replaceAll(":", ""));
        expect((await a.ca.tick()) ?? Infinity).toBeGreaterThan(0);
      }
      expect((await a.call("PUT", path, { lease_id: one.lease, sync })).status).toBe(status);
    }
  });

  it("is the one in the path that policies have checked, even if the body names another", async () => {
    const a = await withRole();
    const [judged, other] = [await issued(a), await issued(a)];
    const sent = { lease_id: other.lease, sync: true };
    expect((await a.call("PUT", `sys/leases/revoke/${judged.lease}`, sent)).status).toBe(204);
    expect([await isRevoked(a, judged), await isRevoked(a, other)]).toEqual([true, false]);
  });
  it("does not affect a certificate that was already revoked, was deleted or has expired", async () => {
    const a = await withRole();
    const one = await issued(a);
    const serial_number = one.serial;
    await a.pki.revoke({ serial_number });
    a.clock.advance(60);
    expect(
      (await a.call("PUT", "sys/leases/revoke", { lease_id: one.lease, sync: true })).status,
    ).toBe(204);
    expect(await revokedAt(a, one)).toBe(start / 1000);
    const gone = await issued(a);
    await (await pkiStore(a)).commit({ del: [`cert/${gone.serial.replaceAll(":", "")}`] });
    expect(
      (await a.call("PUT", "sys/leases/revoke", { lease_id: gone.lease, sync: true })).status,
    ).toBe(204);
    const ended = await issued(a, "web", "1h");
    await a.pki.writeCrlConfig({ allow_expired_cert_revocation: true });
    a.clock.advance(2 * hour);
    await settle(a);
    expect(await isRevoked(a, ended)).toBe(false);
    expect((await lookup(a, ended.lease)).status).toBe(400);
  });

  it("of a certificate that was altered in storage stays until it is removed by force", async () => {
    const a = await withRole();
    const { lease, serial } = await issued(a);
    const store = await pkiStore(a);
    const key = `cert/${serial.replaceAll(":", "")}`;
    const [row] = await store.get([key]);
    const cert = storedPki.cert(row?.value);
    await store.commit({ put: [[key, { ...cert, crc: (cert.crc ?? 0) ^ 1 }]] });
    expect(await refused(a, "sys/leases/revoke", { lease_id: lease })).toEqual([
      500,
      "the certificate of the lease was altered in storage; to revoke it, send the certificate as PEM to `revoke` of its mount",
    ]);
    await a.call("PUT", "sys/leases/revoke-prefix/pki", { sync: true });
    expect((await lookup(a, lease)).status).toBe(200);
    await a.call("PUT", "sys/leases/revoke-force/pki", { sync: true });
    expect((await lookup(a, lease)).status).toBe(400);
  });

  it("that expires before its certificate revokes it within a minute", async () => {
    const a = await withRole();
    await a.call("POST", "sys/mounts/pki/tune", { max_lease_ttl: "10h" });
    const { json, data } = await a.call("POST", "pki/issue/web", {
      common_name: "a.test",
      not_after: "2030-02-02T00:00:00Z",
    });
    const of = { lease: String(json["lease_id"]), serial: String(data["serial_number"]) };
    expect(json["lease_duration"]).toBe(10 * hour);
    a.clock.advance(10 * hour - 60);
    await settle(a);
    expect(await isRevoked(a, of)).toBe(false);
    a.clock.advance(120);
    await settle(a);
    expect(await isRevoked(a, of)).toBe(true);
  });

  it("waits for its expiry with few jobs for any number of leases", async () => {
    const a = await withRole();
    for (let i = 1; i <= 20; i++) {
      await issued(a, "web", `${i * 97}m`);
      a.clock.advance(30);
    }
    const jobs = async () =>
      (await (await pkiStore(a)).list("job/")).filter(([key]) => key.includes("lease-end"));
    expect((await jobs()).length).toBeLessThanOrEqual(2);
    for (let i = 0; i < 40; i++) {
      a.clock.advance(hour);
      await settle(a);
    }
    expect(await (await pkiStore(a)).list("lease/")).toEqual([]);
    expect(await jobs()).toEqual([]);
  });

  it("is deleted with its mount", async () => {
    const a = await withRole();
    const { lease } = await issued(a);
    const store = await pkiStore(a);
    expect((await a.call("DELETE", "sys/mounts/pki")).status).toBe(204);
    expect(await store.list("lease/")).toEqual([]);
    expect((await lookup(a, lease)).errors).toEqual(["invalid lease"]);
    expect((await a.call("GET", "sys/leases/count")).data).toEqual({ lease_count: 0, counts: {} });
  });
});

describe("leases", () => {
  it("are listed segment by segment, with sudo", async () => {
    const a = await withRole();
    await a.role("web-1", { generate_lease: true });
    const ids = [await issued(a), await issued(a), await issued(a, "web-1")].map(
      ({ lease }) => lease.split("/").at(-1) ?? "",
    );
    const keys = async (prefix: string) =>
      (await a.call("LIST", `sys/leases/lookup${prefix}`)).data["keys"];
    expect(await keys("")).toEqual(["pki/"]);
    expect(await keys("/pki")).toEqual(["issue/"]);
    expect(await keys("/pki/issue/")).toEqual(["web-1/", "web/"]);
    expect(await keys("/pki/issue/web")).toEqual(ids.slice(0, 2).toSorted());
    for (const none of ["/pki/issue/we", "/other", "/pki/sign"])
      expect((await a.call("LIST", `sys/leases/lookup${none}`)).status).toBe(404);
    for (const path of ["/pki/issue/web", ""])
      expect(
        (await a.call("LIST", `sys/leases/lookup${path}`, undefined, { token: "operator" })).status,
      ).toBe(403);
    expect(
      (
        await a.call(
          "POST",
          `sys/leases/lookup/pki/issue/web/${ids[0] ?? ""}`,
          {},
          { token: "operator" },
        )
      ).status,
    ).toBe(403);
  });

  it("are listed and counted completely even if one prefix has thousands", async () => {
    const a = await withRole();
    await withMany(a, 5000);
    await withMany(a, 10, "sign/web/");
    expect((await a.call("LIST", "sys/leases/lookup/pki/")).data["keys"]).toEqual([
      "issue/",
      "sign/",
    ]);
    expect(
      ((await a.call("LIST", "sys/leases/lookup/pki/issue/many")).data["keys"] as unknown[]).length,
    ).toBe(5000);
    expect((await a.call("GET", "sys/leases/count")).data).toEqual({
      lease_count: 5010,
      counts: { "pki/": 5010 },
    });
    expect((await a.call("GET", "sys/leases/count?type=irrevocable")).data).toEqual({
      lease_count: 0,
      counts: {},
    });
  });

  it("(listCertDetails) are listed with their certificates, at the current path of the mount", async () => {
    const a = await withRole();
    await a.role("plain");
    const [one, other] = [await issued(a), await issued(a, "plain")];
    const listed = async (mount: string) => {
      const { data } = await a.call("GET", `${mount}/certs/detailed?list=true`);
      // the type that the endpoint declares
      const info = data["key_info"] as Readonly<Record<string, { readonly lease_id?: string }>>;
      return [one, other].map(({ serial }) => info[serial]?.lease_id);
    };
    expect(await listed("pki")).toEqual([one.lease, undefined]);
    const { text } = await a.call("GET", "pki/certs/detailed?list=true", undefined, {
      token: "reader",
    });
    expect(text).toContain(one.serial);
    expect(text).not.toContain(one.lease);
    await a.call("POST", "sys/remount", { from: "pki", to: "moved" });
    await settle(a);
    const moved = one.lease.replace("pki/", "moved/");
    expect(await listed("moved")).toEqual([moved, undefined]);
    expect((await lookup(a, moved)).status).toBe(200);
  });

  it("below a prefix are revoked together, except those of other roles and later ones", async () => {
    const a = await withRole();
    await a.role("web2", { generate_lease: true });
    const [one, other, third] = [await issued(a), await issued(a), await issued(a, "web2")];
    expect(
      (await a.call("PUT", "sys/leases/revoke-prefix/pki/issue/web", { sync: true })).status,
    ).toBe(204);
    expect(await Promise.all([one, other, third].map((of) => isRevoked(a, of)))).toEqual([
      true,
      true,
      false,
    ]);
    const fourth = await issued(a);
    expect((await a.call("POST", "sys/leases/revoke-prefix/pki/issue", {})).status).toBe(202);
    a.clock.advance(1);
    const later = await issued(a);
    await settle(a);
    expect(await Promise.all([third, fourth, later].map((of) => isRevoked(a, of)))).toEqual([
      true,
      true,
      false,
    ]);
    expect((await a.call("POST", "sys/revoke-prefix/nothing", {})).status).toBe(202);
    expect(
      (await a.call("POST", "sys/leases/revoke-prefix/pki", {}, { token: "operator" })).status,
    ).toBe(403);
  });

  it("below a part of a mount path are those of the mounts below it", async () => {
    const a = await withRole();
    await a.call("POST", "sys/mounts/team/a", { type: "pki" });
    const made = { common_name: "R", key_type: "ec" };
    await a.call("POST", "team/a/root/generate/internal", made);
    await a.call("POST", "team/a/roles/web", {
      allow_any_name: true,
      key_type: "ec",
      generate_lease: true,
    });
    const { json, data } = await a.call("POST", "team/a/issue/web", {
      common_name: "a.test",
      ttl: "1h",
    });
    expect(json["lease_id"]).toMatch(/^team\/a\/issue\/web\//);
    const kept = await issued(a);
    expect((await a.call("LIST", "sys/leases/lookup")).data["keys"]).toEqual(["pki/", "team/"]);
    expect((await a.call("LIST", "sys/leases/lookup/team")).data["keys"]).toEqual(["a/"]);
    expect((await a.call("PUT", "sys/leases/revoke-prefix/team", { sync: true })).status).toBe(204);
    expect(
      (await a.call("GET", `team/a/cert/${String(data["serial_number"])}`)).data["revocation_time"],
    ).not.toBe(0);
    expect(await isRevoked(a, kept)).toBe(false);
  });

  it("below a prefix are revoked in steps if there are ten thousand, and a crash loses none", async () => {
    const inner = memoryStore();
    let broken = Infinity;
    const stores: Stores = (name) => {
      const store = inner(name);
      const commit = async (batch: Batch) => {
        if ((batch.del?.length ?? 0) > 1 && broken-- <= 0) throw new Error("the host ended");
        return store.commit(batch);
      };
      return {
        get: (keys) => store.get(keys),
        list: (prefix, page) => store.list(prefix, page),
        commit,
      };
    };
    const a = await withRole({ stores });
    const real = await issued(a);
    await withMany(a, 10_000);
    expect((await a.call("POST", "sys/leases/revoke-prefix/pki", {})).status).toBe(202);
    broken = 30;
    await a.ca.tick();
    const left = async () => (await (await pkiStore(a)).list("lease/", { values: false })).length;
    expect(await left()).toBeGreaterThan(6000);
    broken = Infinity;
    a.clock.advance(40);
    const b = authority({ stores, clock: a.clock, seed: 2 });
    await settle(b);
    expect(await left()).toBe(0);
    expect(await isRevoked(b, real)).toBe(true);
  });

  it("are tidied on request", async () => {
    const a = await withRole();
    await withMany(a, 3);
    a.clock.advance(2 * hour);
    const { status, json } = await a.call("POST", "sys/leases/tidy", {});
    expect([status, json["warnings"]]).toEqual([202, expect.stringContaining("tidied")]);
    await settle(a);
    expect(await (await pkiStore(a)).list("lease/")).toEqual([]);
  });

  it("are logged by action, without their IDs", async () => {
    const a = await withRole();
    const { lease } = await issued(a);
    a.events.length = 0;
    for (const [path, body] of [
      ["lookup", { lease_id: lease }],
      [`lookup/${lease}`, {}],
      [`renew/${lease}`, {}],
      [`revoke/${lease}`, {}],
      ["revoke-prefix/pki", {}],
      ["revoke-force/pki", {}],
      ["tidy", {}],
    ] as const)
      await a.call("POST", `sys/leases/${path}`, body);
    await a.call("LIST", "sys/leases/lookup/pki");
    await a.call("GET", "sys/leases/count");
    expect(a.events.map(({ endpoint }) => endpoint)).toEqual([
      "lookupLease",
      "lookupLeaseAt",
      "renewLease",
      "revokeLease",
      "revokeLeases",
      "forceRevokeLeases",
      "tidyLeases",
      "listLeases",
      "countLeases",
    ]);
    expect(JSON.stringify(a.events)).not.toContain(lease.split("/").at(-1));
  });
});
