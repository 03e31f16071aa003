import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
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

describe("the environment variable", () => {
  noteEvents(() => server);

  it("PUBLIC_URL, by default the server's own address, prefills config/cluster", async () => {
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

  it("DISABLE_PKI_CONSTRAINTS_VERIFICATION lets a leaf violate the name constraints of its issuer", async () => {
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

  it("ALLOWED_ORIGINS permits cross-origin requests from these origins only", async () => {
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

  it("SEALING_KEY is rotated with SEALING_KEY_PREVIOUS and sys/rotate; the former key then stops the start", async () => {
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
        const issue = async (): Promise<number> => {
          const answer = await call("POST", "pki/issue/web", leaf);
          expect(answer.text).not.toMatch(/[A-Za-z0-9+/]{43}=/);
          return answer.status;
        };
        if (!rotate) return await issue();
        expect(await issue()).toBe(200);
        expect((await call("POST", "sys/rotate")).data["resealed"]).toBe(3);
        return await issue();
      } finally {
        await running.stop();
      }
    };
    expect(await issuedUnder({ SEALING_KEY: one })).toBe(200);
    const wrong =
      /ended with 1:\nThe keys in \S+ were sealed with a different key than the one in SEALING_KEY: restore the earlier key, [^\n]+ To restore a backup with the present key, use a new data directory\.\n$/;
    expect(await issuedUnder({ SEALING_KEY: other, SEALING_KEY_PREVIOUS: one }, true)).toBe(200);
    expect(await issuedUnder({ SEALING_KEY: other })).toBe(200);
    await expect(issuedUnder({ SEALING_KEY: one })).rejects.toThrow(wrong);
  });

  it("LOG=json prints one line per request, without secrets or data of callers", async () => {
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
    await api("POST", "pki/roles/web", { ...web, organization: canary });
    await api("POST", "pki/roles/web", { ...web, [canary]: canary });
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
    // the launcher's own request on a first start may be logged at any time
    const byCallers = (text: string) =>
      logLines(text).filter(({ endpoint }) => endpoint !== "listMounts");
    await expect.poll(() => byCallers(server.output()).length).toBe(9);
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
      ["writeRole", 400, "unknown_field"],
      ["issue", 200, undefined],
      ["issue", 400, "name_not_allowed"],
      ["issue", 400, "malformed"],
      ["issue", 403, "forbidden"],
      ["none", 404, "no_route"],
      ["revoke", 200, undefined],
    ]);
  });
});
