import { afterAll, expect, it } from "vitest";
import { sqliteStore } from "../../src/node/index.ts";
import { databaseIn } from "../../server/data/database.ts";
import { apiOf, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";

// 100 rounds by name: SEALWRIGHT_TEST_KILLS=100 npm test -- --project servers test/server/growing
const rounds = Number(process.env["SEALWRIGHT_TEST_KILLS"] ?? 3);

const dataDir = temporaryDirectory();
let server: RunningServer | undefined;
const start = async (): Promise<Api> => {
  server = await startServer({ dataDir, env: { WORKERS: "2", LOG: "json" } });
  return apiOf(server);
};
noteEvents(() => server);
afterAll(async () => void (await server?.stop()));

interface Acknowledged {
  readonly issued: Set<string>;
  readonly revoked: Set<string>;
}
const partitions = async (api: Api) =>
  (await api("GET", "sys/mounts/big/partitions")).data as unknown as {
    readonly count: number;
    readonly growth?: { readonly moved: number };
  };
const listed = async (api: Api): Promise<readonly string[]> =>
  (await api("GET", "big/certs?list=true")).data.keys ?? [];

/**
 * Issues, revokes and lists until the server is gone; reports calls that failed while it ran, and
 * certificates that a listing lacks.
 */
async function load(api: Api, { issued, revoked }: Acknowledged, isKilled: () => boolean) {
  const failures: string[] = [];
  let turn = 0;
  const succeeded = (what: string, { status, text }: { status: number; text: string }): boolean => {
    if (status !== 200 && !isKilled()) failures.push(`${what}: ${status} ${text}`);
    return status === 200;
  };
  for (;;)
    try {
      const issuing = await api("POST", "big/issue/web", { common_name: "a.example.com" });
      if (succeeded("issue", issuing)) issued.add(issuing.data["serial_number"] ?? "");
      const serial_number = [...issued][(turn += 7) % issued.size] ?? "";
      if (succeeded("revoke", await api("POST", "big/revoke", { serial_number })))
        revoked.add(serial_number);
      const known = [...issued];
      const listing = await api("GET", "big/certs?list=true");
      if (!succeeded("list", listing)) continue;
      const keys = new Set(listing.data.keys);
      failures.push(...known.filter((serial) => !keys.has(serial)));
    } catch {
      return failures;
    }
}
/**
 * Resolves while rows are being moved, and begins the next growth if none is running. Returns false
 * if the mount has all its partitions.
 */
async function whileMoving(api: Api): Promise<boolean> {
  for (;;) {
    const { count, growth } = await partitions(api);
    if (growth && growth.moved > 0) return true;
    if (growth) continue;
    if (count === 64) return false;
    const { status } = await api("POST", "sys/mounts/big/partitions", {
      count: count === 1 ? 4 : count * 4,
    });
    expect(status).toBe(204);
  }
}

it(`a mount that gets more partitions under load loses nothing in ${rounds} kills of the server`, async () => {
  const acknowledged: Acknowledged = { issued: new Set(), revoked: new Set() };
  let api = await start();
  await api("POST", "sys/mounts/big", { type: "pki", config: { max_lease_ttl: "87600h" } });
  await makeAuthority(api, "big");
  const first = Array.from({ length: 150 }, async () => {
    const { data } = await api("POST", "big/issue/web", { common_name: "a.example.com" });
    acknowledged.issued.add(data["serial_number"] ?? "");
  });
  await Promise.all(first);
  let interrupted = 0;
  for (let round = 0; round < rounds; round++) {
    let isKilled = false;
    const before = acknowledged.issued.size;
    const running = [1, 2].map(() => load(api, acknowledged, () => isKilled));
    await expect.poll(() => acknowledged.issued.size).toBeGreaterThan(before + 20);
    if (await whileMoving(api)) interrupted += 1;
    isKilled = true;
    await server?.kill9();
    expect((await Promise.all(running)).flat()).toEqual([]);
    api = await start();
    const keys = await listed(api);
    expect(keys.length).toBe(new Set(keys).size);
    expect(keys).toEqual(expect.arrayContaining([...acknowledged.issued]));
  }
  expect(interrupted).toBeGreaterThan(1);
  await expect.poll(async () => (await partitions(api)).growth).toBeUndefined();
  const { count } = await partitions(api);
  for (const serial of acknowledged.revoked) {
    const { data } = await api("GET", `big/cert/${serial}`);
    expect(Number(data["revocation_time"])).toBeGreaterThan(0);
  }
  const keys = await listed(api);
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
