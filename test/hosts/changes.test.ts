import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { apiOf, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import { hosts, type RunningHost } from "./hosts.ts";

const web = { allowed_domains: "example.com", allow_subdomains: true, key_type: "ec" };
const leaf = { common_name: "www.example.com" };
let server: RunningHost;
let api: Api;
/** The mount of the running test. */
let mount: string;
let mounts = 0;
const pkiMount = { type: "pki", config: { max_lease_ttl: "87600h" } };

describe.each(hosts)("configuration changes at $host", ({ start }) => {
  beforeAll(async () => {
    server = await start({ workers: 2, env: { LOG: "json" } });
    api = apiOf(server);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    mount = `changes-${mounts++}`;
    expect((await api("POST", `sys/mounts/${mount}`, pkiMount)).status).toBe(204);
  });
  noteEvents(() => server);

  it("a changed role applies to the very next request, even on another connection", async () => {
    await makeAuthority(api, mount);
    for (let turn = 0; turn < 8; turn++) {
      expect(
        (await api("POST", `${mount}/roles/web`, { ...web, allowed_domains: "example.org" }))
          .status,
      ).toBe(200);
      expect((await api("POST", `${mount}/issue/web`, leaf)).status, `turn ${turn}`).toBe(400);
      expect(
        (await api("POST", `${mount}/roles/web`, { ...web, organization: `turn ${turn}` })).status,
      ).toBe(200);
      expect((await api("POST", `${mount}/issue/web`, leaf)).status, `turn ${turn}`).toBe(200);
    }
    expect((await api("DELETE", `${mount}/roles/web`)).status).toBe(204);
    expect((await api("POST", `${mount}/issue/web`, leaf)).status).toBe(400);
  });

  it("a new issuer stops the missing-issuer warning in the very next requests", async () => {
    const warned = async (): Promise<boolean> =>
      /no issuer exists/.test((await api("POST", `${mount}/roles/web`, web)).text);
    expect(await Promise.all(Array.from({ length: 4 }, warned))).not.toContain(false);
    await makeAuthority(api, mount);
    expect(await Promise.all(Array.from({ length: 4 }, warned))).not.toContain(true);
  });

  it("a changed role applies to every concurrent request that starts after its acknowledgement", async () => {
    await makeAuthority(api, mount);
    for (let turn = 0; turn < 5; turn++) {
      await api("POST", `${mount}/roles/web`, web);
      let changed = false;
      const issuing = Array.from({ length: 8 }, async () => {
        for (;;) {
          const late = changed;
          const { status } = await api("POST", `${mount}/issue/web`, leaf);
          if (late) return status;
        }
      });
      await api("POST", `${mount}/roles/web`, { ...web, allowed_domains: "example.org" });
      changed = true;
      expect(new Set(await Promise.all(issuing))).toEqual(new Set([400]));
    }
  });

  it("concurrent changes to one mount all succeed", async () => {
    await makeAuthority(api, mount);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        const statuses: number[] = [];
        for (let turn = 0; turn < 5; turn++)
          statuses.push(
            (
              await api("POST", `${mount}/intermediate/generate/internal`, {
                key_type: "ec",
                common_name: `CA ${worker}-${turn}`,
              })
            ).status,
          );
        return statuses;
      }),
    );
    expect(new Set(answers.flat())).toEqual(new Set([200]));
  });

  it("requests to a deleted mount fail at once, and a new mount at the same path is empty", async () => {
    expect((await api("POST", "sys/mounts/team", pkiMount)).status).toBe(204);
    await makeAuthority(api, "team");
    const issued = await api("POST", "team/issue/web", leaf);
    expect(issued.status).toBe(200);
    expect((await api("DELETE", "sys/mounts/team")).status).toBe(204);
    expect((await api("POST", "team/issue/web", leaf)).status).toBe(404);
    expect(
      (await api("POST", "team/revoke", { serial_number: issued.data["serial_number"] })).status,
    ).toBe(404);
    expect((await api("POST", "sys/mounts/team", { type: "pki" })).status).toBe(204);
    expect((await api("POST", "team/issue/web", leaf)).status).toBe(400);
    expect((await api("GET", "team/certs?list=true")).status).toBe(404);
    expect((await api("GET", `team/cert/${issued.data["serial_number"]}`)).status).toBe(404);
  });

  it("a revocation soon appears on the CRL of every process", async () => {
    await makeAuthority(api, mount);
    const crls = async (): Promise<readonly string[]> => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => api("GET", `${mount}/crl/pem`)),
      );
      return [...new Set(answers.map(({ text }) => text))];
    };
    const [before] = await crls();
    const { data } = await api("POST", `${mount}/issue/web`, leaf);
    await api("POST", `${mount}/revoke`, { serial_number: data["serial_number"] });
    await expect.poll(crls, { interval: 50 }).toEqual([expect.not.stringContaining(before ?? "")]);
  });
});
