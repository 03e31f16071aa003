import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createCa } from "../../src/index.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { openReader } from "../../src/node/sqlite-file.ts";
import { clockAt, seeded } from "../support/authority.ts";
import { temporaryDirectory } from "../support/server.ts";

it("a mount with partitions in a SQLite file is there for the next process, and frees all its tables when deleted", async () => {
  const file = join(temporaryDirectory(), "ca.db");
  const clock = clockAt();
  const open = (seed: number) => {
    const stores = sqliteStore(file);
    onTestFinished(() => stores.close());
    return createCa({
      stores,
      sealingKey: new Uint8Array(32).fill(7),
      now: () => clock.now,
      random: seeded(seed),
    });
  };
  const one = open(1);
  await one.sys.createMount({ path: "big", type: "pki", config: { partitions: 4 } });
  const { uuid } = await one.sys.readMount({ path: "big" });
  const big = one.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ec", allow_any_name: true, ttl: "24h" });
  for (let n = 0; n < 12; n++) await big.issue({ role: "web", common_name: "a.test" });

  const other = open(2);
  const listed = (await other.mount("big").listCerts({})).keys;
  expect(listed).toEqual((await big.listCerts({})).keys);
  expect(listed).toHaveLength(13);
  const reader = openReader(file);
  onTestFinished(() => reader.close());
  const storesOf = () =>
    reader
      .stores()
      .filter((name) => name.startsWith(uuid))
      .sort();
  expect(storesOf()).toEqual([uuid, `${uuid}.1`, `${uuid}.2`, `${uuid}.3`]);
  await other.sys.deleteMount({ path: "big" });
  await other.tick();
  expect(storesOf()).toEqual([]);
});
