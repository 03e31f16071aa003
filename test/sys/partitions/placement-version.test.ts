import { expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { memoryStore, type Stores } from "../../../src/index.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { authority, type Authority } from "../../support/authority.ts";
import { gathered } from "../backup/kept.ts";

/** Removes the version of the placement rules, as in a mount whose partitions are older than it. */
async function age(stores: Stores, uuid: string): Promise<void> {
  for (const name of ["sys", uuid])
    for (const [key, { value }] of await stores(name).list("mount")) {
      const { placement, ...row } = value as { readonly placement?: number };
      if (placement === undefined) continue;
      await stores(name).commit({ epoch: "next", put: [[key, row]] });
    }
}
const revokedIn = async (stores: Stores, uuid: string): Promise<readonly number[]> =>
  Promise.all(
    Array.from({ length: 16 }, async (_, at) => {
      const store = stores(at === 0 ? uuid : `${uuid}.${at}`);
      return (await store.list("revoked/", { values: false })).length;
    }),
  );
async function revoke(a: Authority, count: number): Promise<readonly string[]> {
  const serials: string[] = [];
  for (let n = 0; n < count; n++) {
    const big = a.ca.mount("big");
    const { serial_number } = await big.issue({ role: "web", common_name: "a.test" });
    await big.revoke({ serial_number });
    serials.push(serial_number.replaceAll(":", ""));
  }
  return serials;
}
const listed = async (a: Authority): Promise<readonly string[]> =>
  [...eachRevoked(parseCrl((await a.call("GET", "big/crl")).bytes))]
    .map(({ serial }) => toHex(serial))
    .toSorted();

it("a mount with older placement rules keeps revocations in its own store until it is restored", async () => {
  const stores = memoryStore();
  const made = authority({ stores });
  await made.sys.createMount({ path: "big", type: "pki", config: { partitions: 4 } });
  const { uuid } = await made.sys.readMount({ path: "big" });
  await age(stores, uuid);
  const a = authority({ stores, clock: made.clock, seed: 2 });
  await a.ca.mount("big").generateRoot({ common_name: "Root CA", ttl: "700h" });
  await a.ca
    .mount("big")
    .writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "24h" });
  const serials = [...(await revoke(a, 12))];
  expect(await revokedIn(stores, uuid)).toEqual([12, ...Array.from({ length: 15 }, () => 0)]);
  expect(await listed(a)).toEqual(serials.toSorted());

  await a.ca.sys.growPartitions({ path: "big", count: 16 });
  for (let n = 0; n < 100; n++) {
    a.clock.advance(1);
    await a.ca.tick();
  }
  serials.push(...(await revoke(a, 4)));
  expect((await revokedIn(stores, uuid))[0]).toBe(16);
  // another process learns the number from the route
  const b = authority({ stores, clock: a.clock, seed: 3 });
  serials.push(...(await revoke(b, 4)));
  expect((await revokedIn(stores, uuid))[0]).toBe(20);
  expect(await listed(b)).toEqual(serials.toSorted());

  const restored = memoryStore();
  const c = authority({ stores: restored, clock: a.clock, seed: 4 });
  await c.ca.restore("big", await gathered(b.ca.backup("big")));
  const counts = await revokedIn(restored, uuid);
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(8);
  serials.push(...(await revoke(c, 4)));
  expect(await listed(c)).toEqual(serials.toSorted());
  expect(c.events.filter(({ endpoint }) => endpoint === "crl entries")).toEqual([]);
});

it("a mount with one partition spreads its revocations when it grows", async () => {
  const stores = memoryStore();
  const a = authority({ stores });
  await a.sys.createMount({ path: "big", type: "pki" });
  const { uuid } = await a.sys.readMount({ path: "big" });
  await a.ca.mount("big").generateRoot({ common_name: "Root CA", ttl: "700h" });
  await a.ca
    .mount("big")
    .writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "24h" });
  const serials = [...(await revoke(a, 12))];
  await a.ca.sys.growPartitions({ path: "big", count: 4 });
  for (let n = 0; n < 100; n++) {
    a.clock.advance(1);
    await a.ca.tick();
  }
  serials.push(...(await revoke(a, 12)));
  // another process, which learns the rules from the route
  const b = authority({ stores, clock: a.clock, seed: 3 });
  serials.push(...(await revoke(b, 4)));
  const counts = await revokedIn(stores, uuid);
  expect(counts.slice(0, 4).every((count) => count > 0)).toBe(true);
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(28);
  for (const one of [a, b]) expect(await listed(one)).toEqual(serials.toSorted());
});
