import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LaunchError } from "../../server/settings/launch-error.ts";
import { readSettings } from "../../server/settings/settings.ts";
import { run } from "../interop/acme/command.ts";
import { freePort } from "../support/ports.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { certificate } from "../net/tls-fixture.ts";
import { prepareEst, estUser } from "../interop/est/prepare.ts";

const ways = { TLS: "own", TRUSTED_PROXIES: "192.0.2.1" };
const none = { requested: false, port: undefined, header: false };

describe("CLIENT_CERTIFICATES", () => {
  it.each([
    ["", none],
    ["optional", { ...none, requested: true }],
    ["port:8788", { ...none, port: 8788 }],
    ["header", { ...none, header: true }],
    ["optional, header", { ...none, requested: true, header: true }],
    ["header,port:1", { ...none, port: 1, header: true }],
  ])("accepts %j", (text, expected) => {
    const { clientCertificates } = readSettings({ ...ways, CLIENT_CERTIFICATES: text });
    expect(clientCertificates).toEqual(expected);
  });

  const values =
    'must be "optional", "port:<port>", "header", or "header" with one of the others, such as "header,optional", not ';
  it.each<[string, Record<string, string>, string]>([
    ["required", ways, values],
    ["optional,port:8788", ways, values],
    ["port:1,port:2", ways, values],
    ["optional,optional", ways, values],
    ["header,", ways, values],
    ["port:0", ways, values],
    ["port:65536", ways, values],
    ["optional", { TRUSTED_PROXIES: "192.0.2.1" }, "requesting client certificates requires TLS"],
    ["port:8788", { TRUSTED_PROXIES: "192.0.2.1" }, "requesting client certificates requires TLS"],
    ["header", { TLS: "own" }, "the header is accepted only from trusted proxies"],
  ])("rejects %j in one sentence with %j", (text, env, why) => {
    const read = (): unknown => readSettings({ ...env, CLIENT_CERTIFICATES: text });
    expect(read).toThrow(LaunchError);
    expect(read).toThrow(new RegExp(`^CLIENT_CERTIFICATES[^\n]*${why}[^\n]*\\.$`));
  });
});

describe("a server whose second port requests certificates", () => {
  let server: RunningServer;
  let port: number;
  const directory = temporaryDirectory();
  beforeAll(async () => {
    port = await freePort();
    const CLIENT_CERTIFICATES = `port:${port}`;
    server = await startServer({ env: { TLS: "own", WORKERS: "2", CLIENT_CERTIFICATES } });
    cpSync(join(server.dataDir, "tls-root.pem"), join(directory, "server.pem"));
    await prepareEst(async (path, body) => JSON.parse(call(path, body) || "{}"));
  });
  afterAll(() => server.stop());

  const curl = (...args: readonly string[]): string => {
    const { stdout } = spawnSync("curl", ["-sS", "--cacert", "server.pem", ...args], {
      encoding: "utf8",
      cwd: directory,
    });
    return stdout;
  };
  const call = (path: string, body?: object): string => {
    const sent = body ? ["-d", JSON.stringify(body)] : [];
    return curl("-H", `X-Service-Token: ${server.token}`, ...sent, `${server.url}/v1/${path}`);
  };
  const login = (url: string, ...args: readonly string[]): string =>
    curl(...args, "-X", "POST", `${url}/v1/auth/certificates/login`);
  const own = ["--cert", "device.pem", "--key", "device.key"];
  const at = (): string => `https://127.0.0.1:${port}`;

  it("announces the port at startup, and accepts EST enrollment and re-enrollment with curl", async () => {
    expect(server.output()).toContain(`${port} requests client certificates`);
    const script = join(import.meta.dirname, "../interop/est/curl.sh");
    const output = await run("bash", [script, at(), estUser, "d1.devices.example"], {
      cwd: directory,
    });
    expect(output).toMatch(/device\.pem: OK\nrenewed\.pem: OK\ndone\n$/);
  });

  it("logs clients in by certificate on that port only, in every process", () => {
    for (let n = 0; n < 2; n++) {
      expect(login(at(), ...own)).toContain('"client_token":"');
      expect(login(server.url, ...own)).toContain("no client certificate supplied");
    }
    expect(login(at())).toContain("no client certificate supplied");
  });

  it("rejects certificates of other CAs, and ignores the Client-Cert header", async () => {
    const stranger = await certificate({ name: "d1.devices.example" });
    writeFileSync(join(directory, "stranger.pem"), stranger.pem);
    writeFileSync(join(directory, "stranger.key"), stranger.key.pem);
    const theirs = ["--cert", "stranger.pem", "--key", "stranger.key"];
    expect(login(at(), ...theirs)).not.toContain("client_token");
    const [, der = ""] =
      /-----\n([^-]+)\n-----END/.exec(readFileSync(join(directory, "device.pem"), "latin1")) ?? [];
    const header = ["-H", `Client-Cert: :${der.replaceAll("\n", "")}:`];
    for (const url of [at(), server.url])
      expect(login(url, ...header)).toContain("no client certificate supplied");
    expect(login(at(), ...theirs, ...header)).not.toContain("client_token");
    const socket = join(server.dataDir, "run/http");
    expect(login("http://localhost", "--unix-socket", socket, ...header)).toContain(
      "no client certificate supplied",
    );
  });
});

it("a second port that is in use is reported in one sentence", async () => {
  const first = await startServer();
  const { port } = new URL(first.url);
  const env = { TLS: "own", CLIENT_CERTIFICATES: `port:${port}` };
  await expect(startServer({ env })).rejects.toThrow(
    new RegExp(
      `ended with 1:\n127\\.0\\.0\\.1:${port} is in use; [^\n]* CLIENT_CERTIFICATES\\.\n$`,
    ),
  );
  await first.stop();
});
