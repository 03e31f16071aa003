import { describe, expect, it } from "vitest";
import { authority, start } from "../support/authority.ts";

describe("sys/health", () => {
  it("tells what clients look for, without a token and without envelope", async () => {
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
      cluster_name: "sealwright",
      cluster_id: "",
    });
  });
  it("answers HEAD, takes the status overrides that clients send, and no other method", async () => {
    const { call } = authority();
    const head = await call("HEAD", "sys/health", undefined, { token: "" });
    expect([head.status, head.text]).toEqual([200, ""]);
    const overrides =
      "uninitcode=299&sealedcode=299&standbycode=299&drsecondarycode=299&performancestandbycode=299&removedcode=299&haunhealthycode=299&standbyok=true";
    expect((await call("GET", `sys/health?${overrides}`, undefined, { token: "" })).status).toBe(200);
    for (const method of ["POST", "PUT", "DELETE"]) expect((await call(method, "sys/health")).status).toBe(405);
  });
});

describe("sys/seal-status", () => {
  it("tells a version that clients can compare", async () => {
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
      cluster_id: "",
      recovery_seal: false,
      storage_type: "sealwright",
    });
  });
});
