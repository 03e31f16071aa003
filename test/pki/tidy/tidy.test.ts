import { describe, expect, it } from "vitest";
import { memoryStore, type Store } from "../../../src/index.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { authority } from "../../support/authority.ts";
import { ageRevocation, hour, keyOf, tidying, valueOf } from "./tidying.ts";

const operations = [
  "tidy_cert_store",
  "tidy_revoked_certs",
  "tidy_revoked_cert_issuer_associations",
  "tidy_expired_issuers",
  "tidy_move_legacy_ca_bundle",
  "tidy_revocation_queue",
  "tidy_cross_cluster_revoked_certs",
  "tidy_acme",
  "tidy_cert_metadata",
  "tidy_cmpv2_nonce_store",
  "tidy_invalid_certs",
];
const counters = [
  "cert_store_deleted_count",
  "revoked_cert_deleted_count",
  "missing_issuer_cert_count",
  "revocation_queue_deleted_count",
  "cross_revoked_cert_deleted_count",
  "cert_metadata_deleted_count",
  "cmpv2_nonce_deleted_count",
  "total_acme_account_count",
  "acme_account_deleted_count",
  "acme_account_revoked_count",
  "acme_orders_deleted_count",
];

const refusedRuns: readonly [object, string][] = [
  [{ safety_buffer: 0 }, "safety_buffer must be greater than zero"],
  [{ safety_buffer: "-1h" }, "safety_buffer must be greater than zero"],
  [{ revoked_safety_buffer: 0 }, "revoked_safety_buffer must be greater than zero"],
  [{ issuer_safety_buffer: "0s" }, "issuer_safety_buffer must be greater than zero"],
  [{ acme_account_safety_buffer: -5 }, "acme_account_safety_buffer must be greater than zero"],
  [{ revocation_queue_safety_buffer: -5 }, "revocation_queue_safety_buffer must not be negative"],
  [{ pause_duration: "soon" }, 'Error parsing pause_duration: invalid duration "soon"'],
  [{ pause_duration: "-1s" }, "received invalid, negative pause_duration"],
  [{ page_size: 4 }, "page_size must be at least 5, got: 4"],
];

describe("POST tidy", () => {
  it("B 3.1 started, B 3.1 already running: starts one run, and reports a run in progress", async () => {
    const { a, finish } = await tidying();
    const begun = await a.call("POST", "pki/tidy", { tidy_cert_store: true });
    expect([begun.status, begun.json["data"], begun.json["warnings"]]).toEqual([
      202,
      null,
      "Tidy operation successfully started. Any information from the operation will be printed to Sealwright's server logs.",
    ]);
    expect(a.wakes.at(-1)).toBe(a.clock.now);
    const again = await a.call("POST", "pki/tidy", { tidy_acme: true });
    expect([again.status, again.json["data"], again.json["warnings"]]).toEqual([
      200,
      null,
      "Tidy operation already in progress.",
    ]);
    expect(await finish()).toMatchObject({
      state: "Finished",
      tidy_cert_store: true,
      tidy_acme: false,
    });
    expect((await a.call("POST", "pki/tidy", {}, { compat: true })).status).toBe(202);
  });

  it("B 3.1 nothing enabled: warns, and still counts as a run", async () => {
    const { a, finish } = await tidying();
    const begun = await a.call("POST", "pki/tidy", {});
    expect([begun.status, begun.json["warnings"]]).toEqual([
      202,
      `Manual tidy requested but no tidy operations were set. Enable at least one tidy operation to be run (${operations.join(" / ")}).`,
    ]);
    const time = "2030-01-02T03:04:05Z";
    expect(await finish()).toMatchObject({
      state: "Finished",
      time_started: time,
      time_finished: time,
      ...Object.fromEntries(operations.map((name) => [name, false])),
      ...Object.fromEntries(counters.map((name) => [name, 0])),
    });
  });

  it.each(refusedRuns)(
    "B 3.1 safety_buffer not above zero, B 3.1 revoked_safety_buffer, B 3.1 issuer_safety_buffer not above zero, B 3.1 acme_account_safety_buffer not above zero, B 3.1 revocation_queue_safety_buffer, B 3.1 pause_duration unparsable, B 3.1 pause_duration negative: rejects %j, and starts no run",
    async (body, text) => {
      const a = authority();
      const answer = await a.call("POST", "pki/tidy", { tidy_cert_store: true, ...body });
      expect([answer.status, answer.errors]).toEqual([400, [text]]);
      expect((await a.call("GET", "pki/tidy-status")).data["state"]).toBe("Inactive");
    },
  );

  it("rejects invalid fields, and changes nothing", async () => {
    const a = authority();
    for (const body of [
      { tidy_cert_store: "maybe" },
      { safety_buffer: "long" },
      { safety_buffer: [1] },
      { page_size: 5.5 },
      { pause_duration: {} },
      { pause_duration: "9".repeat(200) },
    ])
      expect((await a.call("POST", "pki/tidy", body)).status).toBe(400);
    expect((await a.call("GET", "pki/tidy-status")).data["state"]).toBe("Inactive");
  });

  it("requires a token with the right capability: security row 94", async () => {
    const { a } = await tidying();
    for (const [method, path] of [
      ["POST", "pki/tidy"],
      ["POST", "pki/tidy-cancel"],
      ["GET", "pki/tidy-status"],
      ["GET", "pki/config/auto-tidy"],
      ["POST", "pki/config/auto-tidy"],
    ] as const)
      expect((await a.call(method, path, undefined, { token: "" })).status).toBe(403);
    for (const path of ["pki/tidy", "pki/tidy-cancel", "pki/config/auto-tidy"])
      expect((await a.call("POST", path, {}, { token: "reader" })).status).toBe(403);
    expect(
      (await a.call("GET", "pki/tidy-status", undefined, { token: "reader" })).data["state"],
    ).toBe("Inactive");
  });
});

describe("GET tidy-status", () => {
  it("B 3.3 every key, B 3.3 deleted counts, B 3.3 ACME counts, B 3.3 stored counts, B 3.3 internal_backend_uuid: has all keys before the first run", async () => {
    const { a, uuid } = await tidying();
    const none = [
      ...operations,
      ...counters,
      "safety_buffer",
      "revoked_safety_buffer",
      "issuer_safety_buffer",
      "acme_account_safety_buffer",
      "revocation_queue_safety_buffer",
      "pause_duration",
      "page_size",
      "error",
      "message",
      "time_started",
      "time_finished",
      "last_auto_tidy_finished",
      "current_cert_store_count",
      "current_revoked_cert_count",
    ];
    expect((await a.call("GET", "pki/tidy-status")).data).toEqual({
      ...Object.fromEntries(none.map((name) => [name, null])),
      state: "Inactive",
      internal_backend_uuid: uuid,
    });
    expect((await a.pki.tidyStatus({})).state).toBe("Inactive");
  });

  it("B 3.3 buffers, B 3.3 tidy booleans, B 3.3 pause_duration, B 3.1 safety_buffer, B 3.1 issuer_safety_buffer, B 3.1 acme_account_safety_buffer, B 3.1 pause_duration, B 3.1 tidy_revocation_list: returns the settings of the run", async () => {
    const { a, tidy } = await tidying();
    expect(await tidy({ tidy_revocation_list: true })).toMatchObject({
      tidy_revoked_certs: true,
      safety_buffer: 72 * hour,
      revoked_safety_buffer: 72 * hour,
      issuer_safety_buffer: 8760 * hour,
      acme_account_safety_buffer: 720 * hour,
      revocation_queue_safety_buffer: 48 * hour,
      pause_duration: "0s",
      page_size: 1000,
    });
    expect(
      await tidy({ safety_buffer: "2h", pause_duration: "1500ms", page_size: 5 }),
    ).toMatchObject({
      safety_buffer: 2 * hour,
      revoked_safety_buffer: 2 * hour,
      pause_duration: "1.5s",
      page_size: 5,
    });
    expect(await tidy({ revoked_safety_buffer: 7, pause_duration: "90s" })).toMatchObject({
      safety_buffer: 72 * hour,
      revoked_safety_buffer: 7,
      pause_duration: "1m30s",
    });
    await a.pki.tidy({ pause_duration: "250ms" });
    expect((await a.pki.tidyStatus({})).pause_duration).toBe("250ms");
  });

  it("B 3.3 state, B 3.3 message, B 3.3 time_started, B 3.3 error: follows the run to its end", async () => {
    const { a, issue, status, finish } = await tidying();
    await issue(12);
    a.clock.advance(100 * hour);
    await a.pki.tidy({ tidy_cert_store: true, page_size: 5, pause_duration: "10s" });
    expect(await status()).toMatchObject({
      state: "Running",
      message: "Tidying: about to begin",
      time_started: "2030-01-06T07:04:05Z",
      time_finished: null,
      error: null,
    });
    await a.ca.tick();
    expect(await status()).toMatchObject({
      state: "Running",
      message: "Tidying certificate store: checking entry 5 of 5",
      cert_store_deleted_count: 5,
    });
    a.clock.advance(10);
    await a.ca.tick();
    expect(await a.ca.tick()).toBe(a.clock.now + 10_000);
    a.clock.advance(10);
    expect(await finish()).toMatchObject({
      state: "Finished",
      message: null,
      cert_store_deleted_count: 12,
      time_finished: "2030-01-06T07:04:25Z",
      error: null,
    });
    expect(a.events.filter(({ endpoint }) => endpoint === "job tidy")).toMatchObject([
      {
        status: 200,
        mount: "pki",
        ms: 20_000,
        fields: { state: "Finished", cert_store_deleted_count: 12 },
      },
    ]);
  });
});

describe("POST tidy-cancel", () => {
  it("B 3.3 tidy-cancel, B 3.1 checkpoint: ends the run before its next step, even during a long pause", async () => {
    const { a, issue, keys, finish } = await tidying();
    await issue(12);
    a.clock.advance(100 * hour);
    await a.pki.tidy({ tidy_cert_store: true, page_size: 5, pause_duration: "100h" });
    await a.ca.tick();
    const cancelled = await a.pki.tidyCancel({});
    expect(cancelled).toMatchObject({ state: "Cancelling", cert_store_deleted_count: 5 });
    expect((await a.call("POST", "pki/tidy", {})).status).toBe(200);
    expect(await finish()).toMatchObject({
      state: "Cancelled",
      cert_store_deleted_count: 5,
      message: null,
      time_finished: "2030-01-06T07:04:05Z",
    });
    expect(await keys("cert/")).toHaveLength(8);
    expect((await keys("job/")).filter((key) => key.includes("/tidy"))).toEqual([]);
    expect((await a.call("POST", "pki/tidy", { tidy_cert_store: true })).status).toBe(202);
    expect(await finish()).toMatchObject({ state: "Finished", cert_store_deleted_count: 7 });
  });

  it("B 3.3 nothing to cancel: warns, and returns the status", async () => {
    const { a, tidy } = await tidying();
    const warning = "Tidy operation cannot be cancelled as none is currently running.";
    const first = await a.call("POST", "pki/tidy-cancel");
    expect([first.status, first.data["state"], first.json["warnings"]]).toEqual([
      200,
      "Inactive",
      warning,
    ]);
    await tidy({});
    const second = await a.call("POST", "pki/tidy-cancel");
    expect([second.data["state"], second.json["warnings"]]).toEqual(["Finished", warning]);
  });
});

describe("tidying the certificate store", () => {
  it("B 3.1 tidy_cert_store, B 3.1 certificate store, B 3.1 issuers' certificates: removes certificates expired for longer than the buffer, to the second", async () => {
    const { a, issue, keys, tidy, store } = await tidying();
    const [serial = ""] = await issue();
    const [kept = ""] = await issue(1, "2h");
    const { der } = await valueOf<{ readonly der: Uint8Array }>(store, keyOf("cert/", serial));
    const { notAfter } = parseCertificate(der);
    a.clock.now = (notAfter + 60) * 1000;
    expect(await tidy({ tidy_cert_store: true, safety_buffer: 60 })).toMatchObject({
      cert_store_deleted_count: 0,
    });
    a.clock.now += 1;
    expect(await tidy({ tidy_cert_store: true, safety_buffer: 60 })).toMatchObject({
      cert_store_deleted_count: 1,
    });
    expect(await keys("cert/")).toContain(keyOf("cert/", kept));
    expect((await a.call("GET", `pki/cert/${serial}`)).status).toBe(404);
    // the root is stored as a certificate too
    a.clock.advance(81_000 * hour);
    expect(await tidy({ tidy_cert_store: true })).toMatchObject({ cert_store_deleted_count: 2 });
    expect((await a.pki.readIssuerJson({ issuer_ref: "root" })).certificate).toContain("BEGIN");
  });

  it("keeps revocations, and stores their expiry in older rows, which tidying them needs later", async () => {
    const { a, issue, revoke, keys, tidy, store } = await tidying();
    const [serial = ""] = await issue();
    await revoke([serial]);
    const key = keyOf("revoked/", serial);
    const old = await ageRevocation(store, serial);
    a.clock.advance(100 * hour);
    await tidy({ tidy_cert_store: true });
    expect([await keys("cert/"), await keys("revoked/")]).toMatchObject([{ length: 1 }, [key]]);
    expect((await store.get([key]))[0]?.value).toMatchObject({
      ...old,
      not_after: expect.any(Number),
    });
  });

  it("B 3.1 page_size: handles at most 500 rows per step, and reads none that it keeps", async () => {
    const inner = memoryStore();
    let read = 0;
    const stores = (name: string): Store => ({
      ...inner(name),
      get: (keys) => inner(name).get(keys),
      commit: (batch) => inner(name).commit(batch),
      list: async (prefix, page) => {
        const rows = await inner(name).list(prefix, page);
        if (prefix === "cert/") read += rows.length;
        return rows;
      },
    });
    const { a, issue, store, status } = await tidying({ stores });
    const [serial = ""] = await issue();
    await issue(3, "9000h");
    const [row] = await store.get([keyOf("cert/", serial)]);
    const { der } = await valueOf<{ readonly der: Uint8Array }>(store, keyOf("cert/", serial));
    const end = parseCertificate(der).notAfter;
    await store.commit({
      put: Array.from({ length: 1100 }, (_, i) => [
        `cert/77${String(i).padStart(6, "0")}`,
        row?.value,
        { not_after: end },
      ]),
    });
    a.clock.advance(100 * hour);
    await a.pki.tidy({ tidy_cert_store: true, page_size: 100_000, pause_duration: "1s" });
    const left: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await a.ca.tick();
      left.push((await store.list("cert/7700", { values: false })).length);
      a.clock.advance(1);
    }
    expect(left).toEqual([601, 101, 0]);
    expect(await status()).toMatchObject({ state: "Finished", cert_store_deleted_count: 1101 });
    // the last rows are read by both passes
    expect(read).toBe(1101 + 101);
  });
});
