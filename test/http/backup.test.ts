import { afterEach, expect, it } from "vitest";
import { partsIn } from "../../src/sys/backup/part.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { apiOf, makeAuthority, type Api } from "./api.ts";

let end = async (): Promise<unknown> => undefined;
afterEach(() => end());

const begun = async (dataDir: string): Promise<RunningServer> => {
  const server = await startServer({ dataDir });
  end = () => server.kill9();
  return server;
};
const backup = ({ url, token }: RunningServer, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/sys/storage/snapshot/pki`, {
    headers: { "X-Service-Token": token },
    ...(signal ? { signal } : {}),
  });
const send = async (
  { url, token }: RunningServer,
  part: Uint8Array,
  path = "snapshot/pki",
): Promise<readonly [number, string]> => {
  const answer = await fetch(`${url}/v1/sys/storage/${path}`, {
    method: "POST",
    headers: { "X-Service-Token": token },
    body: new Uint8Array(part),
  });
  return [answer.status, await answer.text()];
};
/** Creates enough rows for a backup of several parts. */
async function fill(api: Api): Promise<void> {
  const domains = Array.from({ length: 14_000 }, (_, i) => `name-${i}.${"long-".repeat(10)}test`);
  for (let i = 0; i < 9; i++) {
    const { status } = await api("POST", `pki/roles/large-${i}`, { allowed_domains: domains });
    expect(status).toBe(200);
  }
}

it("kill -9 during a backup or a restore loses nothing: the backup is rejected if truncated, the restore can be resumed", async () => {
  const dataDir = temporaryDirectory();
  let server = await begun(dataDir);
  const api = (): Api => apiOf(server);
  await makeAuthority(api());
  await fill(api());
  const leaf = await api()("POST", "pki/issue/web", { common_name: "www.example.com" });
  const serial = leaf.data["serial_number"] ?? "";

  const torn = await backup(server);
  const reader = (torn.body ?? new ReadableStream()).getReader();
  await reader.read();
  await server.kill9();
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  await expect(rest()).rejects.toThrow();

  server = await begun(dataDir);
  const parts: Uint8Array[] = [];
  for await (const part of partsIn([new Uint8Array(await (await backup(server)).arrayBuffer())]))
    parts.push(part);
  expect(parts.length).toBeGreaterThan(2);
  const [first = new Uint8Array(), ...later] = parts;
  expect((await send(server, first, "snapshot-check"))[0]).toBe(200);
  expect((await send(server, first))[0]).toBe(400);
  await api()("DELETE", "sys/mounts/pki");

  const cut = send(server, first).catch(() => undefined);
  await server.kill9();
  await cut;
  server = await begun(dataDir);
  expect((await api()("GET", `pki/cert/${serial}`)).status).not.toBe(200);
  expect(await send(server, first)).toEqual([200, expect.stringContaining('"last":false')]);
  await server.kill9();
  server = await begun(dataDir);
  expect((await api()("GET", `pki/cert/${serial}`)).status).toBe(503);
  await expect.poll(() => server.output()).toContain("restore of the mount was not completed");
  for (const part of later) {
    const last = part === later.at(-1);
    expect(await send(server, part)).toEqual([200, expect.stringContaining(`"last":${last}`)]);
  }
  expect((await api()("GET", `pki/cert/${serial}`)).data["certificate"]).toBe(
    leaf.data["certificate"],
  );
  const more = await api()("POST", "pki/issue/web", { common_name: "www.example.com" });
  expect(more.status).toBe(200);
});
