import { describe, expect, it, vi } from "vitest";
import { authority } from "../../support/authority.ts";
import { hour, over, tidying, type Tidying } from "./tidying.ts";

const defaults = {
  enabled: false,
  interval_duration: 43_200,
  min_startup_backoff_duration: 300,
  max_startup_backoff_duration: 900,
  tidy_cert_store: false,
  tidy_revoked_certs: false,
  tidy_revoked_cert_issuer_associations: false,
  tidy_expired_issuers: false,
  tidy_move_legacy_ca_bundle: false,
  tidy_revocation_queue: false,
  tidy_cross_cluster_revoked_certs: false,
  tidy_acme: false,
  tidy_cert_metadata: false,
  tidy_cmpv2_nonce_store: false,
  tidy_invalid_certs: false,
  safety_buffer: 259_200,
  revoked_safety_buffer: 259_200,
  issuer_safety_buffer: 31_536_000,
  acme_account_safety_buffer: 2_592_000,
  revocation_queue_safety_buffer: 172_800,
  pause_duration: "0s",
  page_size: 1000,
  maintain_stored_certificate_counts: false,
  publish_stored_certificate_count_metrics: false,
};

const refusedSettings: readonly [object, string][] = [
  [
    { interval_duration: -1 },
    "given interval_duration must be greater than or equal to zero seconds; got: -1",
  ],
  [
    { min_startup_backoff_duration: "-5s" },
    "given min_startup_backoff_duration must be greater than or equal to zero seconds; got: -5",
  ],
  [
    { min_startup_backoff_duration: 901 },
    "given min_startup_backoff_duration must not be greater than max_startup_backoff_duration; got: 901 and 900",
  ],
  [{ safety_buffer: 0 }, "given safety_buffer must be at least one second; got: 0"],
  [{ revoked_safety_buffer: 0 }, "given revoked_safety_buffer must be at least one second; got: 0"],
  [
    { issuer_safety_buffer: "-1h" },
    "given issuer_safety_buffer must be at least one second; got: -3600",
  ],
  [
    { acme_account_safety_buffer: 0 },
    "given acme_account_safety_buffer must be at least one second; got: 0",
  ],
  [
    { revocation_queue_safety_buffer: -1 },
    "given revocation_queue_safety_buffer must be greater than or equal to zero seconds; got: -1",
  ],
  [{ pause_duration: "soon" }, 'unable to parse given pause_duration: invalid duration "soon"'],
  [{ pause_duration: "-1s" }, 'unable to parse given pause_duration: negative duration "-1s"'],
  [{ page_size: 1 }, "page_size must be at least 5, got: 1"],
  [
    { enabled: true },
    `Auto-tidy enabled but no tidy operations were requested. Enable at least one tidy operation to be run (${Object.keys(
      defaults,
    )
      .filter((name) => name.startsWith("tidy_"))
      .join(" / ")}).`,
  ],
  [
    { publish_stored_certificate_count_metrics: true },
    "Can not publish a running storage metrics count to metrics without first maintaining that count. Enable `maintain_stored_certificate_counts` to enable `publish_stored_certificate_count_metrics`.",
  ],
  [
    { enabled: "maybe" },
    "Field validation failed: error converting input for field \"enabled\": cannot parse 'maybe' as bool",
  ],
];

describe("config/auto-tidy", () => {
  it("B 3.2 GET and POST, B 3.2 read shape, B 3.2 enabled, B 3.2 interval_duration, B 3.2 min_startup_backoff_duration, B 3.2 max_startup_backoff_duration: returns all settings in whole seconds, and changes only those that are sent", async () => {
    const a = authority();
    expect((await a.call("GET", "pki/config/auto-tidy")).data).toEqual(defaults);
    const sent = {
      enabled: true,
      tidy_cert_store: true,
      tidy_revocation_list: true,
      interval_duration: "1h",
      safety_buffer: "90m",
      pause_duration: "90s",
      min_startup_backoff_duration: "1m",
    };
    const changed = {
      ...defaults,
      enabled: true,
      tidy_cert_store: true,
      tidy_revoked_certs: true,
      interval_duration: 3600,
      safety_buffer: 5400,
      revoked_safety_buffer: 5400,
      pause_duration: "1m30s",
      min_startup_backoff_duration: 60,
    };
    const written = await a.call("POST", "pki/config/auto-tidy", sent);
    expect([written.status, written.data]).toEqual([200, changed]);
    expect((await a.call("POST", "pki/config/auto-tidy", {})).data).toEqual(changed);
    expect((await a.call("GET", "pki/config/auto-tidy", undefined, { compat: true })).data).toEqual(
      changed,
    );
    expect(await a.pki.writeAutoTidy({ revoked_safety_buffer: 9 })).toMatchObject({
      safety_buffer: 5400,
      revoked_safety_buffer: 9,
    });
    expect(await a.pki.readAutoTidy({})).toMatchObject({ revoked_safety_buffer: 9 });
  });

  it.each(refusedSettings)(
    "B 3.2 interval_duration below zero, B 3.2 safety_buffer below one second, B 3.2 pause_duration unparsable, B 3.2 enabled without operations, B 3.2 publish without maintain: rejects %j, and nothing changes",
    async (body, text) => {
      const a = authority();
      const answer = await a.call("POST", "pki/config/auto-tidy", body);
      expect([answer.status, answer.errors]).toEqual([400, [text]]);
      expect((await a.call("GET", "pki/config/auto-tidy")).data).toEqual(defaults);
    },
  );
});

/** Returns when the jobs of automatic runs are due, seconds from now. */
const dueIn = async ({ a, keys }: Tidying): Promise<readonly number[]> =>
  (await keys("job/"))
    .filter((key) => key.includes("/tidy-auto/"))
    .map((key) => (Number(key.split("/")[1]) - a.clock.now) / 1000);
const on = { enabled: true, tidy_cert_store: true };
const ended = async ({ a, status }: Tidying) => {
  for (let i = 0; i < 5; i++) await a.ca.tick();
  return (await status())["last_auto_tidy_finished"];
};

describe("automatic tidy", () => {
  it("B 3.2 start-up: waits a random time between the two back-offs, even if the same settings are written again", async () => {
    const drawn = new Set<number>();
    for (let seed = 1; seed <= 8; seed++) {
      const t = await over(authority({ seed }));
      await t.a.pki.writeAutoTidy(on);
      const [due = 0] = await dueIn(t);
      expect(due).toBeGreaterThanOrEqual(300);
      expect(due).toBeLessThanOrEqual(900);
      drawn.add(due);
      t.a.clock.advance(200);
      await t.a.pki.writeAutoTidy(on);
      expect(await dueIn(t)).toEqual([expect.closeTo(due - 200, 3)]);
    }
    expect(drawn.size).toBe(8);
  });

  it("B 3.2 interval, B 3.3 last_auto_tidy_finished: starts one interval after the end of the last run, even in another process", async () => {
    const t = await tidying();
    const { a, issue, keys } = t;
    await issue(2);
    await a.pki.writeAutoTidy({ ...on, safety_buffer: "1h", max_startup_backoff_duration: 300 });
    a.clock.advance(3 * hour);
    expect(await ended(t)).toBe("2030-01-02T06:04:05Z");
    expect(await keys("cert/")).toHaveLength(1);
    expect(await dueIn(t)).toEqual([12 * hour]);
    const again = await over(authority({ stores: a.stores, clock: a.clock }));
    a.clock.advance(12 * hour - 1);
    expect(await ended(again)).toBe("2030-01-02T06:04:05Z");
    a.clock.advance(1);
    expect(await ended(again)).toBe("2030-01-02T18:04:05Z");
  });

  it("B 3.1 auto-tidy timer: waits for the interval after a requested run, which is not reported as an automatic one", async () => {
    const t = await tidying();
    const { a, tidy } = t;
    await a.pki.writeAutoTidy({ ...on, max_startup_backoff_duration: 300 });
    a.clock.advance(200);
    expect(await tidy({})).toMatchObject({ last_auto_tidy_finished: null });
    expect(await dueIn(t)).toEqual([12 * hour]);
    a.clock.advance(11 * hour);
    expect(await tidy({})).toMatchObject({ last_auto_tidy_finished: null });
    a.clock.advance(11 * hour);
    expect(await ended(t)).toBeNull();
    a.clock.advance(hour);
    expect(await ended(t)).toBe("2030-01-03T02:07:25Z");
  });

  it("B 3.2 enabled: stops when disabled, and applies another interval immediately", async () => {
    const t = await tidying();
    const { a } = t;
    await a.pki.writeAutoTidy(on);
    a.clock.advance(hour);
    const first = await ended(t);
    await a.pki.writeAutoTidy({ interval_duration: "2h" });
    expect(await dueIn(t)).toEqual([2 * hour]);
    await a.pki.writeAutoTidy({ interval_duration: "200h" });
    a.clock.advance(3 * hour);
    expect(await ended(t)).toBe(first);
    expect(await dueIn(t)).toEqual([197 * hour]);
    await a.pki.writeAutoTidy({ enabled: false });
    expect(await dueIn(t)).toEqual([]);
    a.clock.advance(500 * hour);
    expect(await ended(t)).toBe(first);
    // auto-tidy was disabled while a run was planned
    await t.store.commit({
      put: [
        [
          `job/${String(a.clock.now).padStart(15, "0")}/tidy-auto/mount`,
          { kind: "tidy-auto", id: "mount" },
        ],
      ],
    });
    expect([await ended(t), await dueIn(t)]).toEqual([first, []]);
  });

  it("does not disturb a run in progress, and follows it", async () => {
    const t = await tidying();
    const { a, issue, status, finish } = t;
    await issue(11);
    await a.pki.writeAutoTidy({ ...on, max_startup_backoff_duration: 300 });
    a.clock.advance(100 * hour);
    await a.pki.tidy({ tidy_cert_store: true, page_size: 5, pause_duration: "10m" });
    await a.ca.tick();
    expect(await status()).toMatchObject({ state: "Running", cert_store_deleted_count: 5 });
    expect(await dueIn(t)).toEqual([60]);
    a.clock.advance(600);
    await a.ca.tick();
    a.clock.advance(600);
    expect(await finish()).toMatchObject({
      cert_store_deleted_count: 11,
      last_auto_tidy_finished: null,
    });
    expect(await dueIn(t)).toEqual([12 * hour]);
  });

  it("makes exactly one run when the clock jumps", async () => {
    const t = await tidying();
    const { a, store } = t;
    await a.pki.writeAutoTidy(on);
    const runs = () => a.events.filter(({ endpoint }) => endpoint === "job tidy").length;
    const pass = async (seconds: number) => {
      a.clock.advance(seconds);
      await ended(t);
      return runs();
    };
    expect(await pass(hour)).toBe(1);
    // ten years ahead, and back
    expect(await pass(87_600 * hour)).toBe(2);
    expect(await pass(60)).toBe(2);
    expect(await pass(-87_600 * hour)).toBe(3);
    expect(await pass(60)).toBe(3);
    expect(await pass(12 * hour)).toBe(4);
    expect(await dueIn(t)).toEqual([12 * hour]);
    expect(await store.list("job/")).not.toHaveLength(0);
  });

  it("waits at least a minute between two runs, however short the interval", async () => {
    const t = await tidying();
    await t.a.pki.writeAutoTidy({
      ...on,
      interval_duration: 0,
      min_startup_backoff_duration: 0,
      max_startup_backoff_duration: 0,
    });
    expect(await ended(t)).toBe("2030-01-02T03:04:05Z");
    expect(await dueIn(t)).toEqual([60]);
  });

  it("is deleted with its mount, and does not affect other mounts", async () => {
    const t = await tidying();
    const { a, store, issue } = t;
    await a.sys.createMount({ path: "other", type: "pki" });
    const other = a.ca.mount("other");
    await other.writeAutoTidy(on);
    await issue(11);
    await a.pki.writeAutoTidy(on);
    a.clock.advance(100 * hour);
    await a.pki.tidy({ tidy_cert_store: true, page_size: 5, pause_duration: "1m" });
    await a.ca.tick();
    await a.sys.deleteMount({ path: "pki" });
    expect(await store.list("job/")).toEqual([]);
    a.clock.advance(hour);
    for (let i = 0; i < 3; i++) await a.ca.tick();
    expect((await store.list("")).map(([key]) => key)).toEqual(["epoch"]);
    expect((await other.tidyStatus({})).last_auto_tidy_finished).toBe("2030-01-06T08:04:05Z");
    expect(
      a.events.filter(({ status, endpoint }) => status === 500 && endpoint.includes("tidy")),
    ).toEqual([]);
  });
});

describe("counts of stored certificates", () => {
  it("B 3.2 maintain_stored_certificate_counts, B 3.2 publish_stored_certificate_count_metrics: are maintained while enabled, and logged", async () => {
    const { a, issue, revoke, status, keys, tidy } = await tidying();
    const serials = await issue(3);
    await revoke(serials.slice(0, 1));
    const counting = { maintain_stored_certificate_counts: true };
    await a.pki.writeAutoTidy({ ...counting, publish_stored_certificate_count_metrics: true });
    expect(await status()).toMatchObject({
      current_cert_store_count: null,
      certificate_counting_error: "the certificates have not been counted yet",
    });
    await a.ca.tick();
    expect(await status()).toMatchObject({
      current_cert_store_count: 4,
      current_revoked_cert_count: 1,
    });
    expect(await status()).not.toHaveProperty("certificate_counting_error");
    expect(a.events.filter(({ endpoint }) => endpoint === "job tidy-count")).toMatchObject([
      { status: 200, mount: "pki", fields: { certs: 4, revoked: 1 } },
    ]);
    await issue(2);
    a.clock.advance(hour);
    await a.ca.tick();
    expect(await status()).toMatchObject({ current_cert_store_count: 6 });
    a.clock.advance(100 * hour);
    await tidy({ tidy_cert_store: true });
    await a.ca.tick();
    expect(await status()).toMatchObject({ current_cert_store_count: 1 });
    await a.pki.writeAutoTidy({
      maintain_stored_certificate_counts: false,
      publish_stored_certificate_count_metrics: false,
    });
    expect(await status()).toMatchObject({
      current_cert_store_count: null,
      current_revoked_cert_count: null,
    });
    expect((await keys("job/")).filter((key) => key.includes("tidy"))).toEqual([]);
  });
});

/**
 * Creates engines over one store and one clock: the first may have changed what the second has
 * cached.
 */
async function two() {
  const t = await tidying();
  const b = authority({ stores: t.a.stores, clock: t.a.clock, seed: 2 });
  return { ...t, b };
}
describe("jobs that begin within a second after another engine has written the configuration", () => {
  it("D 4 Freshness: keep an automatic run that was just enabled when another run ends", async () => {
    const t = await two();
    const { a, b } = t;
    await a.pki.tidy({ tidy_acme: true });
    await b.call("GET", "pki/config/auto-tidy");
    await a.pki.writeAutoTidy({ ...on, max_startup_backoff_duration: 300 });
    for (let i = 0; i < 5; i++) await b.ca.tick();
    expect(await t.status()).toMatchObject({ state: "Finished" });
    expect(await dueIn(t)).toHaveLength(1);
    a.clock.advance(13 * hour);
    expect(await ended(t)).not.toBeNull();
  });

  it("D 4 Freshness: plan an automatic run that is enabled while a run ends", async () => {
    const t = await two();
    const { a, b } = t;
    for (let at = 0; at < 6; at++) {
      await a.pki.writeAutoTidy({ enabled: false });
      await a.pki.tidy({ tidy_acme: true });
      let commits = 0;
      const store = t.store;
      const commit = store.commit.bind(store);
      const spied = vi.spyOn(store, "commit").mockImplementation(async (batch) => {
        if (commits++ === at) await a.pki.writeAutoTidy(on);
        return commit(batch);
      });
      for (let i = 0; i < 5; i++) await b.ca.tick();
      spied.mockRestore();
      if (commits <= at) await a.pki.writeAutoTidy(on);
      expect([at, (await dueIn(t)).length]).toEqual([at, 1]);
    }
  });

  it("D 4 Freshness: count the certificates if counting was just enabled", async () => {
    const t = await two();
    await t.b.call("GET", "pki/config/auto-tidy");
    await t.a.pki.writeAutoTidy({ maintain_stored_certificate_counts: true });
    await t.b.ca.tick();
    expect(await t.status()).toMatchObject({ current_cert_store_count: 1 });
  });

  it("D 4 Freshness: find issuers that were just imported", async () => {
    const t = await two();
    const { a, b } = t;
    const other = authority({ clock: a.clock, seed: 9 });
    const { certificate } = await other.root({ ttl: "1h" });
    a.clock.advance(5 * hour);
    await b.call("GET", "pki/config/auto-tidy");
    const { imported_issuers } = await a.pki.importBundle({ pem_bundle: certificate });
    await a.pki.tidy({ tidy_expired_issuers: true, issuer_safety_buffer: "1h" });
    for (let i = 0; i < 5; i++) await b.ca.tick();
    a.clock.advance(1);
    expect((await a.call("LIST", "pki/issuers")).data["keys"]).not.toContain(imported_issuers?.[0]);
  });
});
