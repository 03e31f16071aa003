import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf, logLines, makeAuthority, noteEvents, type Answer } from "../http/api.ts";
import { temporaryDirectory } from "../support/server.ts";
import { hosts, setClock, type RunningHost } from "./hosts.ts";

let server: RunningHost;

interface Info {
  readonly token: string;
  readonly ttl: number;
}
/** Issues a certificate as an existing client does: with PUT and its own token and wrap headers. */
async function wrappedIssue(ttl: string): Promise<Info> {
  const answer = await apiOf(server)(
    "PUT",
    "pki/issue/web",
    { common_name: "www.example.com" },
    { token: "X-Vault-Token", headers: { "X-Vault-Wrap-TTL": ttl } },
  );
  expect([answer.status, answer.data], answer.text).toEqual([200, null]);
  return answer.json["wrap_info"] as Info;
}
/** Unwraps like a client without another token: with the wrapping token only and no body. */
const unwrap = (token: string): Promise<Answer> =>
  apiOf({ url: server.url, token })("PUT", "sys/wrapping/unwrap", undefined, {
    token: "X-Vault-Token",
  });

describe.each(hosts)("a wrapped response of $host", ({ start }) => {
  const options = {
    clocked: true,
    dataDir: temporaryDirectory(),
    // a restarted server has the same token
    env: { LOG: "json", SERVICE_ROOT_TOKEN: randomBytes(16).toString("hex") },
  };
  beforeAll(async () => {
    server = await start(options);
    await makeAuthority(apiOf(server));
  });
  afterAll(() => server.stop());
  noteEvents(() => server);

  it("a wrapped private key is returned once to the holder of the token, even after a kill of the server", async () => {
    const info = await wrappedIssue("5m");
    expect(info.ttl).toBe(300);
    await server.kill9();
    server = await start(options);
    const opened = await unwrap(info.token);
    expect([opened.status, opened.data["private_key"]]).toEqual([
      200,
      expect.stringContaining("PRIVATE KEY"),
    ]);
    const again = await apiOf(server)(
      "PUT",
      "sys/wrapping/unwrap",
      { token: info.token },
      { token: "X-Vault-Token" },
    );
    expect([again.status, again.json["errors"]]).toEqual([
      400,
      ["wrapping token is not valid or does not exist"],
    ]);
    const logged = () =>
      logLines(server.output()).map(({ endpoint, status }) => [endpoint, status]);
    await expect.poll(logged).toEqual(expect.arrayContaining([["unwrap", 200]]));
    expect(server.output()).not.toContain(info.token.slice(5));
  });

  it("a wrapped private key cannot be unwrapped after its TTL has expired", async () => {
    const info = await wrappedIssue("60");
    await setClock(server, Date.now() + 120_000);
    expect((await unwrap(info.token)).status).toBe(400);
  });
});
