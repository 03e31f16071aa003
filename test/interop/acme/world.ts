import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import http, { createServer } from "node:http";
import https from "node:https";
import { join } from "node:path";
import { listening } from "../../net/tls-fixture.ts";
import { freePort } from "../../support/ports.ts";
import { startServer, type RunningServer } from "../../support/server.ts";
import { nameServer, type NameServer } from "./dns.ts";

/**
 * The environment of the clients: authorities with ACME enabled, over HTTPS and over HTTP, and a DNS
 * server.
 */
export interface World {
  /** Returns the URL of a directory; `plain`: over HTTP, of another authority. */
  directory(prefix?: string, plain?: boolean): string;
  /** File with the root of the HTTPS server's certificate. */
  readonly trusted: string;
  /** Ports on which challenges are validated. */
  readonly httpPort: number;
  readonly tlsPort: number;
  readonly dns: NameServer;
  /** Directory whose files are served on `httpPort` while `serving` runs. */
  readonly webroot: string;
  serving<T>(work: () => Promise<T>): Promise<T>;
  /** A script that sets TXT records: `$1` is add (present) or clear (cleanup), `$2` the name, `$3` the value. */
  readonly txtScript: string;
  /** Creates a directory for a client. */
  scratch(name: string): string;
  /** Creates a key for an external account binding. */
  binding(prefix?: string, plain?: boolean): Promise<{ readonly id: string; readonly key: string }>;
  call(
    method: string,
    path: string,
    body?: unknown,
    plain?: boolean,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Throws unless the authority's root verifies the chain and the certificate has all names. */
  verify(chain: string, names: readonly string[], plain?: boolean): void;
  /** Throws unless the certificate was revoked. */
  revoked(chain: string, plain?: boolean): Promise<void>;
  stop(): Promise<void>;
}

const openssl = (args: readonly string[], input = ""): string => {
  const { status, stdout, stderr } = spawnSync("openssl", args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
};

/** Calls the authority, which must succeed, and returns the data of the reply. */
function ask(
  { url, token }: RunningServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  // the clients under test verify the server's certificate
  const options = { method, headers: { "X-Vault-Token": token }, rejectUnauthorized: false };
  const { request } = url.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const call = request(`${url}/v1/pki/${path}`, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => {
        if ((answer.statusCode ?? 500) >= 300) reject(new Error(`${method} ${path}: ${text}`));
        else resolve(text === "" ? {} : JSON.parse(text).data);
      });
    });
    call.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const roles = {
  web: { allowed_domains: "acme.test", allow_subdomains: true, key_type: "any" },
  // Caddy renews in the last third of the lifetime
  short: {
    allow_any_name: true,
    key_type: "any",
    max_ttl: "60s",
    ttl: "60s",
    not_before_duration: "1s",
  },
};
/** Enables ACME, with settings that let the server reach this machine. */
async function enable(server: RunningServer, resolver: number, directory: string): Promise<string> {
  const root = await ask(server, "POST", "root/generate/internal", {
    common_name: "Interop Root",
    key_type: "ec",
    ttl: "8760h",
  });
  for (const [name, role] of Object.entries(roles))
    await ask(server, "POST", `roles/${name}`, role);
  await ask(server, "POST", "config/acme", { enabled: true });
  await ask(server, "POST", "config/acme", {
    dns_resolver: `127.0.0.1:${resolver}`,
    challenge_permitted_ip_ranges: ["127.0.0.0/8"],
  });
  const file = join(directory, `root-${server.pid}.pem`);
  writeFileSync(file, `${String(root["certificate"])}\n`);
  return file;
}

/** Creates a CA with openssl, and a server certificate of it for this machine. */
function transport(directory: string): { cert: string; key: string; trusted: string } {
  const [cert, key, trusted] = ["tls.pem", "tls.key", "trusted.pem"].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  const rootKey = join(directory, "trusted.key");
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl([
    "req",
    "-x509",
    ...fresh,
    "-keyout",
    rootKey,
    "-out",
    trusted,
    "-subj",
    "/CN=Test transport",
    "-days",
    "2",
  ]);
  const request = openssl(["req", ...fresh, "-keyout", key, "-subj", "/CN=localhost"]);
  const extensions = join(directory, "extensions");
  writeFileSync(extensions, "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  writeFileSync(
    cert,
    openssl(
      ["x509", "-req", "-CA", trusted, "-CAkey", rootKey, "-days", "2", "-extfile", extensions],
      request,
    ),
  );
  return { cert, key, trusted };
}

/** Serves the files below a directory during the callback. */
async function servingFiles<T>(root: string, port: number, work: () => Promise<T>): Promise<T> {
  const server = createServer((request, answer) => {
    try {
      answer.end(readFileSync(join(root, new URL(request.url ?? "/", "http://x").pathname)));
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return work().finally(() => {
    server.closeAllConnections();
    server.close();
  });
}

/** Creates a script with which clients set TXT records, and the server that it calls. */
async function recordScript(directory: string, dns: NameServer) {
  const server = createServer((request, answer) => {
    const [, name = "", value = ""] = (request.url ?? "").split("/");
    if (request.method === "PUT") dns.txt(name.toLowerCase(), value);
    else dns.clear(name.toLowerCase(), value);
    answer.end();
  });
  const port = await listening(server);
  const script = join(directory, "txt.sh");
  const address = `http://127.0.0.1:${port}`;
  writeFileSync(
    script,
    `#!/bin/sh\nname="\${2%.}"\ncase "$1" in clear|cleanup) method=DELETE;; *) method=PUT;; esac\ncurl -fsS -X "$method" "${address}/$name/$3"\n`,
    { mode: 0o755 },
  );
  return { script, close: () => server.close() };
}

/** Options of `startWorld`. */
export interface WorldOptions {
  /** Starts an authority with the given settings. */
  readonly start?: (options: { env: Record<string, string> }) => Promise<RunningServer>;
  /** True if a second authority serves HTTPS; if false, the first one is used in its place. */
  readonly withHttps?: boolean;
}

/** Starts the authorities, the DNS server and everything else that clients need. */
export async function startWorld({
  start = startServer,
  withHttps = true,
}: WorldOptions = {}): Promise<World> {
  const base = mkdtempSync(join(process.env["TMPDIR"] ?? "/tmp", "acme-"));
  const [httpPort, tlsPort, dns] = [await freePort(), await freePort(), await nameServer()];
  const { cert, key, trusted } = transport(base);
  const ports = { ACME_HTTP_PORT: String(httpPort), ACME_TLS_PORT: String(tlsPort) };
  const env = { ...ports, LOG: "json" };
  const plain = await start({ env });
  const plainRoot = await enable(plain, dns.port, base);
  const secure = withHttps ? await start({ env: { ...env, TLS_CERT: cert, TLS_KEY: key } }) : plain;
  const secureRoot = withHttps ? await enable(secure, dns.port, base) : plainRoot;
  const webroot = join(base, "webroot");
  mkdirSync(join(webroot, ".well-known/acme-challenge"), { recursive: true });
  const { script, close } = await recordScript(base, dns);
  const of = (isPlain = false): RunningServer => (isPlain ? plain : secure);
  return {
    directory: (prefix = "acme", isPlain) => `${of(isPlain).url}/v1/pki/${prefix}/directory`,
    trusted,
    httpPort,
    tlsPort,
    dns,
    webroot,
    serving: (work) => servingFiles(webroot, httpPort, work),
    txtScript: script,
    scratch: (name) => {
      const path = join(base, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    binding: async (prefix = "acme", isPlain) => {
      const { id, key: mac } = await ask(of(isPlain), "POST", `${prefix}/new-eab`);
      return { id: String(id), key: String(mac) };
    },
    call: (method, path, body, isPlain) => ask(of(isPlain), method, path, body),
    verify: (chain, names, isPlain) => verify(chain, names, isPlain ? plainRoot : secureRoot),
    revoked: async (chain, isPlain) => {
      const serial = openssl(["x509", "-noout", "-serial"], chain).trim().replace("serial=", "");
      const { revocation_time: at } = await ask(
        of(isPlain),
        "GET",
        `cert/${(serial.match(/../g) ?? []).join(":").toLowerCase()}`,
      );
      if (!(Number(at) > 0)) throw new Error(`${serial} was not revoked`);
    },
    stop: async () => {
      dns.close();
      close();
      if (withHttps) await secure.stop();
      await plain.stop();
    },
  };
}

function verify(chain: string, names: readonly string[], root: string): void {
  const blocks = chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [];
  const file = `${root}.chain`;
  writeFileSync(file, blocks.slice(1).join(""));
  openssl(
    ["verify", "-CAfile", root, ...(blocks.length > 1 ? ["-untrusted", file] : [])],
    blocks[0],
  );
  const text = openssl(["x509", "-noout", "-ext", "subjectAltName"], blocks[0]);
  for (const name of names)
    if (!new RegExp(`(?:DNS|IP Address):${name.replaceAll(/[.*]/g, "\\$&")}(?:,|\\s|$)`).test(text))
      throw new Error(`${name} is missing from ${text}`);
}
