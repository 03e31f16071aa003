import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import { authority, refusal, start } from "../../support/authority.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("sys/health", () => {
  it("returns the fields that clients read, without a token and without an envelope", async () => {
    const { call } = authority();
    const { status, json, headers } = await call("GET", "sys/health", undefined, { token: "" });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(json).toEqual({
      initialized: true,
      sealed: false,
      standby: false,
      performance_standby: false,
      replication_performance_mode: "disabled",
      replication_dr_mode: "disabled",
      server_time_utc: start / 1000,
      version: expect.stringMatching(/^\d+\.\d+\.\d+\+ent$/),
      enterprise: true,
      license: { state: "none", expiry_time: "", terminated: false },
      cluster_name: "sealwright",
      cluster_id: expect.stringMatching(uuid),
      echo_duration_ms: 0,
      clock_skew_ms: 0,
      replication_primary_canary_age_ms: 0,
      removed_from_cluster: false,
      ha_connection_healthy: true,
      last_request_forwarding_heartbeat_ms: 0,
    });
  });
  it("responds to GET and HEAD only, and accepts the status overrides of clients", async () => {
    const { call } = authority();
    const head = await call("HEAD", "sys/health", undefined, { token: "" });
    expect([head.status, head.text]).toEqual([200, ""]);
    const overrides =
      "uninitcode=299&sealedcode=299&standbycode=299&drsecondarycode=299&performancestandbycode=299&removedcode=299&haunhealthycode=299&standbyok=true";
    expect((await call("GET", `sys/health?${overrides}`, undefined, { token: "" })).status).toBe(
      200,
    );
    for (const method of ["POST", "PUT", "DELETE"])
      expect((await call(method, "sys/health")).status).toBe(405);
  });
  it("returns the status in activecode, with a body for GET and without one for HEAD", async () => {
    const { call, sys } = authority();
    for (const code of [200, 299, 429, 503, 599]) {
      const read = await call("GET", `sys/health?activecode=${code}&standbycode=474`, undefined, {
        token: "",
      });
      expect([read.status, read.json["initialized"], read.json["version"]]).toEqual([
        code,
        true,
        "2.1.0+ent",
      ]);
      const head = await call("HEAD", `sys/health?activecode=${code}`, undefined, { token: "" });
      expect([head.status, head.text]).toEqual([code, ""]);
    }
    // statuses without a body (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5)
    for (const code of [204, 205, 304]) {
      const bare = await call("GET", `sys/health?activecode=${code}`, undefined, { token: "" });
      expect([bare.status, bare.text]).toEqual([code, ""]);
    }
    expect(await sys.health({ activecode: 299, standbyok: true })).toMatchObject({ sealed: false });
    expect(await refusal(sys.health({ activecode: 503 }))).toEqual([503, expect.any(String)]);
  });
  it("rejects codes that are not HTTP status codes, and flags that are not booleans", async () => {
    const { call } = authority();
    const states = [
      "active",
      "standby",
      "drsecondary",
      "performancestandby",
      "haunhealthy",
      "uninit",
      "sealed",
      "removed",
    ];
    for (const state of states)
      for (const code of ["", "ok", "2e2", "200.0", "299&CODE=299"]) {
        const query = `${state}code=${code.replace("CODE", `${state}code`)}`;
        for (const method of ["GET", "HEAD"]) {
          const { status, text } = await call(method, `sys/health?${query}`, undefined, {
            token: "",
          });
          expect([query, status, text]).toEqual([
            query,
            400,
            method === "GET" ? '{"errors":[]}\n' : "",
          ]);
        }
      }
    for (const code of ["-1", "0", "101", "199", "600", "99999999999999999999"])
      expect([code, (await call("GET", `sys/health?activecode=${code}`)).status]).toEqual([
        code,
        400,
      ]);
    for (const flag of ["standbyok", "perfstandbyok"]) {
      for (const value of ["1", "0", "true", "F", ""])
        expect((await call("GET", `sys/health?${flag}=${value}`)).status).toBe(200);
      for (const value of ["yes", "2", "tRUE"])
        expect([value, (await call("GET", `sys/health?${flag}=${value}`)).status]).toEqual([
          value,
          400,
        ]);
    }
  });
});

describe("sys/seal-status", () => {
  it("returns a version that clients can compare", async () => {
    const { call, sys } = authority();
    expect((await sys.sealStatus()).sealed).toBe(false);
    const { status, json } = await call("GET", "sys/seal-status", undefined, { token: "" });
    expect(status).toBe(200);
    expect(json).toEqual({
      type: "shamir",
      initialized: true,
      sealed: false,
      t: 1,
      n: 1,
      progress: 0,
      nonce: "",
      version: (await call("GET", "sys/health")).json["version"],
      build_date: "",
      migration: false,
      cluster_name: "sealwright",
      cluster_id: expect.stringMatching(uuid),
      recovery_seal: false,
      removed_from_cluster: false,
      storage_type: "sealwright",
    });
  });
});

describe("the cluster_id", () => {
  it("is generated once, by the first start or by a call in an older deployment, and stays the same on all engines", async () => {
    const stores = memoryStore();
    const [a, b] = [authority({ stores, seed: 1 }), authority({ stores, seed: 2 })];
    const told = await Promise.all([a.sys.health({}), b.sys.sealStatus(), a.sys.sealStatus()]);
    const later = await authority({ stores, seed: 3 }).sys.sealStatus();
    expect(new Set([...told, later].map(({ cluster_id }) => cluster_id)).size).toBe(1);
    expect((await authority({ seed: 4 }).sys.sealStatus()).cluster_id).not.toBe(later.cluster_id);
    await stores("sys").commit({ del: ["cluster"] });
    const both = [authority({ stores, seed: 5 }), authority({ stores, seed: 6 })];
    const drawn = await Promise.all(both.map(({ sys }) => sys.sealStatus()));
    expect(new Set(drawn.map(({ cluster_id }) => cluster_id)).size).toBe(1);
    expect(drawn[0]?.cluster_id).toMatch(uuid);
  });
  it("is empty while the sys store is unreachable", async () => {
    const stores = memoryStore();
    const away = authority({
      stores: (name) => ({
        ...stores(name),
        ...(name === "sys" ? { get: () => Promise.reject(new Error("away")) } : {}),
      }),
    });
    const { status, json } = await away.call("GET", "sys/health");
    expect([status, json["cluster_id"]]).toEqual([200, ""]);
  });
});
