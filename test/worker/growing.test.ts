import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { apiOf, makeAuthority, type Api } from "../http/api.ts";
import {
  checkListed,
  checkRevoked,
  issueMany,
  partitionsOf,
  useUntilKilled,
  whileMoving,
  type Acknowledged,
} from "../http/growing-load.ts";
import { chanceOf } from "../store/partitions/growing-world.ts";
import { startDeployed, type Deployment } from "../support/deployed.ts";
import { temporaryDirectory } from "../support/server.ts";

// to run 100 rounds: SEALWRIGHT_TEST_KILLS=100 npm test -- --project servers test/worker/growing
const rounds = Number(process.env["SEALWRIGHT_TEST_KILLS"] ?? 2);
const seed = Number(process.env["SEALWRIGHT_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

const dataDir = temporaryDirectory();
let worker: Deployment | undefined;
const start = async (): Promise<Api> => {
  worker = await startDeployed({ dataDir });
  return apiOf(worker);
};
afterAll(async () => void (await worker?.stop()));

/** Number of certificates of a mount before its growth. */
const initialCount = rounds > 10 ? 250 : 120;
/** Creates a mount with certificates. */
async function newMount(api: Api, mount: string): Promise<Acknowledged> {
  await api("POST", `sys/mounts/${mount}`, { type: "pki", config: { max_lease_ttl: "87600h" } });
  await makeAuthority(api, mount);
  return { issued: new Set(await issueMany(api, mount, initialCount)), revoked: new Set() };
}
/** Returns the serial numbers of the certificates in the databases of all objects. */
function storedSerials(): readonly string[] {
  const folder = join(dataDir, "objects", "MountObject");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .flatMap((name) => {
      const database = new DatabaseSync(join(folder, name));
      const isUsed = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'rows'").get();
      const rows = isUsed
        ? database.prepare("SELECT key FROM rows WHERE key >= 'cert/' AND key < 'cert0'").all()
        : [];
      database.close();
      return rows.map(({ key }) => String(key).slice("cert/".length));
    });
}

it(
  `a mount that grows under load loses nothing in ${rounds} kills of workerd (seed ${seed})`,
  { timeout: Math.max(600_000, rounds * 30_000) },
  async ({ annotate }) => {
    const random = chanceOf(seed);
    const mounts: [path: string, acknowledged: Acknowledged][] = [];
    let api = await start();
    const addMount = async (): Promise<void> => {
      const path = `big${mounts.length}`;
      mounts.push([path, await newMount(api, path)]);
    };
    await addMount();
    let [begun, interrupted] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const [path, acknowledged] = mounts.at(-1) ?? ["", { issued: new Set(), revoked: new Set() }];
      let isKilled = false;
      const before = acknowledged.issued.size;
      const running = [1, 2].map(() => useUntilKilled(api, path, acknowledged, () => isKilled));
      await expect.poll(() => acknowledged.issued.size).toBeGreaterThan(before + 10);
      if (await whileMoving(api, path, 16)) begun += 1;
      await setTimeout(random() * 100);
      isKilled = true;
      await worker?.kill9();
      expect((await Promise.all(running)).flat()).toEqual([]);
      api = await start();
      await checkListed(api, path, acknowledged);
      const { count, growth } = await partitionsOf(api, path);
      if (growth) interrupted += 1;
      if (count === 16 && !growth) await addMount();
    }
    await annotate(
      `${begun} kills, after ${interrupted} of which the growth continued; ${mounts.length} mounts`,
    );
    // a growth may have completed before the kill
    expect(begun).toBeGreaterThan(rounds / 2);
    if (rounds > 10) expect(interrupted).toBeGreaterThan(rounds / 4);
    const keys: string[] = [];
    for (const [path, acknowledged] of mounts) {
      await expect.poll(async () => (await partitionsOf(api, path)).growth).toBeUndefined();
      keys.push(...(await checkListed(api, path, acknowledged)));
      await checkRevoked(api, path, acknowledged);
    }
    await worker?.stop();
    expect(storedSerials().toSorted()).toEqual(
      keys.map((key) => key.replaceAll(":", "")).toSorted(),
    );
  },
);
