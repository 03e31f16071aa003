import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { isEntryOf, type Entry } from "../../src/log/tree/entry.ts";
import { followLog, type LogSource } from "../../src/log/tree/follow.ts";
import { parseVerifierKey } from "../../src/log/tree/note.ts";
import type { Checkpoint } from "../../src/log/tree/checkpoint.ts";
import { derOf } from "../pki/reading.ts";
import { seeded } from "../support/authority.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";

type Fields = Readonly<Record<string, unknown>>;
const read = ({ url, token }: RunningServer, path: string): Promise<Response> =>
  fetch(`${url}/v1/pki/${path}`, { headers: { "x-service-token": token } });
async function post({ url, token }: RunningServer, path: string, body: Fields): Promise<Fields> {
  const response = await fetch(`${url}/v1/pki/${path}`, {
    method: "POST",
    headers: { "x-service-token": token },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { readonly data: Fields };
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return data;
}
const sourceOf = (server: RunningServer): LogSource => ({
  checkpoint: async () => (await read(server, "log/checkpoint")).text(),
  tile: async (path) =>
    new Uint8Array(await (await read(server, `log/tile/${path}`)).arrayBuffer()),
});

/** Issues certificates concurrently until the server no longer responds. */
async function issueUntilKilled(server: RunningServer, certificates: string[]): Promise<void> {
  const lanes = Array.from({ length: 4 }, async () => {
    for (;;) {
      const { certificate } = await post(server, "issue/log", { common_name: "a.test" });
      certificates.push(String(certificate));
    }
  });
  await Promise.allSettled(lanes);
}

it("after kills, the log of a mount has exactly the certificates that the mount stores, in one tree", async () => {
  const seed = Date.now() % 1_000_000;
  process.stdout.write(`seed ${seed}\n`);
  const random = seeded(seed);
  const dataDir = temporaryDirectory();
  const certificates: string[] = [];
  const start = () => startServer({ dataDir, env: { WORKERS: "2" } });
  let server = await start();
  const { verifier_key } = await post(server, "config/log", {
    enabled: true,
    origin: "a.test/log",
  });
  const key = parseVerifierKey(String(verifier_key));
  if (!key) throw new Error(String(verifier_key));
  await post(server, "root/generate/internal", { common_name: "Root", key_type: "ec" });
  await post(server, "roles/log", { allow_any_name: true, key_type: "ec", ttl: "1h" });
  const entries: Entry[] = [];
  let previous: Checkpoint | undefined;
  const follow = async (): Promise<void> => {
    const visit = (entry: Entry): void => void entries.push(entry);
    const { fault, checkpoint } = await followLog(sourceOf(server), { key, previous }, visit);
    expect(fault).toBeUndefined();
    previous = checkpoint;
  };
  for (let round = 0; round < 3; round++) {
    const issuing = issueUntilKilled(server, certificates);
    const [byte = 0] = random(1);
    await pause(1000 + byte * 6);
    await follow();
    await server.kill9();
    await issuing;
    server = await start();
  }
  const { data } = (await (await read(server, "certs?list=true")).json()) as {
    readonly data: { readonly keys: readonly string[] };
  };
  const logged = () => entries.filter(({ type }) => type === "certificate");
  for (let n = 0; n < 100 && logged().length < data.keys.length; n++) {
    await pause(100);
    await follow();
  }
  expect(logged()).toHaveLength(data.keys.length);
  const unlogged = certificates.filter(
    (pem) => !entries.some((entry) => isEntryOf(entry, derOf(pem))),
  );
  expect([unlogged, certificates.length > 10]).toEqual([[], true]);
  await server.stop();
});
