import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { signedDigest, type Entry } from "../../src/log/tree/entry.ts";
import { followLog, type LogSource } from "../../src/log/tree/follow.ts";
import { digestOf } from "../../src/log/tree/hash.ts";
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

/**
 * Issues certificates concurrently until the server no longer responds. `reached` resolves when
 * there are `count` certificates, `done` when the server has stopped.
 */
function issueUntilKilled(server: RunningServer, certificates: string[], count: number) {
  let reach = (): void => undefined;
  const hasReached = new Promise<void>((resolve) => (reach = resolve));
  const lanes = Array.from({ length: 4 }, async () => {
    for (;;) {
      const { certificate } = await post(server, "issue/log", { common_name: "a.test" });
      if (certificates.push(String(certificate)) >= count) reach();
    }
  });
  const done = Promise.allSettled(lanes);
  return { reached: Promise.race([hasReached, done]), done };
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
    const [byte = 0] = random(1);
    const count = certificates.length + 200 + byte;
    const { reached, done } = issueUntilKilled(server, certificates, count);
    await reached;
    await follow();
    await server.kill9();
    await done;
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
  const digests = new Set(entries.map((entry) => toHex(signedDigest(entry))));
  const unlogged = certificates.filter((pem) => !digests.has(toHex(digestOf(derOf(pem)))));
  expect([unlogged, certificates.length >= 600]).toEqual([[], true]);
  await server.stop();
});
