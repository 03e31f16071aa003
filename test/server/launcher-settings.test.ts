import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { variables } from "../../server/settings/environment.ts";
import { LaunchError } from "../../server/settings/launch-error.ts";
import { readSettings } from "../../server/settings/settings.ts";
import { startServer, temporaryDirectory } from "../support/server.ts";
import { rolesOf } from "./roles.ts";

const oneSentence = (text: string): RegExp => new RegExp(`ended with 1:\n${text}[^\n]*\\.\n$`);

describe("an invalid environment variable is reported in one sentence without secrets", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  it.each<[string, readonly string[]]>([
    ["PORT", ["http", "-1", "65536", " 80", "8787.0", "0x50"]],
    ["WORKERS", ["none", "0", "-1", "1.5", "65"]],
    [
      "SERVICE_ROOT_TOKEN",
      ["short", " sixteen and more", "sixteen and more ", "sixteen and möre", "sixteen\nand more"],
    ],
    ["VARS_TOKEN", ["short"]],
    [
      "SEALING_KEY",
      [
        "abc",
        key.slice(0, 40),
        `${key}${key}`,
        key.replace("=", ""),
        Buffer.alloc(16).toString("base64"),
      ],
    ],
    ["SEALING_KEY_PREVIOUS", ["abc"]],
    [
      "PUBLIC_URL",
      [
        "ca.example",
        "ftp://ca.example",
        "https://",
        "https://ca.example/?a=1",
        "https://user@ca.example",
      ],
    ],
    [
      "ALLOWED_ORIGINS",
      [
        "*",
        "null",
        "ca.example",
        "https://a.example/",
        "https://a.example,https://b.example/x",
        "https://A.example",
      ],
    ],
    ["TRUSTED_PROXIES", ["nginx", "10.0.0.1/33", "10.0.0.1 10.0.0.2", "0.0.0.0/0", "::/0", "*"]],
    ["DISABLE_PKI_CONSTRAINTS_VERIFICATION", ["yes", "True", "1"]],
    ["LOG", ["verbose", "JSON"]],
    ["LOG_LEVEL", ["debug", "INFO"]],
    ["VARS_STRICT", ["no", "0"]],
    ["VARS_RATE_LIMIT", ["-1", "1.5", "many"]],
    ["ACME_PRIVATE_NETWORKS", ["no"]],
    ["ACME_HTTP_PORT", ["0", "65536", "http"]],
    ["ACME_TLS_PORT", ["0", "65536", "https"]],
    ["ACME_ACCOUNT_LIMIT", ["-1", "1.5", "many", "Public"]],
    ["ACME_CONNECTIONS", ["0", "1", "1.5", "many"]],
    ["DNS_RESOLVER_URL", ["1.1.1.1", "tls://1.1.1.1"]],
    ["DNS_NAMESERVER", ["dns.example", "none", "192.0.2.53:0"]],
  ])("%s", (name, values) => {
    for (const value of values) {
      const read = (): unknown => readSettings({ [name]: value });
      expect(read, value).toThrow(LaunchError);
      expect(read, value).toThrow(new RegExp(`^${name} must be [^\n]*\\.$`));
      if (/KEY|TOKEN/.test(name)) expect(read, value).not.toThrow(value);
    }
  });

  it("a server with an invalid setting exits with 1", async () => {
    await expect(startServer({ env: { SEALING_KEY: "abc" } })).rejects.toThrow(
      oneSentence("SEALING_KEY must be the base64 of 32 bytes"),
    );
  });
});

it("valid values are used unchanged, and empty ones count as unset", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  const right = {
    SERVICE_ROOT_TOKEN: "a token of my own",
    SEALING_KEY: key,
    SEALING_KEY_PREVIOUS: key,
    PUBLIC_URL: "https://ca.example/below",
    ALLOWED_ORIGINS: "https://a.example, http://localhost:5173,",
    DISABLE_PKI_CONSTRAINTS_VERIFICATION: "true",
    LOG: "json",
    LOG_LEVEL: "error",
    VARS_TOKEN: "another token of my own",
    VARS_STRICT: "false",
    VARS_RATE_LIMIT: "30",
    ACME_PRIVATE_NETWORKS: "false",
    ACME_HTTP_PORT: "5002",
    ACME_TLS_PORT: "5001",
    ACME_ACCOUNT_LIMIT: "50",
    ACME_CONNECTIONS: "20",
    DNS_RESOLVER_URL: "https://dns.example/dns-query",
    DNS_NAMESERVER: "[2001:db8::53]:5353",
  };
  expect(readSettings({ ...right, UNRELATED: "1" }).variables).toEqual(right);
  const empty = Object.fromEntries(Object.keys(right).map((name) => [name, ""]));
  expect(readSettings({ ...empty, PORT: "", HOST: "", DATA_DIR: "" })).toMatchObject({
    host: "127.0.0.1",
    port: 8787,
    variables: {
      VARS_RATE_LIMIT: "0",
      ACME_PRIVATE_NETWORKS: "true",
      ACME_ACCOUNT_LIMIT: "public",
      ACME_CONNECTIONS: "50",
      PUBLIC_URL: "",
    },
  });
});

it("values that may disable public ACME reach the engine under either name, even empty or invalid (B 5.3)", () => {
  for (const name of ["SERVICE_DISABLE_PUBLIC_ACME", "VAULT_DISABLE_PUBLIC_ACME"])
    for (const value of ["true", "false", "", "perhaps"])
      expect(readSettings({ [name]: value }).variables).toMatchObject({ [name]: value });
});

describe("a secret in a file", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  const fileWith = (text: string): string => {
    const path = join(temporaryDirectory(), "secret");
    writeFileSync(path, text);
    return path;
  };

  const secrets = variables.filter(({ secret }) => secret);
  it.each(secrets.map(({ name }) => name))(
    "%s is the file's text without the final line break",
    (name) => {
      const value = name.startsWith("SEALING_KEY") ? key : "a token of my own";
      for (const end of ["", "\n", "\r\n"]) {
        const path = fileWith(value + end);
        const { variables, secretFiles } = readSettings({ [`${name}_FILE`]: path });
        expect(variables).toMatchObject({ [name]: value });
        expect(variables).not.toHaveProperty(`${name}_FILE`);
        expect(secretFiles.get(name)).toBe(path);
      }
    },
  );

  it("can be the database URL with its password", () => {
    const url = "postgres://ca:password@db.example/ca";
    const path = fileWith(`${url}\n`);
    expect(readSettings({ DATABASE_URL_FILE: path }).database?.url).toBe(url);
    const both = { DATABASE_URL: url, DATABASE_URL_FILE: path };
    expect(() => readSettings(both)).toThrow(
      /^DATABASE_URL and DATABASE_URL_FILE are both set; set one of them\.$/,
    );
    const wrong = fileWith("mysql://ca:password@db.example/ca");
    expect(() => readSettings({ DATABASE_URL_FILE: wrong })).toThrow(
      /^DATABASE_URL must be a URL such as postgres:\/\/user:password@host:5432\/database\.$/,
    );
  });

  it("is rejected in one sentence without its value", () => {
    const path = fileWith("some secret text");
    const read = (env: Record<string, string>) => () => readSettings(env);
    const own = { SEALING_KEY: key, SEALING_KEY_FILE: path };
    expect(read(own)).toThrow("SEALING_KEY and SEALING_KEY_FILE are both set; set one of them.");
    expect(read({ SEALING_KEY_FILE: path })).toThrow(
      /^SEALING_KEY must be the base64 of 32 bytes\.$/,
    );
    const empty = fileWith("\n");
    expect(read({ VARS_TOKEN_FILE: empty })).toThrow(`VARS_TOKEN_FILE: ${empty} is empty.`);
    expect(read({ VARS_TOKEN_FILE: "/proc" })).toThrow(
      "VARS_TOKEN_FILE: /proc cannot be read (EISDIR).",
    );
  });

  it("is used, and the banner prints its path instead of its value", async () => {
    const token = "a token of my own";
    const [root, vars] = [fileWith(`${token}\n`), fileWith("another-token-of-my-own\n")];
    const dataDir = temporaryDirectory();
    const env = {
      SEALING_KEY_FILE: fileWith(key),
      SERVICE_ROOT_TOKEN_FILE: root,
      VARS_TOKEN_FILE: vars,
    };
    const server = await startServer({ dataDir, env, token });
    expect(await rolesOf(server)).toBeDefined();
    for (const line of [
      `  root token  in ${root}`,
      `  vars token  in ${vars}`,
      "  vars user   admin, in the organization default",
      `  TOKEN=$(cat '${root}')`,
    ])
      expect(server.output()).toContain(`${line}\n`);
    for (const text of [token, "another-token", key]) expect(server.output()).not.toContain(text);
    await server.stop();
    for (const name of ["root-token", "vars-token", "sealing-key"])
      expect(existsSync(join(dataDir, name))).toBe(false);
  });
});

describe("a data directory", () => {
  it("that cannot be created or is a file is reported in one sentence", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    for (const dataDir of [file, join(file, "below"), "/proc/sealwright/data"]) {
      await expect(startServer({ dataDir })).rejects.toThrow(
        oneSentence(`DATA_DIR: ${dataDir} cannot be used \\([A-Z]+\\)`),
      );
    }
  });

  it("with files of others keeps its permissions", async () => {
    const dataDir = join(temporaryDirectory(), "shared");
    mkdirSync(dataDir, { mode: 0o755 });
    writeFileSync(join(dataDir, "theirs"), "");
    const server = await startServer({ dataDir });
    expect(statSync(dataDir).mode & 0o777).toBe(0o755);
    for (const name of ["root-token", "sealing-key", "vars-token", "sealwright.db"])
      expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0]);
    await server.stop();
  });

  it("whose sealing key is lost does not get a new one", async () => {
    const dataDir = temporaryDirectory();
    const server = await startServer({ dataDir });
    await rolesOf(server);
    await server.stop();
    const path = join(dataDir, "sealing-key");
    const key = readFileSync(path, "utf8").trim();
    rmSync(path);
    await expect(startServer({ dataDir })).rejects.toThrow(oneSentence(`${path} is missing`));
    expect(existsSync(path)).toBe(false);
    expect(await (await startServer({ dataDir, env: { SEALING_KEY: key } })).stop()).toBe(0);
  });

  it("is not served with a different sealing key", async () => {
    const dataDir = temporaryDirectory();
    const server = await startServer({ dataDir });
    await rolesOf(server);
    expect(await server.stop()).toBe(0);
    const path = join(dataDir, "sealing-key");
    const [key, other] = [readFileSync(path, "utf8"), Buffer.alloc(32, 7).toString("base64")];
    const told = `The keys in ${join(dataDir, "sealwright.db")} were sealed with a different key than the one in `;
    await expect(startServer({ dataDir, env: { SEALING_KEY: other } })).rejects.toThrow(
      oneSentence(`${told}SEALING_KEY: `),
    );
    writeFileSync(path, other);
    await expect(startServer({ dataDir })).rejects.toThrow(oneSentence(`${told}${path}: `));
    writeFileSync(path, key);
    expect(await (await startServer({ dataDir })).stop()).toBe(0);
  });
});
