import { afterEach, expect, it } from "vitest";
import { acmeClient } from "../acme/client.ts";
import { startServer, type RunningServer } from "../support/server.ts";
import { apiOf, makeAuthority, type Api } from "./api.ts";

let running: RunningServer | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function started(env: Record<string, string>, dataDir?: string): Promise<Api> {
  running = await startServer({ env, ...(dataDir === undefined ? {} : { dataDir }) });
  return apiOf(running);
}
const client = (of = running) =>
  acmeClient({ fetch, directory: `${of?.url ?? ""}/v1/pki/acme/directory` });

it("B 5.3 unparsable variable: an invalid SERVICE_DISABLE_PUBLIC_ACME allows ACME only on mounts that always require a binding", async () => {
  const name = "SERVICE_DISABLE_PUBLIC_ACME";
  const api = await started({ [name]: "" });
  await makeAuthority(api);
  const refused = await api("POST", "pki/config/acme", { enabled: true });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(name)]);
  const strict = { enabled: true, eab_policy: "always-required" };
  expect((await api("POST", "pki/config/acme", strict)).status).toBe(200);
  expect((await api("GET", "pki/acme/directory", undefined, { token: "none" })).status).toBe(200);
});

it("ACME_ACCOUNT_LIMIT limits the new accounts of an address", async () => {
  const limited = await started({ ACME_ACCOUNT_LIMIT: "1" });
  await makeAuthority(limited);
  await limited("POST", "pki/config/acme", { enabled: true });
  expect((await client().register()).status).toBe(201);
  const second = await client().register();
  expect([second.status, second.problem]).toEqual([429, "rateLimited"]);
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
});
