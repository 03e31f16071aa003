import { afterAll, expect, it } from "vitest";
import { sqliteStore } from "../../src/node/index.ts";
import { databaseIn } from "../../server/data/database.ts";
import { apiOf, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import {
  checkListed,
  checkRevoked,
  issueMany,
  listed,
  partitionsOf,
  useUntilKilled,
  whileMoving,
  type Acknowledged,
} from "../http/growing-load.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";

// to run 100 rounds: SEALWRIGHT_TEST_KILLS=100 npm test -- --project servers test/server/growing
const rounds = Number(process.env["SEALWRIGHT_TEST_KILLS"] ?? 3);

const dataDir = temporaryDirectory();
let server: RunningServer | undefined;
const start = async (): Promise<Api> => {
  server = await startServer({ dataDir, env: { WORKERS: "2", LOG: "json" } });
  return apiOf(server);
};
noteEvents(() => server);
afterAll(async () => void (await server?.stop()));

it(`a mount that grows under load loses nothing in ${rounds} kills of the server`, async () => {
  let api = await start();
  await api("POST", "sys/mounts/big", { type: "pki", config: { max_lease_ttl: "87600h" } });
  await makeAuthority(api, "big");
  const first = await issueMany(api, "big", 150);
  const acknowledged: Acknowledged = { issued: new Set(first), revoked: new Set() };
  let interrupted = 0;
  for (let round = 0; round < rounds; round++) {
    let isKilled = false;
    const before = acknowledged.issued.size;
    const running = [1, 2].map(() => useUntilKilled(api, "big", acknowledged, () => isKilled));
    await expect.poll(() => acknowledged.issued.size).toBeGreaterThan(before + 20);
    if (await whileMoving(api, "big", 64)) interrupted += 1;
    isKilled = true;
    await server?.kill9();
    expect((await Promise.all(running)).flat()).toEqual([]);
    api = await start();
    await checkListed(api, "big", acknowledged);
  }
  expect(interrupted).toBeGreaterThan(1);
  await expect.poll(async () => (await partitionsOf(api, "big")).growth).toBeUndefined();
  const { count } = await partitionsOf(api, "big");
  await checkRevoked(api, "big", acknowledged);
  const keys = await listed(api, "big");
  const { uuid = "" } = (await api("GET", "sys/mounts/big")).data as { readonly uuid?: string };
  await server?.stop();
  const file = sqliteStore(databaseIn(dataDir));
  const stored = await Promise.all(
    Array.from(
      { length: count },
      async (_, at) =>
        (await file(at === 0 ? uuid : `${uuid}.${at}`).list("cert/", { values: false })).length,
    ),
  );
  file.close();
  expect(stored.reduce((sum, one) => sum + one, 0)).toBe(keys.length);
  expect(stored.filter((one) => one > 0).length).toBeGreaterThan(3);
});
