import { describe, expect, it } from "vitest";
import { memoryStore, type Store, type Stores } from "../../../src/index.ts";
import { fromHex } from "../../../src/base/bytes.ts";
import { decodePem } from "../../../src/base/pem.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { encodeCertId, encodeOcspRequest } from "../../../src/x509/ocsp-request.ts";
import { signedAnswers } from "../../../src/x509/ocsp-response.ts";
import { authority, type Authority, type AuthorityOptions } from "../../support/authority.ts";
import { fresh, gathered } from "../backup/kept.ts";

type Pki = ReturnType<Authority["ca"]["mount"]>;
interface Spread extends Authority {
  readonly big: Pki;
  readonly uuid: string;
  /** Issues certificates and returns their serial numbers. */
  issue(count: number): Promise<readonly string[]>;
  /** Returns the keys below a prefix in each partition, without the prefix. */
  keysIn(prefix: string): Promise<readonly (readonly string[])[]>;
}
const partitionsOf = (stores: Stores, uuid: string, count: number) =>
  Array.from({ length: count }, (_, at) => stores(at === 0 ? uuid : `${uuid}.${at}`));
const keysOf = async (stores: Stores, uuid: string, count: number, prefix: string) =>
  Promise.all(
    partitionsOf(stores, uuid, count).map(async (store) =>
      (await store.list(prefix, { values: false })).map(([key]) => key.slice(prefix.length)),
    ),
  );
/** Issues certificates of a mount with the role `web`. */
async function issueIn(pki: Pki, count: number): Promise<readonly string[]> {
  const serials: string[] = [];
  for (let n = 0; n < count; n++)
    serials.push((await pki.issue({ role: "web", common_name: "a.test" })).serial_number);
  return serials;
}

/** Creates an authority whose mount `big` has partitions, a root and the role `web`. */
async function spread(partitions = 4, options: AuthorityOptions = {}): Promise<Spread> {
  const a = authority({ stores: memoryStore(), ...options });
  await a.sys.createMount({ path: "big", type: "pki", config: { partitions } });
  const big = a.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ec", allow_any_name: true, ttl: "24h" });
  const { uuid } = await a.sys.readMount({ path: "big" });
  return {
    ...a,
    big,
    uuid,
    issue: (count) => issueIn(big, count),
    keysIn: (prefix) => keysOf(a.stores, uuid, partitions, prefix),
  };
}
/** Returns stores in memory, and a log of their calls. */
function notedStores(): { readonly stores: Stores; readonly calls: string[] } {
  const inner = memoryStore();
  const calls: string[] = [];
  const noted = (name: string): Store => {
    const store = inner(name);
    return {
      ...store,
      get: (keys) => (calls.push(`${name} get`), store.get(keys)),
      list: (prefix, page) => (calls.push(`${name} list`), store.list(prefix, page)),
      commit: (batch) => (calls.push(`${name} commit`), store.commit(batch)),
    };
  };
  return { stores: Object.assign(noted, { durable: false as const, partitions: true }), calls };
}
const shown = (a: Authority, path = "big") => a.ca.sys.readPartitions({ path });

describe("a mount created with partitions", () => {
  it("may have 1, 4, 16 or 64, and lists them with the names of their stores", async () => {
    const a = authority({ stores: memoryStore() });
    for (const partitions of [1, 4, 16, 64]) {
      const path = `m${partitions}`;
      const config = { partitions };
      expect((await a.call("POST", `sys/mounts/${path}`, { type: "pki", config })).status).toBe(
        204,
      );
      const { count, partitions: listed } = await shown(a, path);
      expect([count, listed.length]).toEqual([partitions, partitions]);
      expect(new Set(listed.map(({ state }) => state))).toEqual(new Set(["ready"]));
      const mount = await a.sys.readMount({ path });
      expect(listed.at(-1)?.store).toBe(
        partitions === 1 ? mount.uuid : `${mount.uuid}.${partitions - 1}`,
      );
      expect(mount.config.partitions).toBe(partitions === 1 ? undefined : partitions);
    }
    expect(await a.call("GET", "sys/mounts/none/partitions")).toMatchObject({
      status: 400,
      errors: ["No secret engine mount at none/"],
    });
    const [home, other] = (await shown(a, "m4")).partitions;
    const { uuid } = await a.sys.readMount({ path: "m4" });
    expect(home?.rows).toBe((await a.stores(uuid).list("")).length);
    expect(other?.rows).toBe(1);
  });

  it("is rejected with another number, or on a storage that supports only one", async () => {
    const a = authority({ stores: memoryStore() });
    const refused = async (of: Authority, partitions: unknown) => {
      const body = { type: "pki", config: { partitions } };
      const { status, errors } = await of.call("POST", "sys/mounts/big", body);
      expect((await of.call("GET", "sys/mounts/big")).status).not.toBe(200);
      return [status, ...errors];
    };
    for (const partitions of [0, 2, 3, 5, 65, 128, -4])
      expect(await refused(a, partitions)).toEqual([
        400,
        `invalid partitions ${partitions}: use 1, 4, 16 or 64`,
      ]);
    const inner = memoryStore();
    const single = authority({
      stores: Object.assign((name: string) => inner(name), { durable: false }),
    });
    expect(await refused(single, 4)).toEqual([
      400,
      "invalid partitions 4: the storage of this deployment supports only 1",
    ]);
  });

  it("spreads its certificates, which every engine lists, revokes and finds", async () => {
    const a = await spread();
    const serials = await a.issue(16);
    for (const own of await a.keysIn("cert/")) expect(own.length).toBeGreaterThan(0);
    // another process with the same stores
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const listed = (await b.call("LIST", "big/certs")).data["keys"] as readonly string[];
    expect(listed).toEqual(expect.arrayContaining([...serials]));
    for (const serial_number of serials.slice(0, 8))
      await b.ca.mount("big").revoke({ serial_number });
    a.clock.advance(2);
    const crl = parseCrl((await a.call("GET", "big/crl")).bytes);
    expect([...eachRevoked(crl)]).toHaveLength(8);
    const { certificate } = await a.big.readIssuer({ issuer_ref: "default" });
    const issuer = parseCertificate(decodePem(certificate)[0]?.der ?? new Uint8Array());
    const statuses = await Promise.all(
      serials.map(async (serial) => {
        const id = await encodeCertId("SHA-1", issuer, fromHex(serial.replaceAll(":", "")));
        const header = { "content-type": "application/ocsp-request" };
        const body = encodeOcspRequest([id]);
        const { bytes } = await a.call("POST", "big/ocsp", body, { token: "", header });
        return signedAnswers(bytes).answers[0]?.status;
      }),
    );
    expect(statuses.map((status) => JSON.stringify(status).includes("revoked"))).toEqual(
      serials.map((_, at) => at < 8),
    );
  });

  it("issues with one commit in one partition and no reads", async () => {
    const { stores, calls } = notedStores();
    const a = await spread(4, { stores });
    await a.issue(1);
    const partitions = new Set<string>();
    for (let n = 0; n < 16; n++) {
      calls.length = 0;
      await a.issue(1);
      expect(calls).toEqual([expect.stringMatching(/^[\da-f-]{36}(?:\.[123])? commit$/)]);
      partitions.add(calls[0] ?? "");
    }
    expect(partitions.size).toBe(4);
  });

  it("runs the jobs of one partition by the name of its store", async () => {
    const a = await spread();
    const role = {
      key_type: "ec",
      allow_any_name: true,
      ttl: "24h",
      generate_lease: true,
    } as const;
    await a.big.writeRole({ name: "web", ...role });
    await a.issue(16);
    const leaseEnds = async () =>
      (await a.keysIn("job/")).map((keys) => keys.filter((key) => key.includes("/lease-end/")));
    expect((await leaseEnds()).map((keys) => keys.length)).toEqual([1, 1, 1, 1]);
    a.clock.advance(25 * 3600);
    await a.ca.tickStore(`${a.uuid}.7`);
    expect((await a.keysIn("lease/")).flat()).toHaveLength(16);
    await a.ca.tickStore(`${a.uuid}.2`);
    expect((await a.keysIn("lease/")).flat()).toEqual([]);
    expect(await leaseEnds()).toEqual([[], [], [], []]);
  });

  it("renews a CRL with a few reads of each partition, and writes to none of the others", async () => {
    const { stores, calls } = notedStores();
    const a = await spread(4, { stores });
    a.clock.advance(72 * 3600);
    calls.length = 0;
    await a.ca.tickStore(a.uuid);
    const elsewhere = calls.filter((call) => /\.\d /.test(call));
    // the CRL is renewed: the jobs, the pages and the revocations, each with the layout
    expect(calls).toContain(`${a.uuid} commit`);
    for (const partition of [1, 2, 3])
      expect(elsewhere.filter((call) => call.startsWith(`${a.uuid}.${partition} `))).toEqual(
        ["list", "list", "get", "list", "get"].map((verb) => `${a.uuid}.${partition} ${verb}`),
      );
  });

  it("keeps its number of partitions when it is tuned or moved", async () => {
    const a = await spread();
    const serials = await a.issue(8);
    await a.sys.writeTune({ path: "big", description: "spread" });
    await a.call("POST", "sys/remount", { from: "big", to: "moved" });
    expect(await shown(a, "moved")).toMatchObject({ count: 4 });
    const moved = a.ca.mount("moved");
    for (const serial of serials)
      expect((await moved.readCert({ serial })).certificate).toContain("BEGIN CERTIFICATE");
    await issueIn(moved, 1);
  });

  it("runs jobs by the name of its store in an engine that has not read its route", async () => {
    const a = await spread();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    await b.ca.sys.listMounts({});
    await a.sys.createMount({ path: "new", type: "pki", config: { partitions: 4 } });
    const { uuid } = await a.sys.readMount({ path: "new" });
    const created = a.ca.mount("new");
    await created.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
    await created.writeRole({ name: "web", key_type: "ec", allow_any_name: true, ttl: "24h" });
    await b.ca.tickStore(uuid);
    a.clock.advance(2);
    await issueIn(b.ca.mount("new"), 16);
    const stored = await keysOf(a.stores, uuid, 4, "cert/");
    expect(stored.slice(1).flat().length).toBeGreaterThan(0);
  });

  it("is deleted with all its partitions", async () => {
    const a = await spread();
    await a.issue(12);
    await a.sys.deleteMount({ path: "big" });
    expect((await a.keysIn("")).map((keys) => keys.filter((key) => key !== "epoch"))).toEqual(
      Array.from({ length: 4 }, () => []),
    );
  });

  it("is degraded while a partition has lost its rows", async () => {
    const a = await spread();
    const [, , lost] = partitionsOf(a.stores, a.uuid, 4);
    const health = async () => {
      a.clock.advance(2);
      return (await a.call("GET", "sys/health", undefined, { token: "" })).json["degraded"];
    };
    expect(await health()).toBeUndefined();
    const get: Store["get"] = async (keys) => keys.map(() => undefined);
    Object.assign(lost ?? {}, { get });
    expect((await shown(a)).partitions.map(({ state }) => state)).toEqual([
      "ready",
      "ready",
      "empty",
      "ready",
    ]);
    expect(await health()).toEqual([
      {
        mount: "big/",
        reason: "storage of partition 2 is empty: restore the mount from a backup, or delete it",
      },
    ]);
  });
});

describe("a backup of a mount with partitions", () => {
  it.each([
    ["by default", {}, 4],
    ["by choice", { partitions: 16 }, 16],
    ["by choice", { partitions: 1 }, 1],
  ])("restores all certificates %s, with options %o", async (_, options, count) => {
    const a = await spread();
    const serials = await a.issue(12);
    for (const serial_number of serials.slice(0, 3)) await a.big.revoke({ serial_number });
    const parts = await gathered(a.ca.backup("big", { partBytes: 1000 }));
    const b = fresh({ clock: a.clock });
    await b.ca.restore("big", parts, options);
    expect((await shown(b)).count).toBe(count);
    const big = b.ca.mount("big");
    for (const serial of serials)
      expect(await big.readCert({ serial })).toEqual(await a.big.readCert({ serial }));
    expect((await b.call("LIST", "big/certs/revoked")).data["keys"]).toHaveLength(3);
    await issueIn(big, 8);
    await big.revoke({ serial_number: serials[5] ?? "" });
    const stored = await keysOf(b.stores, a.uuid, count, "cert/");
    expect(stored.flat()).toHaveLength(21);
    if (count > 1) expect(stored.slice(1).flat().length).toBeGreaterThan(8);
    // a process that starts later reads the same
    const c = fresh({ clock: a.clock, seed: 3, stores: b.stores });
    expect((await c.call("LIST", "big/certs")).data["keys"]).toHaveLength(21);
  });

  it("is restored into one partition by a storage that supports only one", async () => {
    const a = await spread();
    const serials = await a.issue(8);
    const parts = await gathered(a.ca.backup("big"));
    const inner = memoryStore();
    const stores = Object.assign((name: string) => inner(name), { durable: false as const });
    const b = fresh({ clock: a.clock, stores });
    await expect(b.ca.restore("big", parts, { partitions: 4 })).rejects.toThrow(
      "invalid partitions 4: the storage of this deployment supports only 1",
    );
    await b.ca.restore("big", parts);
    expect((await shown(b)).count).toBe(1);
    for (const serial of serials) await b.ca.mount("big").readCert({ serial });
  });

  it("is restored over HTTP with a number in the query, which is fixed until the mount is deleted", async () => {
    const a = await spread();
    await a.issue(4);
    const parts = await gathered(a.ca.backup("big", { partBytes: 1000 }));
    const b = fresh({ clock: a.clock });
    const send = async (part: Uint8Array | undefined, query = "") => {
      const path = `sys/storage/snapshot/big${query}`;
      const { status, errors } = await b.call("POST", path, part ?? new Uint8Array());
      return [status, ...errors];
    };
    expect(await send(parts[0], "?partitions=5")).toEqual([
      400,
      "invalid partitions 5: use 1, 4, 16 or 64",
    ]);
    expect(await send(parts[0], "?partitions=16")).toEqual([200]);
    expect(await send(parts[0], "?partitions=1")).toEqual([
      400,
      "a restore of this mount with 16 partitions is not complete: delete the mount first",
    ]);
    // the restore is started again
    for (const part of parts) expect(await send(part)).toEqual([200]);
    expect((await shown(b)).count).toBe(16);
    await b.sys.deleteMount({ path: "big" });
    for (const part of parts) expect(await send(part, "?partitions=1")).toEqual([200]);
    expect((await shown(b)).count).toBe(1);
    await issueIn(b.ca.mount("big"), 1);
  });

  it("lets the logs of all partitions continue after all numbers in the backup", async () => {
    const a = await spread();
    await a.issue(24);
    const key = "logged/audit/change/";
    const numbersOf = async (stores: Stores) =>
      Promise.all(
        partitionsOf(stores, a.uuid, 4).map(async (store) =>
          Number((await store.get([key]))[0]?.value),
        ),
      );
    const before = await numbersOf(a.stores);
    const parts = await gathered(a.ca.backup("big"));
    const b = fresh({ clock: a.clock });
    await b.ca.restore("big", parts);
    for (const number of await numbersOf(b.stores))
      expect(number).toBeGreaterThanOrEqual(Math.max(...before) + 2 ** 20);
    await issueIn(b.ca.mount("big"), 8);
  });

  it("is restored into the partitions of the route in a restored sys store", async () => {
    const a = await spread();
    const serials = await a.issue(8);
    const sys = await a.ca.fetch(
      new Request("http://ca.test/v1/sys/storage/stores/sys", {
        headers: { "x-service-token": "root" },
      }),
    );
    const parts = await gathered(a.ca.backup("big"));
    const b = fresh({ clock: a.clock });
    const restored = await b.call(
      "POST",
      "sys/storage/stores/sys",
      new Uint8Array(await sys.arrayBuffer()),
    );
    expect(restored.status, restored.text).toBe(200);
    expect((await b.call("POST", "big/issue/web", { common_name: "a.test" })).status).toBe(503);
    await b.ca.restore("big", parts);
    expect((await shown(b)).count).toBe(4);
    for (const serial of serials) await b.ca.mount("big").readCert({ serial });
  });

  it("restored into another number of partitions is used by engines that had the mount open", async () => {
    const a = await spread();
    const serials = await a.issue(4);
    const parts = await gathered(a.ca.backup("big"));
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    await issueIn(b.ca.mount("big"), 1);
    await a.sys.deleteMount({ path: "big" });
    await a.ca.restore("big", parts, { partitions: 16 });
    // within the second for which b caches its routes, it would store in another partition
    const early = await b.call("POST", "big/issue/web", { common_name: "a.test" });
    expect([early.status, ...early.errors]).toEqual([
      503,
      "the mount was restored with another number of partitions; try again",
    ]);
    b.clock.advance(2);
    const later = await issueIn(b.ca.mount("big"), 16);
    const stored = await keysOf(a.stores, a.uuid, 16, "cert/");
    expect(stored.slice(4).flat().length).toBeGreaterThan(0);
    for (const serial of [...serials, ...later]) await a.big.readCert({ serial });
  });
});
