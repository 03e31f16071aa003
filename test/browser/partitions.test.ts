import { expect, it } from "vitest";
import { createCa } from "../../src/index.ts";
import { indexedDbKey, indexedDbStore } from "../../src/store/indexeddb.ts";

it("a mount with partitions in IndexedDB serves the certificates of all partitions after the page is reopened", async () => {
  const name = `partitions-${Date.now()}`;
  const open = async () =>
    createCa({ stores: indexedDbStore(name), sealingKey: await indexedDbKey(name) });
  const first = await open();
  await first.sys.createMount({ path: "big", type: "pki", config: { partitions: 4 } });
  const big = first.mount("big");
  await big.generateRoot({ common_name: "Root", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", allow_any_name: true, key_type: "ec", ttl: "24h" });
  const serials: string[] = [];
  for (let n = 0; n < 12; n++)
    serials.push((await big.issue({ role: "web", common_name: "a.test" })).serial_number);
  await big.revoke({ serial_number: serials[0] ?? "" });
  const { uuid } = await first.sys.readMount({ path: "big" });
  const stores = indexedDbStore(name);
  const counts = await Promise.all(
    [uuid, `${uuid}.1`, `${uuid}.2`, `${uuid}.3`].map(
      async (store) => (await stores(store).list("cert/", { values: false })).length,
    ),
  );
  expect(counts.reduce((sum, count) => sum + count)).toBe(13);
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(2);
  const again = (await open()).mount("big");
  expect((await again.listCerts({})).keys).toEqual(expect.arrayContaining(serials));
  expect((await again.readCert({ serial: serials[0] ?? "" })).revocation_time).toBeGreaterThan(0);
});

it("a mount in IndexedDB refuses more partitions and still serves its certificates", async () => {
  const name = `growth-${Date.now()}`;
  const ca = createCa({ stores: indexedDbStore(name), sealingKey: await indexedDbKey(name) });
  for (const [path, partitions] of [
    ["one", 1],
    ["four", 4],
  ] as const) {
    await ca.sys.createMount({ path, type: "pki", config: { partitions } });
    const mount = ca.mount(path);
    await mount.generateRoot({ common_name: "Root", key_type: "ec", ttl: "700h" });
    await mount.writeRole({ name: "web", allow_any_name: true, key_type: "ec", ttl: "24h" });
    await mount.issue({ role: "web", common_name: "a.test" });
    await expect(ca.sys.growPartitions({ path, count: 16 })).rejects.toMatchObject({
      status: 400,
      message: "invalid count 16: the storage of this deployment cannot add partitions to a mount",
    });
    await expect(ca.sys.stopPartitions({ path })).rejects.toMatchObject({ status: 409 });
    expect((await ca.sys.readPartitions({ path })).count).toBe(partitions);
    await mount.issue({ role: "web", common_name: "b.test" });
    expect((await mount.listCerts({})).keys).toHaveLength(3);
  }
});
