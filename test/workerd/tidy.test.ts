import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { newMount, type Mount } from "./worker-fixture.ts";

const hour = 3_600_000;
interface Instance {
  alarm(): Promise<void>;
}
afterEach(() => vi.useRealTimers());
/** Advances the clock by `ms`. Timers and alarms are unaffected. */
function pass(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}
async function issued({ api, path }: Mount, ttl: string): Promise<string> {
  const leaf = await api("POST", `/v1/${path}/issue/web`, { common_name: "a.test", ttl });
  expect(leaf.status, leaf.text).toBe(200);
  return leaf.data["serial_number"] ?? "";
}
const status = async ({ api, path }: Mount): Promise<Readonly<Record<string, unknown>>> =>
  (await api("GET", `/v1/${path}/tidy-status`)).data;

it("tidy runs by alarm alone, resumes after its object was evicted, and auto-tidy then runs at its interval", async () => {
  const mount = await newMount();
  const { api, path, store } = mount;
  const serials: string[] = [];
  for (let i = 0; i < 12; i++) serials.push(await issued(mount, "1h"));
  const kept = await issued(mount, "9000h");
  for (const serial_number of [...serials.slice(0, 6), kept])
    expect((await api("POST", `/v1/${path}/revoke`, { serial_number })).status).toBe(200);
  pass(100 * hour);
  const begun = await api("POST", `/v1/${path}/tidy`, {
    tidy_cert_store: true,
    tidy_revoked_certs: true,
    page_size: 5,
    pause_duration: "1m",
  });
  expect(begun.status).toBe(202);
  for (let looks = 0; (await status(mount))["state"] === "Running"; looks++) {
    expect(looks).toBeLessThan(20);
    await runDurableObjectAlarm(mount.stub());
    await evictDurableObject(mount.stub());
    pass(60_000);
  }
  expect(await status(mount)).toMatchObject({
    state: "Finished",
    cert_store_deleted_count: 12,
    revoked_cert_deleted_count: 6,
  });
  const keysOf = async (prefix: string) =>
    (await store.list(prefix, { values: false })).map(([key]) => key.slice(prefix.length));
  expect(await keysOf("revoked/")).toEqual([kept.replaceAll(":", "")]);
  expect(await keysOf("cert/")).toHaveLength(2);
  const config = await api("POST", `/v1/${path}/config/auto-tidy`, {
    enabled: true,
    tidy_cert_store: true,
    interval_duration: "1h",
  });
  expect(config.status, config.text).toBe(200);
  for (let runs = 0; runs < 2; runs++) {
    const before = (await status(mount))["last_auto_tidy_finished"];
    pass(1.1 * hour);
    const ring = () => runInDurableObject(mount.stub(), (object: Instance) => object.alarm());
    await ring();
    await ring();
    const { last_auto_tidy_finished: last } = await status(mount);
    expect(last).not.toBeNull();
    expect(last).not.toBe(before);
  }
});
