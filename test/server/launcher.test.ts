import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { identityOf, isAlive } from "../../server/data/process-identity.ts";
import { apiOf } from "../http/api.ts";
import {
  childrenOf,
  startServer,
  temporaryDirectory,
  type RunningServer,
  type ServerOptions,
} from "../support/server.ts";
import { rolesOf, writeRole } from "./roles.ts";

async function served<T>(
  options: ServerOptions,
  run: (server: RunningServer) => Promise<T>,
): Promise<T> {
  const server = await startServer(options);
  try {
    return await run(server);
  } finally {
    await server.stop();
  }
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

it("the first start creates secrets that only the owner can read, and prints them only to a terminal", async () => {
  const dataDir = join(temporaryDirectory(), "deep", "data");
  await served({ dataDir }, async (server) => {
    expect(server.token).toMatch(/^s\.[A-Za-z0-9_-]{43}$/);
    const vars = readFileSync(join(dataDir, "vars-token"), "utf8").trim();
    expect(vars).toMatch(/^v\.[A-Za-z0-9_-]{43}$/);
    for (const secret of [server.token, vars]) expect(server.output()).not.toContain(secret);
    const lines = [
      `  root token  in ${join(dataDir, "root-token")}`,
      `  vars token  in ${join(dataDir, "vars-token")}`,
      "  vars user   admin, in the organization default",
    ];
    expect(server.output()).toContain(`${lines.join("\n")}\n`);
    const key = readFileSync(join(dataDir, "sealing-key"), "utf8").trim();
    expect(Buffer.from(key, "base64")).toHaveLength(32);
    expect(server.output()).not.toContain(key);
    const files = ["root-token", "vars-token", "sealing-key"];
    expect(
      [...files, "lock", "lock.db", "address", "sealwright.db", "sealwright.db-wal"].map((name) =>
        modeOf(join(dataDir, name)),
      ),
    ).toEqual(Array(8).fill(0o600));
    for (const path of [dataDir, join(dataDir, "run")]) expect(modeOf(path)).toBe(0o700);
    expect(readFileSync(join(dataDir, "address"), "utf8")).toBe(`${server.url}\n`);
    const { pid } = server;
    const shown = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    expect(shown + readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain(server.token);
  });
  await served({ dataDir }, async (server) => {
    expect(server.output()).not.toContain(server.token);
    expect(server.output()).toContain(join(dataDir, "root-token"));
    // both may have been renamed by now
    expect(server.output()).not.toContain("vars user");
  });
});

it("SERVICE_ROOT_TOKEN and SEALING_KEY replace the files, which are not written", async () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  await served(
    { env: { SERVICE_ROOT_TOKEN: "a-token-of-my-own", SEALING_KEY: key } },
    async (server) => {
      const self = await apiOf(server)("GET", "auth/token/lookup-self");
      expect([server.token, self.status]).toEqual(["a-token-of-my-own", 200]);
      expect(existsSync(join(server.dataDir, "root-token"))).toBe(false);
      expect(existsSync(join(server.dataDir, "sealing-key"))).toBe(false);
      expect(server.output()).not.toContain("a-token-of-my-own");
      expect(server.output()).toMatch(/^ {2}vars user {3}admin, /m);
    },
  );
});

it("the console's files are served with their media types, its folder with the index, and nothing else", async () => {
  const directory = temporaryDirectory();
  const demo = join(directory, "demo");
  mkdirSync(join(demo, "part"), { recursive: true });
  writeFileSync(join(directory, "secret.txt"), "nobody may read this");
  for (const name of [
    "worker.html",
    "a.js",
    "a.css",
    "a.svg",
    "a.json",
    "a.webmanifest",
    "part/b.js",
    "a.key",
    ".hidden.js",
  ])
    writeFileSync(join(demo, name), name);
  await served({ env: { DEMO_DIR: demo } }, async (server) => {
    const types: Record<string, string> = {
      "": "text/html; charset=utf-8",
      "index.html": "text/html; charset=utf-8",
      "a.js?v=1": "text/javascript; charset=utf-8",
      "a.css": "text/css; charset=utf-8",
      "a.svg": "image/svg+xml",
      "a.json": "application/json",
      "a.webmanifest": "application/manifest+json",
      "part/b.js": "text/javascript; charset=utf-8",
    };
    for (const [path, type] of Object.entries(types)) {
      const answer = await fetch(`${server.url}/demo/${path}`);
      expect([
        path,
        answer.status,
        answer.headers.get("content-type"),
        await answer.text(),
      ]).toEqual([
        path,
        200,
        type,
        path.split("?")[0]?.replace(/^(?:index\.html)?$/, "worker.html"),
      ]);
    }
    const curl = (...options: string[]): string =>
      execFileSync("curl", [
        "-s",
        "--path-as-is",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
        ...options,
      ]).toString();
    for (const path of ["none.html", "part", "part/", "a.key", ".hidden.js"])
      expect([path, curl(`${server.url}/demo/${path}`)]).toEqual([path, "404"]);
    for (const path of [
      "../secret.txt",
      "%2e%2e/secret.txt",
      "..%2fsecret.txt",
      "part/%2e%2e/%2e%2e/secret.txt",
      "%2e%2e%2fsecret.txt",
    ]) {
      expect(
        execFileSync("curl", ["-s", "--path-as-is", `${server.url}/demo/${path}`]).toString(),
      ).not.toContain("nobody");
    }
    expect(curl("-I", `${server.url}/demo/a.js`)).toBe("200");
    expect(curl("-X", "POST", `${server.url}/demo/a.js`)).toBe("405");
    const tag = (await fetch(`${server.url}/demo/a.js`)).headers.get("etag") ?? "";
    expect(curl("-H", `If-None-Match: ${tag}`, `${server.url}/demo/a.js`)).toBe("304");
    const redirect = await fetch(`${server.url}/demo?a=1`, { redirect: "manual" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([302, "/demo/?a=1"]);
  });
});

it.each(["SIGTERM", "SIGINT"] as const)(
  "%s stops all processes with exit code 0 and removes the files of a running server",
  async (signal) => {
    const dataDir = temporaryDirectory();
    const server = await startServer({ dataDir, env: { WORKERS: "2" } });
    await writeRole(server, "a");
    const all = [server.pid, ...childrenOf(server.pid)].map(identityOf);
    expect(all).toHaveLength(3);
    process.kill(server.pid, signal);
    expect(await server.stop()).toBe(0);
    expect(all.filter(isAlive)).toEqual([]);
    expect(readdirSync(dataDir).sort()).toEqual([
      "installed",
      "reserve",
      "root-token",
      "sealing-key",
      "sealwright.db",
      "vars-token",
    ]);
  },
);

it.each(["1", "2"])(
  "kill -9 of a server with WORKERS=%s stops all its processes and loses no acknowledged change",
  async (WORKERS) => {
    const dataDir = temporaryDirectory();
    const server = await startServer({ dataDir, env: { WORKERS } });
    const children = childrenOf(server.pid).map(identityOf);
    const names = Array.from({ length: 20 }, (_, n) => `r${n + 10}`);
    for (const name of names) await writeRole(server, name);
    await server.kill9();
    expect(existsSync(join(dataDir, "lock.db"))).toBe(true);
    await expect(fetch(server.url)).rejects.toThrow();
    expect(children.filter(isAlive)).toEqual([]);
    await served({ dataDir, env: { WORKERS } }, async (again) => {
      expect(await rolesOf(again)).toEqual(names);
      expect(again.token).toBe(server.token);
    });
  },
);

it("a port in use and damaged secrets stop the start with one sentence", async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => void holder.listen(0, "127.0.0.1", resolve));
  const address = holder.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await expect(startServer({ env: { PORT: String(port) } })).rejects.toThrow(
    new RegExp(`ended with 1:\n127\\.0\\.0\\.1:${port} is in use; [^\n]*\n$`),
  );
  holder.close();
  const dataDir = temporaryDirectory();
  mkdirSync(dataDir, { recursive: true });
  for (const spoilt of ["", "garbage"]) {
    writeFileSync(join(dataDir, "sealing-key"), spoilt);
    await expect(startServer({ dataDir })).rejects.toThrow(
      /sealing-key must contain base64 of 32 bytes; [^\n]*\.\n$/,
    );
    expect(readFileSync(join(dataDir, "sealing-key"), "utf8")).toBe(spoilt);
  }
  const token = temporaryDirectory();
  writeFileSync(join(token, "root-token"), "short");
  await expect(startServer({ dataDir: token })).rejects.toThrow(
    /root-token must contain a token of at least 16 printable ASCII characters/,
  );
  expect(existsSync(join(dataDir, "lock"))).toBe(false);
});
