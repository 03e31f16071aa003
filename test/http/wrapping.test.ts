import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { apiOf, logLines, makeAuthority, noteEvents, type Answer } from "./api.ts";

const dataDir = temporaryDirectory();
// a server that is killed begins again with the same token
const env = {
  LOG: "json",
  SEALWRIGHT_TEST_CLOCK: "1",
  SERVICE_ROOT_TOKEN: randomBytes(16).toString("hex"),
};
let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env, dataDir });
  await makeAuthority(apiOf(server));
});
afterAll(() => server.stop());
noteEvents(() => server);

interface Info {
  readonly token: string;
  readonly ttl: number;
}
/** Asks as clients of the family do: PUT, the token and the header under their old names. */
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
/** Unwraps as a client does that has no other token: without a body. */
const unwrap = (token: string): Promise<Answer> =>
  apiOf({ url: server.url, token })("PUT", "sys/wrapping/unwrap", undefined, {
    token: "X-Vault-Token",
  });

it("a key reaches whoever has the token, once, though the server was killed in between", async () => {
  const info = await wrappedIssue("5m");
  expect(info.ttl).toBe(300);
  await server.kill9();
  server = await startServer({ env, dataDir });
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
  const logged = () => logLines(server.output()).map(({ endpoint, status }) => [endpoint, status]);
  await expect.poll(logged).toEqual(expect.arrayContaining([["unwrap", 200]]));
  expect(server.output()).not.toContain(info.token.slice(5));
});

it("a key that nobody fetches is gone after its time", async () => {
  const info = await wrappedIssue("60");
  const body = JSON.stringify({ now: Date.now() + 120_000 });
  expect((await fetch(`${server.url}/test/clock`, { method: "PUT", body })).status).toBe(204);
  expect((await unwrap(info.token)).status).toBe(400);
});
