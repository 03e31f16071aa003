import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { apiOf } from "../http/api.ts";
import { certificate } from "../net/tls-fixture.ts";
import { freePort } from "../support/ports.ts";
import { itWith } from "../support/programs.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { root } from "../support/syntax.ts";
import { run } from "./acme/command.ts";
import { estUser, prepareEst } from "./est/prepare.ts";

let ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.toReversed()) await end();
  ending = [];
});
const begun = async (env: Record<string, string>): Promise<RunningServer> => {
  const server = await startServer({ env });
  ending.push(() => server.stop());
  return server;
};

describe("a server that trusts a proxy", () => {
  const sent = (address: string) => ({ headers: { "X-Forwarded-For": address } });
  const quota = { rate: 1, interval: 3600, path: "sys/mounts" };

  it("uses the forwarded client address for token CIDRs, rate limits and the audit log", async () => {
    const api = apiOf(await begun({ TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/24" }));
    await api("POST", "auth/token/roles/bound", { token_bound_cidrs: ["192.0.2.7"] });
    const made = await api("POST", "auth/token/create/bound", { policies: ["default"] });
    const { client_token: token } = made.json["auth"] as { readonly client_token: string };
    const asks = async (...lines: readonly string[]): Promise<number> => {
      const forwarded = lines.length > 0 ? { "X-Forwarded-For": lines.join(", ") } : {};
      const headers = { "X-Vault-Token": token, ...forwarded };
      const bound = { token: "none" as const, headers };
      return (await api("GET", "auth/token/lookup-self", undefined, bound)).status;
    };
    expect(await asks("192.0.2.7")).toBe(200);
    expect(await asks("198.51.100.1", "192.0.2.7", "10.0.0.9")).toBe(200);
    expect(await asks("192.0.2.7", "192.0.2.8")).toBe(403);
    expect(await asks("192.0.2.7", "192.0.2.8", "10.0.0.9")).toBe(403);
    expect(await asks()).toBe(403);
    expect(await asks("192.0.2.7, unknown")).toBe(400);

    expect((await api("POST", "sys/quotas/rate-limit/one", quota)).status).toBe(204);
    const status = async (address: string): Promise<number> =>
      (await api("GET", "sys/mounts", undefined, sent(address))).status;
    expect([await status("192.0.2.7"), await status("192.0.2.8")]).toEqual([200, 200]);
    expect(await status("192.0.2.7")).toBe(429);
    expect(await status("198.51.100.1, 192.0.2.7")).toBe(429);

    const role = { allow_any_name: true };
    await api("POST", "pki/roles/web", role, sent("6.6.6.6, 2001:DB8::7"));
    const { data } = await api("GET", "sys/audit/events?list=true&mount=pki");
    expect(JSON.stringify(data)).toContain('"address":"2001:db8::7"');
  });

  it("ignores forwarded addresses from other clients", async () => {
    const api = apiOf(await begun({ TRUSTED_PROXIES: "127.0.0.2, 192.0.2.0/24" }));
    expect((await api("POST", "sys/quotas/rate-limit/one", quota)).status).toBe(204);
    const first = await api("GET", "sys/mounts", undefined, sent("192.0.2.7"));
    const second = await api("GET", "sys/mounts", undefined, sent("nonsense"));
    expect([first.status, second.status]).toEqual([200, 429]);
  });
});

/** URLs of a proxy that runs an example, and the certificate to trust. */
interface Proxy {
  readonly tls: string;
  readonly plain: string;
  readonly ca: string;
}
/** The directory and ports of an example. */
interface Place {
  readonly at: (name: string) => string;
  readonly upstream: string;
  readonly tls: number;
  readonly plain: number;
}

const example = (path: string, { host }: URL): string =>
  readFileSync(join(root, "examples", path), "utf8").replaceAll("127.0.0.1:8787", host);

/** Runs a program with the configuration that `configured` writes; resolves once it serves. */
async function proxied(
  server: RunningServer,
  program: string,
  configured: (place: Place) => readonly string[],
): Promise<Proxy> {
  const directory = temporaryDirectory();
  const at = (name: string): string => join(directory, name);
  const request =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost";
  const names = ["-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", at("tls.key"), "-out", at("tls.crt")];
  const made = spawnSync("openssl", [...request.split(" "), ...names, ...files]);
  expect(made.status, String(made.stderr)).toBe(0);
  const [tls, plain] = [await freePort(), await freePort()];
  const args = configured({ at, upstream: server.url, tls, plain });
  const env = { ...process.env, HOME: directory };
  const child = spawn(program, args, { stdio: "ignore", env });
  const closed = new Promise((resolve) => child.once("close", resolve));
  ending.push(() => {
    child.kill("SIGTERM");
    return closed;
  });
  const base = { tls: `https://localhost:${tls}`, plain: `http://localhost:${plain}` };
  const asked = ["-s4", "-o", at("none"), `${base.plain}/`];
  await expect.poll(() => child.exitCode ?? spawnSync("curl", asked).status).toBe(0);
  return { ...base, ca: at("tls.crt") };
}

function nginxBy({ at, upstream, tls, plain }: Place): readonly string[] {
  const text = example("nginx/sealwright.conf", new URL(upstream))
    .replace("listen 443", `listen 127.0.0.1:${tls}`)
    .replace("listen 80", `listen 127.0.0.1:${plain}`)
    .replace("#ssl_verify_client", "ssl_verify_client")
    .replace(/^( *ssl_certificate +)\S+;/m, `$1${at("tls.crt")};`)
    .replace(/^( *ssl_certificate_key +)\S+;/m, `$1${at("tls.key")};`);
  mkdirSync(at("temporary"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${at("temporary")}/${kind};`)
    .join("\n");
  const log = `access_log off; error_log ${at("error.log")};`;
  writeFileSync(
    at("nginx.conf"),
    `daemon off; user ${userInfo().username}; worker_processes 1; pid ${at("pid")};\nevents {}\nhttp {\n${log}\n${temporary}\n${text}\n}\n`,
  );
  return ["-c", at("nginx.conf"), "-e", at("error.log")];
}

function caddyBy({ at, upstream, tls, plain }: Place): readonly string[] {
  const text = example("caddy/Caddyfile", new URL(upstream))
    .replaceAll(/^((?:http:\/\/)?)ca\.corp\.example \{/gm, "$1localhost {")
    .replace(/^(\ttls) .* \{$/m, `$1 ${at("tls.crt")} ${at("tls.key")} {`)
    .replaceAll(/^(\t\t)#(?=client_auth|\t|\})/gm, "$1");
  const options = `admin off\ndefault_bind 127.0.0.1\nhttp_port ${plain}\nhttps_port ${tls}`;
  writeFileSync(at("Caddyfile"), `{\n${options}\n}\n${text}`);
  return ["run", "--config", at("Caddyfile"), "--adapter", "caddyfile"];
}

/** Asserts how a proxy forwards requests, addresses and headers. */
async function expectServed(server: RunningServer, { tls, plain, ca }: Proxy): Promise<void> {
  const plainCurl = (...args: readonly string[]): string =>
    spawnSync("curl", ["-sS4", "--cacert", ca, ...args], { encoding: "utf8" }).stdout;
  const curl = (...args: readonly string[]): string =>
    plainCurl("-H", `X-Service-Token: ${server.token}`, ...args);
  const status = (...args: readonly string[]): string =>
    curl("-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", ...args).trim();
  const post = (path: string, body: object): string =>
    curl("-d", JSON.stringify(body), `${tls}/v1/${path}`);
  post("pki/root/generate/internal", { common_name: "Root", key_type: "ec", ttl: "8760h" });
  post("pki/roles/web", { allow_any_name: true, key_type: "ec" });
  expect(post("pki/issue/web", { common_name: "a.test" })).toContain("BEGIN CERTIFICATE");
  expect(curl("-X", "LIST", `${tls}/v1/pki/roles`)).toContain('"web"');
  // a body as large as a part of a backup reaches the server, which rejects it itself
  const large = join(temporaryDirectory(), "large");
  writeFileSync(large, Buffer.alloc(20 * 1024 * 1024, 32));
  const refused = curl("--data-binary", `@${large}`, `${tls}/v1/sys/storage/snapshot-check`);
  expect(refused).toContain('{"errors":[');
  // the server sees the client's address, and the client cannot forge another
  post("auth/token/roles/bound", { token_bound_cidrs: ["127.0.0.7/32"] });
  const from = post("auth/token/create/bound", { policies: ["default"] });
  const token = /"client_token":"([^"]+)"/.exec(from)?.[1] ?? from;
  const asks = (address: string, ...more: readonly string[]): string => {
    const shown = ["-o", "/dev/null", "-w", "%{http_code}", "--interface", address];
    const own = ["-H", `X-Vault-Token: ${token}`, `${tls}/v1/auth/token/lookup-self`];
    return plainCurl(...shown, ...more, ...own);
  };
  expect(asks("127.0.0.7")).toBe("200");
  expect(asks("127.0.0.8")).toBe("403");
  const claims = ["-H", "X-Forwarded-For: 127.0.0.7", "-H", "Forwarded: for=127.0.0.7"];
  expect(asks("127.0.0.8", ...claims)).toBe("403");
  expect(asks("127.0.0.8", ...claims, "-H", "Connection: X-Forwarded-For")).toBe("403");
  expect(asks("127.0.0.7", "-H", "X-Forwarded-For: nonsense")).toBe("200");

  for (const path of ["pki/crl", "pki/ca/pem", "pki/ca_chain", "pki/issuer/default/der"])
    expect([path, status(`${plain}/v1/${path}`)]).toEqual([path, "200"]);
  for (const path of ["v1/pki/roles/web", "v1/sys/mounts", "demo/", "v1/pki/issue/web"])
    expect(status(`${plain}/${path}`)).toBe(`308 https://localhost/${path}`);
  // not even a token allows changes over plain HTTP
  expect(status("-X", "DELETE", `${plain}/v1/pki/crl`)).toMatch(/^(?:403|308)/);
}

/** Asserts how a proxy forwards client certificates, which are those of docs/est.md. */
async function expectCertificates(server: RunningServer, proxy: Proxy): Promise<void> {
  const { tls, plain, ca } = proxy;
  const cwd = temporaryDirectory();
  cpSync(ca, join(cwd, "server.pem"));
  const plainCurl = (...args: readonly string[]): string =>
    spawnSync("curl", ["-sS", ...args], { encoding: "utf8", cwd }).stdout;
  const curl = (...args: readonly string[]): string =>
    plainCurl("-4", "--cacert", "server.pem", ...args);
  await prepareEst(async (path, body) => {
    const sent = body ? ["-d", JSON.stringify(body)] : [];
    const text = curl("-H", `X-Service-Token: ${server.token}`, ...sent, `${tls}/v1/${path}`);
    return text === "" ? undefined : JSON.parse(text);
  });
  const script = join(import.meta.dirname, "est/curl.sh");
  const output = await run("bash", [script, tls, estUser, "d1.devices.example"], { cwd });
  expect(output).toMatch(/device\.pem: OK\nrenewed\.pem: OK\ndone\n$/);

  const login = (...args: readonly string[]): string =>
    curl("-X", "POST", ...args, `${tls}/v1/auth/certificates/login`);
  const own = ["--cert", "device.pem", "--key", "device.key"];
  const none = "no client certificate supplied";
  expect(login(...own)).toContain('"client_token":"');
  expect(login()).toContain(none);
  // certificates are public: a client that sends one in a header has not proved to hold its key
  const pem = readFileSync(join(cwd, "device.pem"), "utf8").replace(/^[^-]*/, "");
  const der = pem.replaceAll(/-----[^-]+-----|\n/g, "");
  for (const value of [`:${der}:`, encodeURIComponent(pem)])
    for (const name of ["Client-Cert", "client-cert", "Client_Cert", "Client-Cert-Chain"])
      for (const more of [[], ["-H", "Connection: Client-Cert"], ["-H", `${name}: ${value}`]])
        expect([name, more, login("-H", `${name}: ${value}`, ...more)]).toEqual([
          name,
          more,
          expect.stringContaining(none),
        ]);
  // a client with another certificate is not mistaken for the first
  const stranger = await certificate({ name: "d1.devices.example" });
  writeFileSync(join(cwd, "stranger.pem"), stranger.pem);
  writeFileSync(join(cwd, "stranger.key"), stranger.key.pem);
  const theirs = ["--cert", "stranger.pem", "--key", "stranger.key"];
  for (const more of [[], ["-H", `Client-Cert: :${der}:`], ["-H", `Client-Cert-Chain: :${der}:`]])
    expect(login(...theirs, ...more)).not.toContain("client_token");
  const published = ["-H", `Client-Cert: :${der}:`, `${plain}/v1/pki/ca/pem`];
  expect(curl("-o", "/dev/null", "-w", "%{http_code}", ...published)).toBe("200");
  // headers from a client that connects directly are not trusted
  const direct = `${server.url}/v1/auth/certificates/login`;
  const beside = ["--interface", "127.0.0.9", "-H", `Client-Cert: :${der}:`];
  expect(curl("-X", "POST", ...beside, direct)).toContain(none);
  const local = ["--unix-socket", join(server.dataDir, "run/http"), "-H", `Client-Cert: :${der}:`];
  expect(plainCurl("-X", "POST", ...local, direct)).toContain(none);
}

it.each([
  ["nginx", "nginx/sealwright.conf"],
  ["caddyfile", "caddy/Caddyfile"],
])(
  "the %s configuration in docs/deploy.md is part of the example that is run",
  (language, path) => {
    const lines = (text: string): readonly string[] => text.split("\n").map((line) => line.trim());
    const document = readFileSync(join(root, "docs/deploy.md"), "utf8");
    const [, shown = ""] =
      new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\``, "m").exec(document) ?? [];
    const run = lines(readFileSync(join(root, "examples", path), "utf8"));
    expect(shown).not.toBe("");
    expect(lines(shown).filter((line) => !run.includes(line))).toEqual([]);
  },
);

const env = {
  PUBLIC_URL: "https://ca.corp.example",
  TRUSTED_PROXIES: "127.0.0.1",
  CLIENT_CERTIFICATES: "header",
};

itWith("nginx", "-v")(
  "nginx with the example configuration forwards client addresses and certificates, and serves only CRLs and CA certificates over HTTP",
  async () => {
    const server = await begun(env);
    const proxy = await proxied(server, "nginx", nginxBy);
    await expectCertificates(server, proxy);
    await expectServed(server, proxy);
  },
);

itWith("caddy", "version")(
  "Caddy with the example configuration forwards client addresses and certificates, and serves only CRLs and CA certificates over HTTP",
  async () => {
    const server = await begun(env);
    const proxy = await proxied(server, "caddy", caddyBy);
    await expectCertificates(server, proxy);
    await expectServed(server, proxy);
  },
);
