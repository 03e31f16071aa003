import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  startServer,
  temporaryDirectory,
  type RunningServer,
  type ServerOptions,
} from "../support/server.ts";
import { processesWith, runtimeOf } from "./runtime-processes.ts";

const entry = new URL("launcher-worker.js", import.meta.url).pathname;

async function served<T>(
  options: ServerOptions,
  run: (server: RunningServer) => Promise<T>,
): Promise<T> {
  const server = await startServer({ entry, ...options });
  try {
    return await run(server);
  } finally {
    await server.stop();
  }
}

interface Shown {
  method: string;
  url: string;
  headers: Record<string, string>;
  cf: unknown;
  variables: Record<string, string>;
  globals: string[];
}

async function show(url: string): Promise<Shown> {
  return (await (await fetch(url)).json()) as Shown;
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

it("the first start makes the secrets, prints none of them where no terminal shows it, and the files are the owner's only", async () => {
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
    expect(
      ["root-token", "vars-token", "sealing-key", "lock", "lock.db", "address"].map((name) =>
        modeOf(join(dataDir, name)),
      ),
    ).toEqual(Array(6).fill(0o600));
    expect(modeOf(dataDir)).toBe(0o700);
    expect(readFileSync(join(dataDir, "address"), "utf8")).toBe(`${server.url}\n`);
    const { directory } = runtimeOf(server);
    const config = readFileSync(join(directory, "config.capnp"), "utf8");
    for (const pid of processesWith(directory))
      expect(readFileSync(`/proc/${pid}/cmdline`, "utf8") + config).not.toMatch(server.token);
    expect(modeOf(directory)).toBe(0o700);
  });
  await served({ dataDir }, async (server) => {
    expect(server.output()).not.toContain(server.token);
    expect(server.output()).toContain(join(dataDir, "root-token"));
    // both may have other names by now
    expect(server.output()).not.toContain("vars user");
  });
});

it("the Worker gets its bindings, the caller's address and no Node API", async () => {
  await served(
    { env: { ALLOWED_ORIGINS: "https://a.example", VARS_STRICT: "false", UNRELATED: "1" } },
    async (server) => {
      const shown = await show(`${server.url}/x?y=1`);
      expect(shown.url).toBe(`${server.url}/x?y=1`);
      expect(shown.cf).toEqual({ clientAddress: "127.0.0.1" });
      expect(Object.keys(shown.headers).filter((name) => /^(about|scheme)-/.test(name))).toEqual(
        [],
      );
      expect(shown.globals).toEqual(["undefined", "undefined"]);
      expect(shown.variables).toEqual({
        SERVICE_ROOT_TOKEN: server.token,
        SEALING_KEY: readFileSync(join(server.dataDir, "sealing-key"), "utf8").trim(),
        PUBLIC_URL: server.url,
        ALLOWED_ORIGINS: "https://a.example",
        VARS_STRICT: "false",
        VARS_RATE_LIMIT: "0",
        VARS_TOKEN: readFileSync(join(server.dataDir, "vars-token"), "utf8").trim(),
        ACME_PRIVATE_NETWORKS: "true",
        ACME_ACCOUNT_LIMIT: "public",
        ACME_CONNECTIONS: "50",
        // what the host has
        DNS_NAMESERVER: expect.any(String),
        DNS_HOSTS: expect.any(String),
      });
    },
  );
});

it("the environment overrides token, key and public address, and an empty address stays empty", async () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  await served(
    { env: { SERVICE_ROOT_TOKEN: "a token of my own", SEALING_KEY: key, PUBLIC_URL: "" } },
    async (server) => {
      const { variables } = await show(server.url);
      expect(variables).toMatchObject({
        SERVICE_ROOT_TOKEN: "a token of my own",
        SEALING_KEY: key,
        PUBLIC_URL: "",
      });
      expect(existsSync(join(server.dataDir, "root-token"))).toBe(false);
      expect(existsSync(join(server.dataDir, "sealing-key"))).toBe(false);
      expect(server.output()).not.toContain("a token of my own");
      expect(server.output()).toMatch(/^ {2}vars user {3}admin, /m);
    },
  );
});

it("LIST sent by curl reaches the Worker as GET with list=true", async () => {
  await served({}, async (server) => {
    const shown = JSON.parse(
      execFileSync("curl", ["-s", "-X", "LIST", `${server.url}/v1/pki/certs`]).toString(),
    ) as Shown;
    expect([shown.method, shown.url]).toEqual(["GET", `${server.url}/v1/pki/certs?list=true`]);
  });
});

it("a request with a target in absolute form, as curl sends it to a proxy, reaches the Worker under that address", async () => {
  await served({}, async (server) => {
    const options = [
      "-s",
      "-x",
      server.url,
      "-H",
      "Host: other.example",
      "http://ca.example:8080/v1/pki/ca?a=1",
    ];
    const shown = JSON.parse(execFileSync("curl", options, { env: {} }).toString()) as Shown;
    expect([shown.method, shown.url, shown.headers["host"]]).toEqual([
      "GET",
      "http://ca.example:8080/v1/pki/ca?a=1",
      "ca.example:8080",
    ]);
  });
});

it("KV keeps, deletes and forgets", async () => {
  await served({}, async (server) =>
    expect(await (await fetch(`${server.url}/kv`)).json()).toEqual(["kept", 2, null]),
  );
});

it("the page's files have their types, its folder its index, and nothing beside it is served", async () => {
  const directory = temporaryDirectory();
  const demo = join(directory, "demo");
  mkdirSync(join(demo, "part"), { recursive: true });
  writeFileSync(join(directory, "secret.txt"), "nobody may read this");
  for (const name of [
    "index.html",
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
      ]).toEqual([path, 200, type, path.split("?")[0] || "index.html"]);
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
    expect([redirect.status, redirect.headers.get("location")]).toEqual([307, "/demo/?a=1"]);
  });
});

it("SIGTERM ends everything with exit code 0 and leaves no file behind that only a running server needs", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ entry, dataDir });
  const { directory } = runtimeOf(server);
  expect(await server.stop()).toBe(0);
  await expect.poll(() => processesWith(directory)).toEqual([]);
  expect(existsSync(directory)).toBe(false);
  expect(readdirSync(dataDir).sort()).toEqual([
    "objects",
    "root-token",
    "sealing-key",
    "vars-token",
  ]);
});

it("kill -9 of the launcher ends the runtime too, and nothing acknowledged is lost", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ entry, dataDir });
  const { directory } = runtimeOf(server);
  for (let n = 1; n <= 20; n++)
    expect(await (await fetch(`${server.url}/add?${n}`)).text()).toBe(String(n));
  const url = server.url;
  await server.kill9();
  await expect(fetch(url)).rejects.toThrow();
  await expect.poll(() => processesWith(directory)).toEqual([]);
  await served({ dataDir }, async (again) => {
    expect(await (await fetch(`${again.url}/rows`)).json()).toEqual(
      Array.from({ length: 20 }, (_, n) => `?${n + 1}`),
    );
    expect(again.token).toBe(server.token);
  });
});

it("a lock left by a process whose id belongs to something else now is taken over", async () => {
  const dataDir = temporaryDirectory();
  writeFileSync(join(dataDir, "lock"), `${process.pid} 1\n${process.pid} 1\n`);
  await served({ dataDir }, async (server) => expect((await show(server.url)).method).toBe("GET"));
});

it("a port in use, a port that is none and a spoilt sealing key are told in one sentence", async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => void holder.listen(0, "127.0.0.1", resolve));
  const address = holder.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await expect(startServer({ entry, env: { PORT: String(port) } })).rejects.toThrow(
    new RegExp(`ended with 1:\n127\\.0\\.0\\.1:${port} is in use; [^\n]*\n$`),
  );
  holder.close();
  await expect(startServer({ entry, env: { PORT: "http" } })).rejects.toThrow(
    /PORT must be a number/,
  );
  const dataDir = temporaryDirectory();
  mkdirSync(dataDir, { recursive: true });
  for (const spoilt of ["", "garbage"]) {
    writeFileSync(join(dataDir, "sealing-key"), spoilt);
    await expect(startServer({ entry, dataDir })).rejects.toThrow(
      /sealing-key must hold base64 of 32 bytes; [^\n]*\.\n$/,
    );
    expect(readFileSync(join(dataDir, "sealing-key"), "utf8")).toBe(spoilt);
  }
  const token = temporaryDirectory();
  writeFileSync(join(token, "root-token"), "short");
  await expect(startServer({ entry, dataDir: token })).rejects.toThrow(
    /root-token must hold a token of at least 16 printable ASCII characters/,
  );
  expect(existsSync(join(dataDir, "lock"))).toBe(false);
});
