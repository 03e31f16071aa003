import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { X509Certificate, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import { chromium } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { run } from "../../server/cli/commands.ts";
import { builtServer } from "../support/built.ts";
import { chromiumLaunch } from "../support/chromium.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";

const folder = temporaryDirectory();
let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { TLS: "own", CLIENT_CERTIFICATES: "optional" } });
});
afterAll(() => server.stop());

const printed: string[] = [];
const complained: string[] = [];
beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  vi.spyOn(console, "error").mockImplementation((text) => void complained.push(String(text)));
});
afterEach(() => vi.restoreAllMocks());

type Env = Readonly<Record<string, string>>;
type Ended = readonly [code: number, stdout: string, stderr: string];

/** Runs a command in the environment of the user who started the server. */
async function sealwright(words: readonly string[], env: Env = {}): Promise<Ended> {
  printed.length = complained.length = 0;
  const host = { page: () => Promise.reject(new TypeError("nothing is served")), version: "1.2.3" };
  const { PATH = "" } = process.env;
  const code = await run(words, host, { PATH, HOME: folder, DATA_DIR: server.dataDir, ...env });
  return [code, printed.join("\n"), complained.join("\n")];
}
/** Runs a command that must succeed, and returns its output. */
async function done(...words: readonly string[]): Promise<string> {
  const [code, out, err] = await sealwright(words);
  expect([code, err]).toEqual([0, ""]);
  return out;
}
const json = async (...words: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse(await done(...words, "--json"));

const tls = join(folder, "tls");
const read = (name: string, dir = tls): string => readFileSync(join(dir, name), "utf8");
const remote = (): Env => ({ SEALWRIGHT_ADDR: server.url, DATA_DIR: folder });

describe("sealwright against a server with TLS=own", () => {
  it("init creates an intermediate signed by the server's TLS root, and can be repeated", async () => {
    const first = await done("init");
    expect(first).toContain(
      "Created: intermediate Sealwright Intermediate CA, signed by sealwright-tls/",
    );
    const root = new X509Certificate(read("tls-root.pem", server.dataDir));
    expect(first).toContain(root.fingerprint256);
    const again = await json("init");
    expect(again).toMatchObject({ created: [], fingerprint: root.fingerprint256 });
    expect(await done("list", "issuers")).toMatch(
      /^intermediate .* \d{4}-\d\d-\d\d \d\d:\d\d UTC \(in \d+ days\) +default$/m,
    );
    const [code, , err] = await sealwright(["init", "--mount", "sealwright-tls"]);
    expect([code, err]).toEqual([
      2,
      "The mount sealwright-tls/ is reserved for the server's own certificate; choose another with --mount.",
    ]);
    const next = await done("init", "--mount", "pki");
    expect(next).toContain("  sealwright trust install\n");
  });

  it("init creates a mount and a root with --root-mount", async () => {
    const mount = ["--mount", "team/ca", "--root-mount", "team/ca"];
    const made = await json(
      "init",
      ...mount,
      "--name",
      "Team",
      "--domain",
      "corp.example,10.0.0.0/8",
    );
    expect(made["created"]).toEqual([
      "mount team/ca/",
      "root Team Root CA",
      "intermediate Team Intermediate CA",
      "role server",
    ]);
    const role = await done("get", "team/ca/roles/server");
    expect(role).toMatch(/^allowed_domains +corp\.example$/m);
    expect(role).toMatch(/^allowed_ip_sans_cidr +10\.0\.0\.0\/8$/m);
  });

  it("issue writes the files that TLS servers need, the key readable by its owner only", async () => {
    await done("issue", "localhost", "127.0.0.1", "--out", tls);
    expect(statSync(join(tls, "privkey.pem")).mode & 0o777).toBe(0o600);
    const chain = read("fullchain.pem").match(/-----BEGIN/g);
    expect(chain).toHaveLength(2);
    const leaf = new X509Certificate(read("fullchain.pem"));
    expect(leaf.checkPrivateKey(createPrivateKey(read("privkey.pem")))).toBe(true);
    expect(leaf.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1");
    const verified = execFileSync("openssl", [
      "verify",
      "-CAfile",
      join(tls, "root.pem"),
      "-untrusted",
      join(tls, "chain.pem"),
      join(tls, "cert.pem"),
    ]);
    expect(verified.toString()).toMatch(/: OK\n$/);
  });

  it("issue does not overwrite other files, and prints key and chain with --print", async () => {
    const other = join(folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, "cert.pem"), "mine");
    const [code, , err] = await sealwright(["issue", "localhost", "--out", other]);
    expect([code, err]).toEqual([
      1,
      `${other}/cert.pem was not written by sealwright issue; choose another directory with --out.`,
    ]);
    const named = join(folder, "named");
    await done("issue", "localhost", "127.0.0.1", "--out", named);
    expect(await sealwright(["issue", "localhost", "--out", named])).toEqual([
      1,
      "",
      `${named} contains a certificate for localhost, 127.0.0.1; choose another directory with --out, or replace it with --force.`,
    ]);
    await done("issue", "127.0.0.1", "localhost", "--out", named);
    await done("issue", "localhost", "--out", named, "--force");
    const text = await done("issue", "localhost", "--print");
    expect(text.match(/-----BEGIN [A-Z ]+-----/g)).toEqual([
      "-----BEGIN PRIVATE KEY-----",
      "-----BEGIN CERTIFICATE-----",
      "-----BEGIN CERTIFICATE-----",
    ]);
  });

  it("sign issues a certificate for a CSR", async () => {
    const [key, csr, out] = ["key.pem", "csr.pem", "signed.pem"].map((name) => join(folder, name));
    execFileSync(
      "openssl",
      ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"].concat([
        "-keyout",
        key ?? "",
        "-subj",
        "/CN=localhost",
        "-out",
        csr ?? "",
      ]),
      { stdio: "ignore" },
    );
    expect(await done("sign", csr ?? "", "--out", out ?? "")).toMatch(/^Signed /);
    const leaf = new X509Certificate(readFileSync(out ?? ""));
    expect(leaf.checkPrivateKey(createPrivateKey(readFileSync(key ?? "")))).toBe(true);
    const [code, , err] = await sealwright(["sign", key ?? ""]);
    expect([code, err]).toEqual([
      2,
      `${key} is not a CSR: it is neither PEM ("BEGIN CERTIFICATE REQUEST") nor DER.`,
    ]);
    const der = join(folder, "csr.der");
    execFileSync("openssl", ["req", "-in", csr ?? "", "-outform", "der", "-out", der]);
    expect(await done("sign", der)).toContain("BEGIN CERTIFICATE");
  });

  it("issue and sign reject a --ttl that is no duration before they send a request", async () => {
    const offline = { SEALWRIGHT_ADDR: "http://127.0.0.1:9", SEALWRIGHT_TOKEN: "t" };
    const expected = [
      2,
      "",
      '--ttl must be a number of seconds, or a duration such as 90m, 24h or 30d, not "10y".',
    ];
    const out = join(folder, "none");
    expect(await sealwright(["issue", "a.test", "--ttl", "10y", "--out", out], offline)).toEqual(
      expected,
    );
    const csr = join(folder, "csr.pem");
    expect(await sealwright(["sign", csr, "--ttl", "10y"], offline)).toEqual(expected);
  });

  it("renew replaces files that are due or with --force, and then runs the --exec command", async () => {
    const before = new X509Certificate(read("cert.pem")).serialNumber;
    expect(await done("renew", tls)).toMatch(/ is due at \d{4}-/);
    const copy = `cp "$SEALWRIGHT_DIR/fullchain.pem" '${folder}/served.pem'`;
    expect(await done("renew", tls, "--force", "--exec", copy)).toMatch(/^Renewed /);
    const { serialNumber } = new X509Certificate(read("cert.pem"));
    expect(serialNumber).not.toBe(before);
    expect(new X509Certificate(read("served.pem", folder)).serialNumber).toBe(serialNumber);
    expect(readdirSync(join(tls, ".versions"))).toEqual([serialNumber.toLowerCase()]);
  });

  it("renew exits with 1 if the --exec command fails, and runs it again the next time", async () => {
    const [code, , err] = await sealwright(["renew", tls, "--force", "--exec", "exit 3"]);
    expect([code, err]).toEqual([
      1,
      `The files in ${tls} are up to date, but the reload failed: the --exec command exited with 3. The next attempt repeats it.`,
    ]);
    const mark = join(folder, "reloaded");
    await done("renew", tls, "--exec", `touch '${mark}'`);
    expect(existsSync(mark)).toBe(true);
  });

  it("list filters certificates by name and expiry, and revoke revokes one", async () => {
    expect(await done("list", "--name", "localhost", "--expires-within", "40")).toMatch(
      /^SERIAL +NAMES +ROLE +EXPIRES\n([0-9a-f:]{59} +localhost(?: \+1)? +server +.*\n?)+$/,
    );
    expect(await done("revoke", join(tls, "cert.pem"), "--reason", "superseded")).toMatch(
      /^Revoked at \d{4}-/,
    );
    expect(await done("list", "--name", "localhost")).toMatch(/^\S+ +localhost \+1 .* revoked$/m);
    const revoked = (await json("list", "--state", "revoked")) as unknown as readonly object[];
    expect(revoked).toHaveLength(1);
    for (const [word, code, error] of [
      ["localhost", 1, "File not found: localhost; it is not a serial number either."],
      ["./12", 1, "File not found: ./12."],
      [
        "12",
        4,
        "The server rejected the request: certificate with serial 12 not found (unknown_certificate).",
      ],
      [
        "123",
        4,
        "The server rejected the request: certificate with serial 01:23 not found (unknown_certificate).",
      ],
    ] as const)
      expect(await sealwright(["revoke", word])).toEqual([code, "", error]);
    expect(await done("renew", tls)).toMatch(/^Renewed /);
    expect(await done("renew", tls)).toMatch(/ is due at /);
    await done("issue", "127.0.0.1", "--out", join(folder, "address"));
    expect(await done("list")).toMatch(/^[0-9a-f:]{59} +127\.0\.0\.1 +server /m);
  });

  it("renew uses the renewal information of the mount's ACME directory", async () => {
    const dir = join(folder, "advised");
    await done("issue", "localhost", "--ttl", "40m", "--out", dir);
    const requests: string[] = [];
    const peer = createHttpServer(({ method, url = "" }, response) => {
      const path = decodeURIComponent(url).replace(/[0-9a-f:]{59}$/, "SERIAL");
      requests.push(`${method} ${path.replace(/[\w-]+\.[\w-]+$/, "ID")}`);
      const suggestedWindow = { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" };
      response.statusCode = url.includes("/renewal-info/") ? 200 : 404;
      response.end(JSON.stringify({ suggestedWindow }));
    }).listen(0);
    await once(peer, "listening");
    const address = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
    expect((await sealwright(["renew", dir, "--address", address]))[0]).toBe(4);
    expect(requests).toEqual([
      "GET /v1/pki/cert/SERIAL",
      "GET /v1/pki/acme/renewal-info/ID",
      "POST /v1/pki/issue/server",
    ]);
    peer.close();
  });

  it("renew --daemon prints when the certificate is due, and exits on SIGTERM even during a request", async () => {
    const dir = join(folder, "pending");
    await done("issue", "localhost", "--ttl", "40m", "--out", dir);
    const peer = createHttpServer((_, response) => void response.socket?.resume()).listen(0);
    await once(peer, "listening");
    const address = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
    const words = [await builtServer(), "renew", dir, "--daemon", "--address", address];
    const daemon = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    const out = text(daemon.stdout);
    await once(peer, "request");
    const began = performance.now();
    daemon.kill("SIGTERM");
    expect(await once(daemon, "exit")).toEqual([0, null]);
    expect(performance.now() - began).toBeLessThan(20_000);
    const due = /^\S+Z (.+) is due at (.+) UTC\.\n$/.exec(await out);
    const { validTo } = new X509Certificate(read("cert.pem", dir));
    // a third of the 40 minutes and the 30 s of backdating
    const minutesLeft = (Date.parse(validTo) - Date.parse(`${due?.[2]}Z`)) / 60_000;
    expect([due?.[1], Math.floor(minutesLeft)]).toEqual([dir, expect.toBeOneOf([13, 14])]);
    peer.close();
  });

  it("inspect shows the certificates of files, servers and serial numbers", async () => {
    const { serialNumber } = new X509Certificate(read("cert.pem"));
    const serial = serialNumber.toLowerCase().match(/../g)?.join(":") ?? "";
    const file = await done("inspect", join(tls, "fullchain.pem"));
    expect(file.match(/^Certificate$/gm)).toHaveLength(2);
    expect(file).toContain(`  Serial number  ${serial}\n  Names          localhost, 127.0.0.1\n`);
    expect(await json("inspect", serial)).toMatchObject([
      { kind: "certificate", serial, revocation: "not revoked" },
    ]);
    expect(file).not.toContain("Revocation");
    const dropped = join(folder, "dropped");
    await done("issue", "localhost", "--out", dropped);
    await done("revoke", join(dropped, "cert.pem"));
    const { serialNumber: revoked } = new X509Certificate(read("cert.pem", dropped));
    await done("revoke", dropped);
    expect(await done("inspect", revoked)).toMatch(
      /^ +Revocation +revoked\n +Revoked at +\d{4}-\S+ \d\d:\d\d UTC \(0 minutes ago\)$/m,
    );
    const [served] = (await json("inspect", server.url)) as unknown as readonly object[];
    expect(served).toMatchObject({ issuer: "CN=Sealwright Root of localhost" });
    expect(await done("inspect", join(folder, "csr.pem"))).toMatch(
      /^Certificate signing request\n/,
    );
    expect((await sealwright(["inspect", join(tls, "privkey.pem")]))[0]).toBe(1);
  });

  it("inspect reports which forms of its argument it tried", async () => {
    for (const [word, code, error] of [
      [
        "localhost",
        1,
        "File not found: localhost; it is not a serial number, host:port or https:// URL either.",
      ],
      ["12", 4, "The server rejected the request: pki/cert/12 does not exist (not_found)."],
      ["12:34", 4, "The server rejected the request: pki/cert/12:34 does not exist (not_found)."],
    ] as const)
      expect(await sealwright(["inspect", word])).toEqual([code, "", error]);
  });

  it("verify checks the chain, name, time and revocation of certificates in files and of servers", async () => {
    const chain = join(tls, "fullchain.pem");
    const ca = ["--ca", join(tls, "root.pem")];
    expect(await done("verify", chain, ...ca, "--name", "localhost")).toMatch(/ is valid until /);
    expect(await done("verify", server.url, ...ca)).toMatch(
      / is valid until .*\nRevocation was not checked: pass the CRLs of the issuers with --crl\.$/s,
    );
    const [code, out] = await sealwright(["verify", chain, ...ca, "--name", "www.test", "--json"]);
    expect([code, JSON.parse(out)]).toMatchObject([
      5,
      { valid: false, reasons: [{ code: "name_mismatch" }] },
    ]);
    expect((await sealwright(["verify", chain, ...ca, "--at", "2046-01-01"]))[0]).toBe(5);
    const bad = join(folder, "bad.pem");
    writeFileSync(bad, "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");
    expect(await sealwright(["verify", bad, ...ca])).toEqual([
      1,
      "",
      `${bad} cannot be parsed: PEM block 1: CERTIFICATE is not base64.`,
    ]);
    expect((await sealwright(["verify", chain, ...ca, "--crl", bad]))[2]).toBe(
      `${bad} cannot be parsed: PEM block 1: CERTIFICATE is not base64.`,
    );
    expect((await sealwright(["verify", chain, ...ca, "--crl", chain]))[2]).toBe(
      `${chain} cannot be parsed: CRL: expected PEM with the label X509 CRL.`,
    );
    const issued = join(folder, "issued.crl");
    writeFileSync(issued, await done("get", "pki/issuer/intermediate/crl/pem"));
    const above = join(folder, "above.crl");
    writeFileSync(above, await done("get", "sealwright-tls/crl/pem"));
    // a new one, because the certificate in tls was revoked
    const bundle = join(folder, "bundle.pem");
    writeFileSync(bundle, await done("issue", "localhost", "--print"));
    const checked = ["verify", bundle, ...ca, "--crl", `${issued},${above}`];
    expect(await done(...checked)).not.toContain("Revocation");
    expect(await json(...checked)).toMatchObject({ valid: true, revocation_checked: true });
    expect(await json("verify", bundle, ...ca)).toMatchObject({ revocation_checked: false });
    const unknownRoot = await sealwright(["verify", bundle]);
    expect([unknownRoot[0], unknownRoot[1]]).toEqual([
      5,
      expect.stringMatching(
        /\(issuer_unknown\)\nIf you trust its root, pass it with --ca, or run sealwright trust install\.$/,
      ),
    ]);
    await done("verify", bundle, ...ca, "--crl", issued, "--revocation", "leaf");
    const [partly, unknown] = await sealwright(["verify", bundle, ...ca, "--crl", issued]);
    expect(partly).toBe(5);
    expect(unknown).toMatch(
      /the revocation status of CN=Sealwright Intermediate CA \(serial number [\da-f:]+\) is unknown: .* \(revocation_unknown\)$/m,
    );
    expect((await sealwright(["verify", chain, ...ca, "--revocation", "leaf"]))[0]).toBe(2);
    expect((await sealwright(["verify", "127.0.0.1:9", ...ca]))[0]).toBe(3);
  });

  it("get, post, list and delete call any endpoint", async () => {
    writeFileSync(join(folder, "policy.hcl"), 'path "pki/roles" { capabilities = ["list"] }\n');
    const policy = `policy=@${join(folder, "policy.hcl")}`;
    expect(await done("post", "sys/policies/acl/readers", policy)).toBe("Done.");
    expect(await done("get", "/v1/sys/policies/acl/readers")).toContain('path "pki/roles"');
    expect((await done("list", "sys/policies/acl")).split("\n")).toContain("readers");
    expect(await done("delete", "sys/policies/acl/readers")).toBe("Done.");
    expect(await done("list", "auth/token/roles")).toBe("No entries.");
    expect(await done("get", "pki/ca/pem")).toMatch(/^-----BEGIN CERTIFICATE-----/);
    const [code, , err] = await sealwright(["get", "pki/roles/none"]);
    expect([code, err]).toEqual([
      4,
      "The server rejected the request: pki/roles/none does not exist (not_found).",
    ]);
    expect((await sealwright(["get", "../sys"]))[0]).toBe(2);
    expect((await sealwright(["get", "nowhere/roles/none"]))[2]).toContain(
      "(no_route). Run sealwright list mounts to see the mounts.",
    );
    const list = join(folder, "list.json");
    writeFileSync(list, "[]");
    for (const name of ["post", "patch"])
      expect(await sealwright([name, "pki/roles/none", "--data", list])).toEqual([
        2,
        "",
        expect.stringContaining(`--data: ${list} contains no JSON object.`),
      ]);
  });

  it("patch keeps the fields of a role that it does not name, and post warns of those that it resets", async () => {
    const role = "pki/roles/part";
    await done("post", role, "allowed_domains=a.test", "allow_bare_domains=true", "key_type=ec");
    await done("patch", role, "allowed_domains=a.test,b.test", "ttl=24h");
    const patched = await done("get", role);
    expect(patched).toMatch(/^allowed_domains +a\.test, b\.test$/m);
    expect(patched).toMatch(/^allow_bare_domains +true$/m);
    expect(patched).toMatch(/^key_type +ec$/m);
    const post = ["post", role, "allowed_domains=c.test"];
    const [code, , err] = await sealwright(post);
    expect([code, err]).toEqual([
      0,
      "Warning: post has reset these fields of pki/roles/part, which were omitted: ttl, allow_bare_domains, key_type, key_bits, signature_bits. To keep omitted fields, use sealwright patch.",
    ]);
    await done(...post);
    expect((await sealwright(["patch", "pki/roles/none", "ttl=24h"]))[0]).toBe(4);
    expect((await sealwright(["issue", "d.test", "--role", "part"]))[2]).toMatch(
      /\(name_not_allowed\)\. sealwright get pki\/roles\/part shows the names that the role allows; sealwright patch pki\/roles\/part allowed_domains=… replaces them\.$/,
    );
    await done("delete", role);
  });

  it("connection errors state the cause and what to do", async () => {
    expect(await sealwright(["list"], remote())).toEqual([
      3,
      "",
      `Cannot reach ${server.url}: its certificate is signed by a CA that this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE); set --ca or SEALWRIGHT_CACERT to a file with the root.`,
    ]);
    const ca = { SEALWRIGHT_CACERT: join(server.dataDir, "tls-root.pem") };
    expect(await sealwright(["list"], { ...remote(), ...ca })).toEqual([
      4,
      "",
      "The server rejected the request: permission denied (forbidden). No token was sent: log in with sealwright login, or set SEALWRIGHT_TOKEN.",
    ]);
    const invalid =
      /^The server rejected the request: permission denied.* invalid token \(forbidden\)\. The token in SOURCE has expired or was revoked, or belongs to another server\. Log in with sealwright login, or use another token\.$/;
    const from = (source: string) => new RegExp(invalid.source.replace("SOURCE", source));
    const stale = { ...remote(), ...ca, SEALWRIGHT_TOKEN: "stale" };
    expect((await sealwright(["list"], stale))[2]).toMatch(from("SEALWRIGHT_TOKEN"));
    const file = join(folder, "stale");
    writeFileSync(file, "stale");
    const byFile = { ...remote(), ...ca, SEALWRIGHT_TOKEN_FILE: file };
    expect((await sealwright(["list"], byFile))[2]).toMatch(from(file));
    expect((await sealwright(["list", "--token-file", file], stale))[2]).toMatch(from(file));
    await done("post", "sys/policies/acl/none", 'policy=path "none" { capabilities = ["read"] }');
    const { auth } = await json("post", "auth/token/create", "policies=none");
    const { client_token = "" } = auth as { readonly client_token?: string };
    const weak = { ...stale, SEALWRIGHT_TOKEN: client_token };
    expect((await sealwright(["list"], weak))[2]).toBe(
      "The server rejected the request: permission denied (forbidden). The policies of the token in SEALWRIGHT_TOKEN do not allow the request.",
    );
    expect(await sealwright(["list"], { DATA_DIR: folder })).toEqual([
      3,
      "",
      `No server is running for ${folder}. Start one with sealwright serve, or select another server with --address or SEALWRIGHT_ADDR.`,
    ]);
    const [code, , err] = await sealwright(["list", "--address", "http://127.0.0.1:9"]);
    expect([code, err]).toEqual([
      3,
      "Cannot reach http://127.0.0.1:9: connection refused; start the server, or check the address.",
    ]);
    const site = createServer({}, () => undefined).listen(0);
    await once(site, "listening");
    const plain = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    expect((await sealwright(["list", "--address", plain]))[2]).toBe(
      `Cannot reach ${plain}: the connection was closed; use https:// if the server uses TLS.`,
    );
    site.close();
  });

  it("every command exits with 3 if no trusted server answers, and with 4 without a token", async () => {
    const [csr, file] = [join(folder, "csr.pem"), join(folder, "password")];
    writeFileSync(file, "no token");
    const calls = [
      ["init"],
      ["issue", "localhost", "--print"],
      ["sign", csr],
      ["revoke", join(tls, "cert.pem")],
      ["list"],
      ["get", "pki/config/urls"],
      ["post", "pki/config/urls"],
      ["patch", "pki/roles/none"],
      ["delete", "pki/roles/none"],
      ["login", "token", "--token-file", file],
      ["backup", "--token-file", file, "--backup-dir", join(folder, "none")],
    ];
    const ca = { SEALWRIGHT_CACERT: join(server.dataDir, "tls-root.pem") };
    for (const words of calls) {
      const codes = [
        await sealwright(words, { ...remote(), SEALWRIGHT_ADDR: "https://127.0.0.1:9" }),
        await sealwright(words, remote()),
        await sealwright(words, { ...remote(), ...ca }),
      ].map(([code]) => code);
      expect([words[0], ...codes]).toEqual([words[0], 3, 3, 4]);
    }
    expect((await sealwright(["trust", "install", "--dry-run"], remote()))[0]).toBe(3);
    expect((await sealwright(["list", "--none"]))[0]).toBe(2);
    expect((await sealwright(["inspect", "/nowhere"]))[0]).toBe(1);
  });

  it("token and CA variables of the API family are used only with the address variable of the family", async () => {
    const family = {
      VAULT_TOKEN: server.token,
      VAULT_CACERT: join(server.dataDir, "tls-root.pem"),
      DATA_DIR: folder,
    };
    const reached = await sealwright(["list", "roles"], { ...family, VAULT_ADDR: server.url });
    expect(reached).toEqual([0, "server", ""]);
    const own = { ...family, SEALWRIGHT_CACERT: family.VAULT_CACERT };
    expect((await sealwright(["list", "roles"], { ...own, SEALWRIGHT_ADDR: server.url }))[0]).toBe(
      4,
    );
  });

  it("login stores the token for one server, in a file that only its owner can read", async () => {
    await done("post", "sys/auth/userpass", "type=userpass");
    writeFileSync(join(folder, "password"), "correct horse battery\n");
    const password = `password=@${join(folder, "password")}`;
    await done("post", "auth/userpass/users/ann", password, "token_policies=readers");
    const where = { ...remote(), SEALWRIGHT_CACERT: join(server.dataDir, "tls-root.pem") };
    const words = ["login", "userpass", "--username", "ann", "--password-file"];
    const [code, out, err] = await sealwright([...words, join(folder, "password")], where);
    expect([code, err]).toEqual([0, ""]);
    const file = join(folder, ".config/sealwright/tokens.json");
    expect(out).toBe(
      `Logged in with the policies default, readers; the token expires in 768 hours.\nThe token is stored in ${file}.`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const self = await sealwright(["get", "auth/token/lookup-self"], where);
    expect(self[1]).toMatch(/^display_name +userpass-ann$/m);
    const other = { ...where, SEALWRIGHT_ADDR: server.url.replace("127.0.0.1", "localhost") };
    expect((await sealwright(["get", "auth/token/lookup-self"], other))[0]).toBe(4);

    const token = (JSON.parse(readFileSync(file, "utf8")) as Env)[server.url] ?? "";
    expect(await sealwright(["logout"], where)).toEqual([
      0,
      `Logged out of ${server.url}; the token is revoked.`,
      "",
    ]);
    expect(readFileSync(file, "utf8")).toBe("{}\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const revoked = { ...where, SEALWRIGHT_TOKEN: token };
    expect((await sealwright(["get", "auth/token/lookup-self"], revoked))[0]).toBe(4);
    expect((await sealwright(["logout", "--json"], where))[1]).toContain('"deleted": false');
  });

  it("get reports an empty response on standard error", async () => {
    await done("post", "sys/mounts/empty", "type=pki");
    expect(await sealwright(["get", "empty/ca/pem"])).toEqual([0, "", "The response is empty."]);
  });

  it("login rejects a wrong password, and logout reports a token that it could not revoke", async () => {
    writeFileSync(join(folder, "wrong"), "wrong");
    const words = ["login", "userpass", "--username", "ann", "--password-file"];
    expect((await sealwright([...words, join(folder, "wrong")]))[0]).toBe(4);
    expect(await sealwright([...words, join(folder, "wrong"), "--path", "none"])).toEqual([
      4,
      "",
      "The server rejected the login (forbidden): check that auth/none/ is a login method of type userpass, or select another path with --path.",
    ]);
    const token = ["login", "token", "--token-file", join(server.dataDir, "root-token")];
    expect((await sealwright([...token, "--print"]))[1]).toBe(server.token);
    const rule = 'policy=path "auth/token/lookup-self" { capabilities = ["read"] }';
    await done("post", "sys/policies/acl/self", rule);
    const limited = ["auth/token/create", "policies=self", "no_default_policy=true"];
    const bare = await json("post", ...limited);
    const { client_token = "" } = bare["auth"] as { readonly client_token?: string };
    writeFileSync(join(folder, "bare"), client_token);
    const where = { ...remote(), SEALWRIGHT_CACERT: join(server.dataDir, "tls-root.pem") };
    await sealwright(["login", "token", "--token-file", join(folder, "bare")], where);
    expect(await sealwright(["logout"], where)).toEqual([
      0,
      `Logged out of ${server.url}.`,
      `${server.url} did not revoke the token, which is still valid: permission denied.`,
    ]);
    expect((await sealwright(["login", "userpass"]))[2]).toBe(
      "This login method requires --username; see sealwright help login.",
    );
  });

  it("login supports AppRole", async () => {
    await done("post", "sys/auth/approle", "type=approle");
    await done("post", "auth/approle/role/ci", "token_policies=readers");
    const { data } = (await json("get", "auth/approle/role/ci/role-id")) as {
      readonly data?: { readonly role_id?: string };
    };
    const secret = await json("post", "auth/approle/role/ci/secret-id");
    const { secret_id = "" } = secret["data"] as { readonly secret_id?: string };
    writeFileSync(join(folder, "secret-id"), secret_id);
    const words = ["login", "approle", "--role-id", data?.role_id ?? "", "--print"];
    expect(await done(...words, "--secret-id-file", join(folder, "secret-id"))).toMatch(/^\S+$/);
  });

  it("login supports client certificates and JWTs", async () => {
    await done(
      "post",
      "pki/roles/client",
      "allow_any_name=true",
      "server_flag=false",
      "key_type=ec",
    );
    await done("issue", "ann", "--role", "client", "--out", join(folder, "ann"));
    await done("post", "sys/auth/cert", "type=cert");
    const root = `certificate=@${join(folder, "ann/root.pem")}`;
    await done("post", "auth/cert/certs/staff", root, "token_policies=readers");
    const where = { ...remote(), SEALWRIGHT_CACERT: join(server.dataDir, "tls-root.pem") };
    const pair = [
      "--cert",
      join(folder, "ann/fullchain.pem"),
      "--key",
      join(folder, "ann/privkey.pem"),
    ];
    const [code, token, err] = await sealwright(["login", "cert", ...pair, "--print"], where);
    expect([code, token, err]).toEqual([0, expect.stringMatching(/^\S+$/), ""]);

    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(join(folder, "jwt.pub"), publicKey.export({ type: "spki", format: "pem" }));
    await done("post", "sys/auth/jwt", "type=jwt");
    await done("post", "auth/jwt/config", `jwt_validation_pubkeys=@${join(folder, "jwt.pub")}`);
    const role = [
      "role_type=jwt",
      "user_claim=sub",
      "bound_audiences=ca",
      "token_policies=readers",
    ];
    await done("post", "auth/jwt/role/ci", ...role);
    const jwt = await new SignJWT({ sub: "build", aud: "ca" })
      .setProtectedHeader({ alg: "ES256" })
      .setExpirationTime("5m")
      .setIssuedAt()
      .sign(privateKey);
    writeFileSync(join(folder, "token.jwt"), jwt);
    const words = ["login", "jwt", "--role", "ci", "--jwt-file", join(folder, "token.jwt")];
    expect(await done(...words, "--print")).toMatch(/^\S+$/);
  });

  it("backup trusts the root of --ca", async () => {
    const words = ["backup", "--address", server.url, "--backup-dir", join(folder, "backups")];
    const token = ["--token-file", join(server.dataDir, "root-token"), "--mount", "pki"];
    const [code, , err] = await sealwright([...words, ...token]);
    expect([code, err]).toEqual([
      3,
      "Cannot back up the mount pki/: its certificate is signed by a CA that this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE); set --ca or SEALWRIGHT_CACERT to a file with the root.",
    ]);
    const ca = ["--ca", join(server.dataDir, "tls-root.pem")];
    expect(await done(...words, ...token, ...ca)).toMatch(/^Saved pki\/ to /);
    const [saved] = (await json(...words, ...token, ...ca)) as unknown as readonly Env[];
    expect(saved).toMatchObject({ mount: "pki", bytes: expect.any(Number) });
    const check = ["restore", "--file", saved?.["file"] ?? "", "--dry-run", "true"];
    expect(await json(...check)).toMatchObject({ valid: true, restored: false });
  });

  it("trust install and trust remove change the browsers' stores, and --dry-run does not", async () => {
    const database = join(folder, ".pki/nssdb");
    const nss = (...words: readonly string[]) =>
      spawnSync("certutil", [...words, "-d", `sql:${database}`], { encoding: "utf8" });
    if (nss("-L").error) return;
    mkdirSync(database, { recursive: true });
    nss("-N", "--empty-password");
    const dry = await done("trust", "install", "--dry-run");
    expect(dry).toContain("operating system:");
    expect(nss("-L").stdout).not.toContain("sealwright-");
    expect(await done("trust", "install", "--store", "browsers")).toContain("  done: certutil -A");
    expect(nss("-L").stdout).toMatch(/^sealwright-[0-9a-f]{8} +C,,/m);
    // removing twice succeeds
    for (const _ of "ab") await done("trust", "remove", "--store", "browsers");
    expect(nss("-L").stdout).not.toContain("sealwright-");
  });

  it("trust --dry-run prints commands with the same effect as the run", async () => {
    const states: unknown[] = [];
    for (const isDry of [false, true]) {
      const home = join(folder, `trusting-${isDry}`);
      const database = join(home, ".pki/nssdb");
      mkdirSync(database, { recursive: true });
      const nss = (word: string) =>
        spawnSync("certutil", [word, "-d", `sql:${database}`, "--empty-password"]);
      if (nss("-N").error) return;
      const state: unknown[] = [];
      for (const action of ["install", "remove"]) {
        const words = ["trust", action, "--store", "browsers", ...(isDry ? ["--dry-run"] : [])];
        const [code, out] = await sealwright(words, { HOME: home });
        expect(code).toBe(0);
        if (isDry) {
          const script = out
            .split("\n\n")
            .slice(1)
            .join("\n")
            .replace(/^\S.*:$/gm, "");
          execFileSync("sh", ["-euc", script]);
        }
        const files = readdirSync(join(home, ".config/sealwright"));
        const file = readFileSync(join(home, ".config/sealwright", files[0] ?? ""), "utf8");
        state.push(files, file, nss("-L").stdout.toString());
      }
      states.push(state);
    }
    expect(states[0]).toContainEqual(expect.stringMatching(/^sealwright-[0-9a-f]{8} +C,,/m));
    expect(states[1]).toEqual(states[0]);
    const steps = (await json("trust", "install", "--store", "browsers", "--dry-run"))["stores"];
    expect(steps).toMatchObject([{ store: "file", steps: [{ state: "planned" }] }, {}]);
  });

  it("after trust install, a browser trusts the console and a server that uses the files of issue", async () => {
    const home = join(folder, "home");
    const database = join(home, ".pki/nssdb");
    mkdirSync(database, { recursive: true });
    if (spawnSync("certutil", ["-N", "--empty-password", "-d", `sql:${database}`]).error) return;
    await done("issue", "localhost", "--out", join(folder, "site"));
    const [key, cert] = ["privkey.pem", "fullchain.pem"].map((name) =>
      read(name, join(folder, "site")),
    );
    const site = createServer({ key, cert }, (_, response) => response.end("trusted")).listen(0);
    await once(site, "listening");
    const url = `https://localhost:${(site.address() as AddressInfo).port}/`;
    const visit = async (): Promise<readonly (number | undefined)[]> => {
      const options = await chromiumLaunch();
      const browser = await chromium.launch({ ...options, env: { ...process.env, HOME: home } });
      const page = await browser.newPage();
      const status = (at: string) =>
        page.goto(at).then(
          (response) => response?.status(),
          () => undefined,
        );
      const seen = [await status(url), await status(`${server.url}/v1/sys/health`)];
      await browser.close();
      return seen;
    };
    expect(await visit()).toEqual([undefined, undefined]);
    const install = await sealwright(["trust", "install", "--store", "browsers"], { HOME: home });
    expect(install[0]).toBe(0);
    expect(await visit()).toEqual([200, 200]);
    const root = ["--cacert", join(folder, "site/root.pem")];
    // a child process, because this process is the server
    const fetched = spawn("curl", ["-fsS", ...root, url], { stdio: ["ignore", "pipe", "inherit"] });
    expect(await text(fetched.stdout)).toBe("trusted");
    site.close();
  });

  it("trust fetches the root from an untrusted server if --fingerprint matches", async () => {
    const { fingerprint256 } = new X509Certificate(read("tls-root.pem", server.dataDir));
    const from = (fingerprint: string) =>
      sealwright(["trust", "install", "--dry-run", "--fingerprint", fingerprint], remote());
    expect((await from(fingerprint256))[0]).toBe(0);
    expect((await from(fingerprint256.replaceAll(":", "").toLowerCase()))[0]).toBe(0);
    expect(await from(fingerprint256.replace(/^../, "00"))).toEqual([
      1,
      "",
      `The root from the mount pki/ has a different fingerprint: ${fingerprint256}. Nothing was changed. Select another mount with --mount; the root of a server with TLS=own is in sealwright-tls.`,
    ]);
    const plain = { SEALWRIGHT_ADDR: "http://127.0.0.1:9", DATA_DIR: folder };
    expect(await sealwright(["trust", "install", "--dry-run"], plain)).toEqual([
      1,
      "",
      "Without TLS, others could replace the root in transit from http://127.0.0.1:9; set --fingerprint, or use https.",
    ]);
  });
});
