import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  EndedEarly,
  startServer,
  temporaryDirectory,
  type RunningServer,
} from "../support/server.ts";
import { apiOf, logLines, makeAuthority, noteEvents, type Api } from "./api.ts";

let server: RunningServer;
let api: Api;
const started: RunningServer[] = [];
async function start(env: Record<string, string> = {}): Promise<void> {
  server = await startServer({ env: { LOG: "json", ...env } });
  started.push(server);
  api = apiOf(server);
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});
const web = { allowed_domains: "example.com", allow_subdomains: true, key_type: "ec" };
const leaf = { common_name: "www.example.com" };

describe("what one connection changes", () => {
  beforeEach(() => start());
  noteEvents(() => server);

  it("holds for the very next request on another: a role, an issuer, a lifetime", async () => {
    await makeAuthority(api);
    for (let turn = 0; turn < 20; turn++) {
      expect(
        (await api("POST", "pki/roles/web", { ...web, allowed_domains: "example.org" })).status,
      ).toBe(200);
      expect((await api("POST", "pki/issue/web", leaf)).status, `turn ${turn}`).toBe(400);
      expect(
        (await api("POST", "pki/roles/web", { ...web, organization: `turn ${turn}` })).status,
      ).toBe(200);
      expect((await api("POST", "pki/issue/web", leaf)).status, `turn ${turn}`).toBe(200);
    }
    expect((await api("DELETE", "pki/roles/web")).status).toBe(204);
    expect((await api("POST", "pki/issue/web", leaf)).status).toBe(400);
  });

  it("holds for requests that were under way at no later time than its answer", async () => {
    await makeAuthority(api);
    for (let turn = 0; turn < 5; turn++) {
      await api("POST", "pki/roles/web", web);
      let changed = false;
      const issuing = Array.from({ length: 8 }, async () => {
        for (;;) {
          const late = changed;
          const { status } = await api("POST", "pki/issue/web", leaf);
          if (late) return status;
        }
      });
      await api("POST", "pki/roles/web", { ...web, allowed_domains: "example.org" });
      changed = true;
      expect(new Set(await Promise.all(issuing))).toEqual(new Set([400]));
    }
  });

  it("is never lost to others that change the same at once, and hangs nobody", async () => {
    await makeAuthority(api);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        const statuses: number[] = [];
        for (let turn = 0; turn < 20; turn++)
          statuses.push(
            (
              await api("POST", "pki/intermediate/generate/internal", {
                key_type: "ec",
                common_name: `CA ${worker}-${turn}`,
              })
            ).status,
          );
        return statuses;
      }),
    );
    expect(new Set(answers.flat())).toEqual(new Set([200]));
    expect(server.output()).not.toContain("hung");
  });

  it("a mount that was removed refuses at once, and one made anew under its path knows nothing of it", async () => {
    expect(
      (await api("POST", "sys/mounts/team", { type: "pki", config: { max_lease_ttl: "87600h" } }))
        .status,
    ).toBe(204);
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
    expect((await api("LIST", "team/certs")).status).toBe(404);
    expect((await api("GET", `team/cert/${issued.data["serial_number"]}`)).status).toBe(404);
  });
});

describe("a setting", () => {
  noteEvents(() => server);

  it("PUBLIC_URL, by itself the server's own address, prefills config/cluster", async () => {
    await start();
    expect((await api("GET", "pki/config/cluster")).data).toEqual({
      path: `${server.url}/v1/pki`,
      aia_path: `${server.url}/v1/pki`,
    });
    await start({ PUBLIC_URL: "https://ca.example.com/" });
    await api("POST", "sys/mounts/other", { type: "pki" });
    expect((await api("GET", "other/config/cluster")).data["path"]).toBe(
      "https://ca.example.com/v1/other",
    );
  });

  it("DISABLE_PKI_CONSTRAINTS_VERIFICATION lets a leaf break the constraints of its chain", async () => {
    const issued = async () => {
      await api("POST", "pki/root/generate/internal", {
        common_name: "Root",
        key_type: "ec",
        permitted_dns_domains: "ok.test",
      });
      await api("POST", "pki/roles/any", { key_type: "ec", allow_any_name: true });
      return (await api("POST", "pki/issue/any", { common_name: "b.test", ttl: "1h" })).status;
    };
    for (const [value, status] of [
      ["false", 400],
      ["true", 200],
    ] as const) {
      await start({ DISABLE_PKI_CONSTRAINTS_VERIFICATION: value });
      expect([value, await issued()]).toEqual([value, status]);
    }
  });

  it("ALLOWED_ORIGINS lets browsers call from these origins only", async () => {
    await start({ ALLOWED_ORIGINS: "https://page.example, https://other.example" });
    const from = (origin: string, method = "GET") =>
      api(method, "pki/ca/pem", undefined, { token: "none", headers: { Origin: origin } });
    for (const origin of ["https://page.example", "https://other.example"]) {
      const answer = await from(origin);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("vary")).toContain("Origin");
      const preflight = await from(origin, "OPTIONS");
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-headers")).toContain("X-Service-Token");
    }
    for (const origin of ["https://page.example.evil.test", "http://page.example", "null"]) {
      expect((await from(origin)).headers.get("access-control-allow-origin")).toBeNull();
      expect((await from(origin, "OPTIONS")).status).toBe(403);
    }
  });

  it.each([
    ["SEALING_KEY", "c2hvcnQ="],
    ["SEALING_KEY", "not base64 canary"],
    ["SEALING_KEY_PREVIOUS", "c2hvcnQ="],
    ["SERVICE_ROOT_TOKEN", "short-canary"],
  ])(
    "%s that is unfit is named by the launcher, which ends, and its value nowhere",
    async (name, value) => {
      const ended = await startServer({ env: { [name]: value } }).catch((error: unknown) => error);
      expect(ended).toBeInstanceOf(EndedEarly);
      expect(String(ended)).toMatch(new RegExp(`ended with 1:\n${name} must be `));
      expect(String(ended)).not.toContain(value);
    },
  );

  it("SEALING_KEY changes by SEALING_KEY_PREVIOUS and sys/rotate, and with another key nothing starts", async () => {
    const dataDir = temporaryDirectory();
    const [one, other] = [
      Buffer.alloc(32, 1).toString("base64"),
      Buffer.alloc(32, 2).toString("base64"),
    ];
    const issuedUnder = async (env: Record<string, string>, rotate = false): Promise<number> => {
      const running = await startServer({ dataDir, env });
      try {
        const call = apiOf(running);
        if (!existsSync(join(dataDir, "made"))) await makeAuthority(call);
        writeFileSync(join(dataDir, "made"), "");
        if (rotate) expect((await call("POST", "sys/rotate")).data["resealed"]).toBe(3);
        const answer = await call("POST", "pki/issue/web", leaf);
        expect(answer.text).not.toMatch(/[A-Za-z0-9+/]{43}=/);
        return answer.status;
      } finally {
        await running.stop();
      }
    };
    expect(await issuedUnder({ SEALING_KEY: one })).toBe(200);
    const wrong =
      /ended with 1:\nThe keys in \S+ were sealed under another key than the one in SEALING_KEY: [^\n]+\n$/;
    await expect(issuedUnder({ SEALING_KEY: other })).rejects.toThrow(wrong);
    expect(await issuedUnder({ SEALING_KEY: other, SEALING_KEY_PREVIOUS: one })).toBe(200);
    expect(await issuedUnder({ SEALING_KEY: other, SEALING_KEY_PREVIOUS: one }, true)).toBe(200);
    expect(await issuedUnder({ SEALING_KEY: other })).toBe(200);
    await expect(issuedUnder({ SEALING_KEY: one })).rejects.toThrow(wrong);
  });

  it("LOG=json prints one line a request, and nothing that a caller keeps secret", async () => {
    const token = "root-token-canary-0001";
    await start({
      SERVICE_ROOT_TOKEN: token,
      SEALING_KEY: Buffer.alloc(32, "canary").toString("base64"),
    });
    const canary = "canary-5d1e";
    const root = await api("POST", "pki/root/generate/exported", {
      common_name: `${canary} root`,
      key_type: "ec",
      ttl: "87600h",
    });
    await api("POST", "pki/roles/web", { ...web, organization: canary, [canary]: canary });
    const issued = await api("POST", "pki/issue/web", {
      ...leaf,
      alt_names: `${canary}.example.com`,
    });
    expect(issued.status).toBe(200);
    await api("POST", "pki/issue/web", { common_name: `${canary}.example.org` });
    await api("POST", "pki/issue/web", `{"${canary}`);
    await api("POST", `pki/issue/web?${canary}=1`, leaf, {
      headers: { "X-Service-Token": `s.${canary}` },
    });
    await api("POST", `nothing/${canary}`, { [canary]: 1 });
    await api("POST", "pki/revoke", { certificate: issued.data["certificate"] });
    // the launcher's own call on a first start, whenever it comes
    const byCallers = (text: string) =>
      logLines(text).filter(({ endpoint }) => endpoint !== "listMounts");
    await expect.poll(() => byCallers(server.output()).length).toBe(8);
    const printed = server.output().slice(server.output().indexOf('{"endpoint"'));
    const key = (pem: string | undefined): string => pem?.split("\n")[2] ?? "none";
    for (const secret of [
      token,
      canary,
      key(root.data["private_key"]),
      key(issued.data["private_key"]),
      Buffer.alloc(32, "canary").toString("base64"),
    ])
      expect(printed).not.toContain(secret);
    expect(
      byCallers(printed).map(({ endpoint, status, refusal }) => [endpoint, status, refusal]),
    ).toEqual([
      ["generateExportedRoot", 200, undefined],
      ["writeRole", 200, undefined],
      ["issue", 200, undefined],
      ["issue", 400, "name_not_allowed"],
      ["issue", 400, "malformed"],
      ["issue", 403, "forbidden"],
      ["none", 404, "no_route"],
      ["revoke", 200, undefined],
    ]);
  });
});

describe("over HTTP", () => {
  beforeEach(() => start());
  noteEvents(() => server);

  it("HEAD answers the headers of GET without a body, and a list is not modified for one who has it", async () => {
    await makeAuthority(api);
    for (const path of ["pki/ca/pem", "pki/crl", "sys/health"]) {
      const [get, head] = [
        await api("GET", path, undefined, { token: "none" }),
        await api("HEAD", path, undefined, { token: "none" }),
      ];
      expect([head.status, head.text]).toEqual([200, ""]);
      for (const name of ["content-type", "etag", "last-modified", "cache-control"])
        expect(head.headers.get(name), name).toBe(get.headers.get(name));
    }
    const etag = (await api("GET", "pki/crl")).headers.get("etag") ?? "";
    expect(
      (await api("GET", "pki/crl", undefined, { headers: { "If-None-Match": etag } })).status,
    ).toBe(304);
  });

  it("the header of the token chooses the dialect", async () => {
    await makeAuthority(api);
    const [own, ...compat] = [
      await api("POST", "pki/issue/web", leaf),
      await api("PUT", "pki/issue/web", leaf, { token: "X-Vault-Token" }),
      await api("POST", "pki/issue/web", leaf, { token: "Authorization" }),
    ];
    expect([typeof own?.data["expiration"], own?.json["warnings"]]).toEqual(["string", ""]);
    for (const answer of compat)
      expect([typeof answer.data["expiration"], answer.json["warnings"]]).toEqual(["number", null]);
    const both = await api("POST", "pki/issue/web", leaf, {
      headers: { "X-Vault-Token": "wrong" },
    });
    expect([both.status, typeof both.data["expiration"]]).toEqual([200, "string"]);
  });
});
