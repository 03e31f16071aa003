import { expect, it } from "vitest";
import { authority } from "../../support/authority.ts";

it("sys/init reports that the server is initialized, and rejects another initialization", async () => {
  const a = authority();
  expect((await a.call("GET", "sys/init", undefined, { token: "" })).json).toEqual({
    initialized: true,
  });
  const { status, errors } = await a.call(
    "PUT",
    "sys/init",
    { secret_shares: 1, secret_threshold: 1 },
    { token: "" },
  );
  expect([status, errors]).toEqual([400, ["the server is already initialized"]]);
});

it("sys/seal requires sudo, and is rejected with the alternative", async () => {
  const a = authority();
  for (const token of ["", "operator"])
    expect((await a.call("PUT", "sys/seal", undefined, { token })).status).toBe(403);
  for (const compat of [false, true]) {
    const { status, errors } = await a.call("PUT", "sys/seal", undefined, { compat });
    expect(status).toBe(400);
    expect(errors).toEqual([
      expect.stringMatching(/^the server cannot be sealed by a request.*remove the sealing key$/),
    ]);
  }
  const { json } = await a.call("GET", "sys/seal-status", undefined, { token: "" });
  expect(json["sealed"]).toBe(false);
  await a.root();
});

it("sys/unseal accepts any input and returns the seal status", async () => {
  const a = authority();
  for (const body of [{ key: "anything" }, { reset: true }, {}]) {
    const { status, json } = await a.call("PUT", "sys/unseal", body, { token: "" });
    expect(status).toBe(200);
    expect(json).toEqual((await a.call("GET", "sys/seal-status")).json);
  }
});

it("sys/leader reports a single node", async () => {
  const { status, json } = await authority().call("GET", "sys/leader", undefined, { token: "" });
  expect([status, json]).toEqual([
    200,
    {
      ha_enabled: false,
      is_self: false,
      active_time: "0001-01-01T00:00:00Z",
      leader_address: "",
      leader_cluster_address: "",
      performance_standby: false,
      performance_standby_last_remote_wal: 0,
    },
  ]);
});
