import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { run } from "../server/cli/commands.ts";
import { flagOf, table, variables } from "../server/settings/environment.ts";
import { storeToken } from "../server/cli/token-store.ts";
import { layouts, servedVersion } from "../server/data/served-version.ts";
import type { Host } from "../server/process/launch.ts";
import { readSettings } from "../server/settings/settings.ts";
import { encodePem } from "../src/base/pem.ts";
import { utf8 } from "../src/base/bytes.ts";
import { root } from "./support/syntax.ts";
import { issue } from "./verify/hierarchy.ts";

const printed: string[] = [];
const complained: string[] = [];
beforeEach(() => {
  printed.length = complained.length = 0;
  vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  vi.spyOn(console, "error").mockImplementation(
    (text: unknown) => void complained.push(String(text)),
  );
});
afterEach(() => vi.restoreAllMocks());

/** A host that serves nothing. */
const host: Host = {
  page: () => Promise.reject(new Error("nothing is served here")),
  version: "1.2.3",
};

describe("sealwright", () => {
  it.each([
    [["srve"], 'Unknown command "srve". Run `sealwright help` for a list of commands.'],
    [["toString"], 'Unknown command "toString". Run `sealwright help` for a list of commands.'],
    [["help", "srve"], 'Unknown command "srve". Run `sealwright help` for a list of commands.'],
    [["serve", "--prot", "1"], 'serve has no flag "--prot"; see sealwright help serve.'],
    [["serve", "8787"], "serve accepts no arguments, only flags; see sealwright help serve."],
    [["serve", "--port"], "--port requires a value; see sealwright help serve."],
    [["serve", "--host", "--port"], "--host requires a value; see sealwright help serve."],
    [["serve", "--port", "x"], '--port must be a number from 0 to 65535, not "x".'],
    [["serve", "--port=70000"], '--port must be a number from 0 to 65535, not "70000".'],
    [
      ["serve", "--log-level=LOG_LEVEL"],
      '--log-level must be error, warn or info, not "LOG_LEVEL".',
    ],
    [["serve", "--workers=0"], '--workers must be a whole number from 1 to 64, not "0".'],
    [
      ["serve", "--tls-key=x", "--tls=own"],
      "Set either --tls, or TLS_CERT and --tls-key, not both.",
    ],
    [["version", "--port", "1"], 'version has no flag "--port"; see sealwright help version.'],
    [
      ["restore", "--mount", "pki"],
      "restore requires --file and --mount, or --all; see sealwright help restore.",
    ],
    [
      ["restore", "--file", "x"],
      "restore requires --file and --mount, or --all; see sealwright help restore.",
    ],
    [
      ["restore", "--file", "x", "--mount", "pki", "--dry-run=yes"],
      "--dry-run must be true or false.",
    ],
    [["health", "--json=true"], "--json accepts no value; see sealwright help health."],
    [
      ["health", "--json", "true"],
      "health accepts no arguments, only flags; see sealwright help health.",
    ],
    [
      ["restore", "--file", "docs/acme.md", "docs/access.md", "--mount", "pki"],
      'restore accepts no arguments, only flags, but got "docs/access.md"; the shell may have expanded a pattern such as * to several files; see sealwright help restore.',
    ],
    [["backup", "--address", "ca.example"], "--address must be an http or https URL."],
    [
      ["backup", "--address", "https://ca.example", "--data-dir", "x"],
      "--address and --data-dir both select a server; use one of them.",
    ],
  ])("rejects the arguments %j in one sentence, with exit code 2", async (words, sentence) => {
    expect(await run(words, host)).toBe(2);
    expect([printed, complained]).toEqual([[], [sentence]]);
  });

  it("health reports in one sentence that no server is running, with exit code 3", async () => {
    expect(await run(["health", "--data-dir", "/nowhere"], host)).toBe(3);
    expect([printed, complained]).toEqual([[], ["No server is running for /nowhere."]]);
  });

  it.each([
    [
      ["serve", "--sealing-key-file=/nowhere"],
      "SEALING_KEY_FILE: /nowhere cannot be read (ENOENT).",
    ],
    [["restore", "--file", "/nowhere", "--mount", "pki"], "File not found: /nowhere."],
    [
      ["backup", "--address", "http://127.0.0.1:9", "--token-file", "/nowhere"],
      "File not found: /nowhere.",
    ],
  ])("reports why %j fails in one sentence, with exit code 1", async (words, sentence) => {
    expect(await run(words, host)).toBe(1);
    expect([printed, complained]).toEqual([[], [sentence]]);
  });

  it("serve reports a wrong environment variable by its name, with exit code 1", async () => {
    expect(await run(["serve", "--host=::1"], host, { PORT: "x" })).toBe(1);
    expect(complained).toEqual(['PORT must be a number from 0 to 65535, not "x".']);
  });

  it("reports a missing token, or one with characters that a header cannot contain, with exit code 1", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "sealwright-commands-")), "token");
    const backup = ["backup", "--address", "http://127.0.0.1:9"];
    expect(await run(backup, host, {})).toBe(1);
    expect(await run(backup, host, { SEALWRIGHT_TOKEN: "s.tökén" })).toBe(1);
    for (const text of ["\n", "s.tökén\n"]) {
      writeFileSync(file, text);
      expect(await run([...backup, "--token-file", file], host, {})).toBe(1);
    }
    rmSync(dirname(file), { recursive: true });
    expect(complained).toEqual([
      "No token; set SEALWRIGHT_TOKEN or use --token-file.",
      "The token contains characters other than printable ASCII.",
      `No token in ${file}; set SEALWRIGHT_TOKEN or use --token-file.`,
      `The token in ${file} contains characters other than printable ASCII.`,
    ]);
  });

  it("backup reports that no server is running and what to do, with exit code 3", async () => {
    expect(await run(["backup", "--data-dir", "/nowhere"], host)).toBe(3);
    expect(complained).toEqual([
      "No server is running for /nowhere. Start it, select another server with --address, or copy the directory.",
    ]);
  });

  it("logs the error that ends serve in the format set by LOG", async () => {
    for (const log of ["json", "text"])
      expect(await run(["serve", `--log=${log}`, "--port=x"], host)).toBe(2);
    const message = '--port must be a number from 0 to 65535, not "x".';
    const [line = "", text] = complained;
    expect(JSON.parse(line)).toMatchObject({ level: "error", message });
    expect(text).toMatch(new RegExp(`^\\d{4}-\\S+ error ${message}$`));
  });

  it("does not send its token to a socket in a directory that others can write to", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sealwright-commands-"));
    // left by a killed launcher, but the directory was created again
    const place = join(dataDir, "made-anew");
    mkdirSync(place);
    chmodSync(place, 0o777);
    const socket = join(place, "http");
    writeFileSync(join(dataDir, "socket"), `${socket}\n`);
    writeFileSync(join(dataDir, "root-token"), "a-token-of-the-owner\n");
    const tokens: unknown[] = [];
    const server = createServer((request, response) => {
      tokens.push(request.headers["x-service-token"]);
      response.end('{"data":{}}');
    }).listen(socket);
    try {
      await once(server, "listening");
      expect(await run(["backup", "--data-dir", dataDir, "--backup-dir", dataDir], host)).toBe(3);
      expect(tokens).toEqual([]);
      expect(complained[0]).toContain(`No server is running for ${dataDir}. Start it`);
      chmodSync(place, 0o700);
      expect(await run(["backup", "--data-dir", dataDir, "--backup-dir", dataDir], host)).toBe(0);
      expect(tokens).toEqual(["a-token-of-the-owner"]);
    } finally {
      server.close();
      rmSync(dataDir, { recursive: true });
    }
  });

  it("accepts no secret as a flag, and repeats none in an error", async () => {
    for (const { name } of variables.filter(({ secret }) => secret)) {
      expect(await run(["serve", flagOf(name), "very-secret-value"], host)).toBe(2);
      expect(await run(["serve", `${flagOf(name)}=very-secret-value`], host)).toBe(2);
      expect(complained.splice(0)).toEqual(
        Array(2).fill(
          `${flagOf(name)} cannot be a flag, because other users of this machine can read command lines; set the environment variable ${name}.`,
        ),
      );
    }
    await run(["serve", "very-secret-value"], host);
    expect(complained.join()).not.toContain("secret");
  });

  it("prints its version and its commands", async () => {
    for (const words of [["version"], ["--version"], ["-v"]])
      expect(await run(words, host)).toBe(0);
    expect(printed.splice(0)).toEqual(
      Array(3).fill("sealwright 1.2.3 (data: SQLite 2, PostgreSQL 1)"),
    );
    for (const words of [["help"], ["--help"], ["-h"]]) expect(await run(words, host)).toBe(0);
    expect(printed.join("\n")).toMatch(/^ {2}serve .*\n(?:.*\n)*? {2}backup /m);
    expect(complained).toEqual([]);
  });

  it("without a command lists its commands and exits with 2", async () => {
    expect(await run([], host)).toBe(2);
    expect([printed, complained.length]).toEqual([[], 1]);
  });
});

describe("sealwright", () => {
  const folder = mkdtempSync(join(tmpdir(), "sealwright-commands-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("verify and inspect read a DER file as DER, even if an extension contains PEM", async () => {
    const trusted = await issue("Good", undefined, { ca: true });
    const file = (name: string, content: string | Uint8Array): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const ca = file("ca.pem", encodePem("CERTIFICATE", trusted.der));
    const good = encodePem("CERTIFICATE", (await issue("good", trusted)).der);
    const comment = { oid: "1.2.3.4.5", critical: false, value: utf8(`\n${good}`) };
    const evil = file("evil.der", (await issue("evil", undefined, { more: [comment] })).der);
    const at = ["--at", "2026-01-01T00:00:00Z"];
    expect(await run(["verify", file("good.pem", good), "--ca", ca, ...at], host)).toBe(0);
    printed.length = 0;
    expect(await run(["verify", evil, "--ca", ca, ...at], host)).toBe(5);
    expect(printed.splice(0)).toEqual([expect.stringContaining("evil.der is not valid")]);
    expect(await run(["inspect", evil], host)).toBe(0);
    expect(await run(["revoke", evil], host)).toBe(2);
    expect(complained).toEqual([`${evil} contains no PEM certificate.`]);
    expect(printed).toEqual([expect.stringMatching(/^ +Subject +CN=evil$/m)]);
  });

  it("logout --local deletes the token of a server that is not running", async () => {
    const env = { SEALWRIGHT_CONFIG_DIR: join(folder, "config") };
    const dataDir = join(folder, "data");
    const file = storeToken(env, dataDir, "s.token");
    expect(await run(["logout", "--local", "--data-dir", dataDir], host, env)).toBe(0);
    expect([printed, complained]).toEqual([[`Logged out of ${dataDir}.`], []]);
    expect(readFileSync(file, "utf8")).toBe("{}\n");
  });
});

describe("sealwright health --json", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sealwright-health-"));
  afterAll(() => rmSync(dataDir, { recursive: true }));
  const document = async (): Promise<readonly [code: number, document: unknown]> => {
    const code = await run(["health", "--json", "--data-dir", dataDir], host);
    expect([printed.length, complained]).toEqual([1, []]);
    return [code, JSON.parse(printed.splice(0).join())];
  };

  it("prints one document and has the exit code of health, even if no server responds", async () => {
    expect(await document()).toEqual([
      3,
      {
        healthy: false,
        error: `No server is running for ${dataDir}.`,
        versions: { command: "1.2.3" },
      },
    ]);
    let status = 200;
    const health = { initialized: true, warnings: ["The disk is full."] };
    const server = createServer((_, response) => {
      response.writeHead(status, { connection: "close" }).end(JSON.stringify(health));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}`;
    writeFileSync(join(dataDir, "address"), `${address}\n`);
    writeFileSync(join(dataDir, "version"), servedVersion("1.2.2", "postgresql"));
    const data = { database: "postgresql", layout: layouts.postgresql };
    const versions = { command: "1.2.3", server: "1.2.2", data };
    expect(await document()).toEqual([0, { healthy: true, address, status, health, versions }]);
    status = 503;
    expect(await document()).toEqual([
      1,
      {
        healthy: false,
        address,
        status,
        health,
        versions,
        error: `The server at ${address} is not healthy (status 503); see /v1/sys/health.`,
      },
    ]);
    writeFileSync(join(dataDir, "version"), "{");
    server.close();
    await once(server, "close");
    expect(await document()).toEqual([
      3,
      {
        healthy: false,
        address,
        // another program may use the port by now
        error: expect.stringMatching(/^The server at \S+ does not respond \(E[A-Z]+\)\.$/),
        versions: { command: "1.2.3" },
      },
    ]);
  });
});

describe("the environment of the server", () => {
  it("matches the table in docs/settings.md", () => {
    const [shown = ""] =
      /^\| environment .*\n(?:\|.*\n)+/m.exec(
        readFileSync(join(root, "docs/settings.md"), "utf8"),
      ) ?? [];
    const cells = (text: string): readonly string[] =>
      text
        .trim()
        .split("\n")
        .map((line) => line.replace(/ +\|/g, " |").replace(/-{3,}/g, "---"));
    expect(cells(shown)).toEqual(cells(table()));
  });

  it("matches the flags and secrets that `serve --help` lists", async () => {
    for (const words of [
      ["serve", "--help"],
      ["help", "serve"],
    ]) {
      expect(await run(words, host)).toBe(0);
      const help = printed.splice(0).join("\n");
      const flags = [...help.matchAll(/^ {2}(--\S+) \((\w+)\)$/gm)].map(([, ...both]) => both);
      const open = variables.filter(({ secret }) => !secret).map(({ name }) => name);
      expect(flags).toEqual(open.map((name) => [flagOf(name), name]));
      const secrets = [...help.matchAll(/^ {2}([A-Z_]+)$/gm)].map(([, name]) => name);
      expect([...secrets, ...open].toSorted()).toEqual(
        variables.map(({ name }) => name).toSorted(),
      );
    }
  });

  it("has no variable that the server ignores", () => {
    const fits: Readonly<Record<string, string>> = {
      PORT: "1",
      SERVICE_ROOT_TOKEN: "s.aaaaaaaaaaaaaaaaaaaa",
      SEALING_KEY: Buffer.alloc(32).toString("base64"),
      SEALING_KEY_PREVIOUS: Buffer.alloc(32).toString("base64"),
      VARS_TOKEN: "v.aaaaaaaaaaaaaaaaaaaa",
      METRICS_TOKEN: "m.aaaaaaaaaaaaaaaaaaaa",
      PUBLIC_URL: "https://ca.example",
      ALLOWED_ORIGINS: "https://ca.example",
      TRUSTED_PROXIES: "192.0.2.1",
      DATABASE_URL: "postgres://ca.example/ca",
      DATABASE_CONNECTIONS: "400",
      DISABLE_PKI_CONSTRAINTS_VERIFICATION: "true",
      TLS: "own",
      LOG: "json",
      LOG_LEVEL: "warn",
      AUDIT: "false",
      ACME_HTTP_PORT: "81",
      ACME_TLS_PORT: "444",
      ACME_PRIVATE_NETWORKS: "false",
      ACME_ACCOUNT_LIMIT: "7",
      ACME_CONNECTIONS: "7",
      DNS_NAMESERVER: "192.0.2.1",
      DNS_RESOLVER_URL: "https://dns.example",
      VARS_CATEGORY_SPELLING: "iac",
      VARS_STRICT: "false",
      VARS_RATE_LIMIT: "7",
      WORKERS: "64",
    };
    // the number of connections has an effect only together with the URL
    const base = { DATABASE_URL: "postgres://ca.example/other" };
    const none = JSON.stringify(readSettings(base));
    const files = variables.filter(({ name }) => name.endsWith("_FILE"));
    for (const { name } of files)
      expect(() => readSettings({ [name]: "/x" })).toThrow(`${name}: /x cannot be read (ENOENT).`);
    // these are rejected on their own
    const needing = /^(?:TLS_|CLIENT_CERTIFICATES$)|_FILE$/;
    for (const { name } of variables.filter((one) => !needing.test(one.name)))
      expect(JSON.stringify(readSettings({ ...base, [name]: fits[name] ?? "/x" })), name).not.toBe(
        none,
      );
    for (const name of ["TLS_CERT", "TLS_KEY"])
      expect(() => readSettings({ [name]: "/x" })).toThrow("TLS_CERT and TLS_KEY");
    expect(() => readSettings({ TLS_NAMES: "a.example" })).toThrow("TLS_NAMES requires TLS");
    expect(() => readSettings({ CLIENT_CERTIFICATES: "optional" })).toThrow(
      "requesting client certificates requires TLS",
    );
  });
});
