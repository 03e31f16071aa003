import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import type { TlsPair } from "../../server/http/tls-layer.ts";
import { certificate } from "../net/tls-fixture.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";

/** Returns the fingerprint of the certificate presented to a new connection. */
async function presentedBy({ url }: RunningServer): Promise<string> {
  const socket = await connected(url);
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256 ?? "none";
  socket.destroy();
  return fingerprint;
}
async function connected(url: string): Promise<TLSSocket> {
  const port = Number(new URL(url).port);
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}
async function statusOver(socket: TLSSocket): Promise<string> {
  socket.write("GET /v1/sys/health HTTP/1.1\r\nHost: a\r\n\r\n");
  const [chunk] = await once(socket, "data");
  return String(chunk).slice(9, 12);
}
const fingerprintOf = ({ cert }: TlsPair): string => new X509Certificate(cert).fingerprint256;
const pair = async (): Promise<TlsPair> => {
  const { key, pem } = await certificate({ names: { dns: ["localhost"], ip: ["127.0.0.1"] } });
  return { key: key.pem, cert: pem };
};

it("every process presents changed TLS files after SIGHUP or at the next check, and existing connections stay open", async () => {
  const directory = temporaryDirectory();
  const files = { TLS_CERT: join(directory, "cert"), TLS_KEY: join(directory, "key") };
  const write = ({ cert, key }: TlsPair): void => {
    writeFileSync(files.TLS_CERT, cert);
    writeFileSync(files.TLS_KEY, key);
  };
  const [first, second, third] = [await pair(), await pair(), await pair()];
  write(first);
  const server = await startServer({ env: { ...files, WORKERS: "2" } });
  // connections are passed to the processes in turn
  const presented = async () => [await presentedBy(server), await presentedBy(server)];
  const both = (one: TlsPair) => [fingerprintOf(one), fingerprintOf(one)];
  expect(await presented()).toEqual(both(first));
  const early = [await connected(server.url), await connected(server.url)];

  write({ cert: second.cert, key: first.key });
  process.kill(server.pid, "SIGHUP");
  await expect.poll(server.output).toContain("; the server keeps its current certificate.");
  expect(await presented()).toEqual(both(first));

  write(second);
  process.kill(server.pid, "SIGHUP");
  await expect.poll(presented).toEqual(both(second));

  write(third);
  await expect.poll(presented).toEqual(both(third));
  expect(await Promise.all(early.map(statusOver))).toEqual(["200", "200"]);
  expect(await server.stop()).toBe(0);
});

it("SIGHUP does not stop a server without TLS, nor its processes", async () => {
  const server = await startServer({ env: { WORKERS: "2" } });
  process.kill(server.pid, "SIGHUP");
  for (let n = 0; n < 2; n++) expect((await fetch(`${server.url}/v1/sys/health`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

it("TLS=own issues one certificate for all processes at the first start, and another on SIGHUP", async () => {
  const dataDir = temporaryDirectory();
  const env = { TLS: "own", WORKERS: "2" };
  const server = await startServer({ env, dataDir });
  // the banner suffices for a client that trusts the root
  const [root] = /\S+tls-root\.pem/.exec(server.output()) ?? [];
  expect(root).toBe(join(dataDir, "tls-root.pem"));
  const { fingerprint256 } = new X509Certificate(readFileSync(root ?? ""));
  expect(server.output()).toContain(`SHA-256 fingerprint ${fingerprint256}`);
  const calls = server.output().match(/^ {2}(?:TOKEN=|curl ).+$/gm) ?? [];
  expect(calls).toHaveLength(4);
  const called = spawnSync("sh", ["-ec", calls.join("\n")], { encoding: "utf8" });
  expect([called.status, called.stderr]).toEqual([0, expect.not.stringContaining("SSL")]);
  const issued = ({ url }: RunningServer): number => {
    const head = ["-H", `X-Service-Token: ${server.token}`, "--cacert", root ?? ""];
    const certs = `${url}/v1/sealwright-tls/certs?list=true`;
    const { stdout } = spawnSync("curl", ["-sS", ...head, certs], { encoding: "utf8" });
    return (JSON.parse(stdout) as { readonly data: { readonly keys: unknown[] } }).data.keys.length;
  };
  // the root is listed as well
  expect(issued(server)).toBe(2);
  const first = await presentedBy(server);
  expect(await presentedBy(server)).toBe(first);
  expect(await server.stop()).toBe(0);

  const again = await startServer({ env, dataDir });
  expect([await presentedBy(again), await presentedBy(again)]).toEqual([first, first]);
  expect(issued(again)).toBe(2);
  process.kill(again.pid, "SIGHUP");
  await expect.poll(again.output).toContain("TLS: new connections now use a new certificate");
  const second = await presentedBy(again);
  expect(second).not.toBe(first);
  expect(await presentedBy(again)).toBe(second);
  expect(issued(again)).toBe(3);
  expect(await again.stop()).toBe(0);
});

it("a missing TLS role is reported in one sentence", async () => {
  await expect(startServer({ env: { TLS: "pki/issue/server" } })).rejects.toThrow(
    /ended with 1:\nTLS: pki\/issue\/server issued no certificate for this server \([^\n]*\); start without TLS [^\n]*\.\n$/,
  );
});
