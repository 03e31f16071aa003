import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import { hosts, setClock, type RunningHost } from "./hosts.ts";

const hour = 3_600_000;
let server: RunningHost;
let api: Api;

describe.each(hosts)("tidy at $host", ({ start }) => {
  beforeAll(async () => {
    server = await start({ clocked: true, env: { LOG: "json" } });
    api = apiOf(server);
    await makeAuthority(api);
  });
  afterAll(() => server.stop());
  noteEvents(() => server);

  it("returns 202, reports its progress until it has finished, and deletes expired certificates", async () => {
    const serials: string[] = [];
    for (let i = 0; i < 4; i++) {
      const leaf = await api("POST", "pki/issue/web", {
        common_name: "www.example.com",
        ttl: "1h",
      });
      serials.push(leaf.data["serial_number"] ?? "");
    }
    for (const serial_number of serials.slice(0, 2))
      expect((await api("POST", "pki/revoke", { serial_number })).status).toBe(200);
    const inactive = await api("GET", "pki/tidy-status");
    expect(inactive.data["state"]).toBe("Inactive");
    let now = Date.now();
    const pass = async (ms: number): Promise<void> => {
      now += ms;
      await setClock(server, now);
    };
    await pass(100 * hour);
    const begun = await api("POST", "pki/tidy", {
      tidy_cert_store: true,
      tidy_revoked_certs: true,
    });
    expect([begun.status, begun.text.includes("Tidy operation successfully started.")]).toEqual([
      202,
      true,
    ]);
    let status = await api("GET", "pki/tidy-status");
    for (let looks = 0; status.data["state"] === "Running"; looks++) {
      expect(looks).toBeLessThan(50);
      await pass(1000);
      status = await api("GET", "pki/tidy-status");
    }
    expect(status.data).toMatchObject({
      state: "Finished",
      cert_store_deleted_count: 4,
      revoked_cert_deleted_count: 2,
    });
    await pass(2000);
    const crl = await api("GET", "pki/cert/crl");
    expect(crl.status).toBe(200);
    expect((await api("GET", `pki/cert/${serials[0]}`)).status).toBe(404);
    expect((await api("GET", "pki/certs/revoked?list=true")).status).toBe(404);
    const none = await fetch(`${server.url}/v1/pki/tidy-cancel`, { method: "POST" });
    expect(none.status).toBe(403);
  });
});
