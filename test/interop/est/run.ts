import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { authority, clockAt, type Authority } from "../../support/authority.ts";
import { startServer } from "../../support/server.ts";
import { isInstalled, run } from "../acme/command.ts";
import { attempt, surroundings } from "../platform/client.ts";
import { enrolBouncyCastle, installBouncyCastle } from "./bouncy-castle.ts";
import { serveTls, wrapTls, type TlsServer } from "./serve.ts";

// Lets estclient and Bouncy Castle's client work with `npm start` behind TLS, and enrol again with
// an authority in a Node server, which is told of client certificates.

const version = "v1.0.6";
const directory = mkdtempSync(join(tmpdir(), "est-"));
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const password = "correct horse battery";

type Call = (path: string, body?: object) => Promise<Readonly<Record<string, unknown>>>;
/** A mount that devices may enrol at, as docs/est.md has it, with their certificates beside. */
async function prepare(call: Call): Promise<void> {
  const root = await call("pki/root/generate/internal", {
    common_name: "EST Root",
    key_type: "ec",
    ttl: "87600h",
  });
  await call("pki/roles/device", {
    allowed_domains: "devices.example",
    allow_subdomains: true,
    key_type: "ec",
    ttl: "720h",
  });
  await call("sys/policies/acl/device", {
    policy: 'path "pki/roles/device/est/*" { capabilities = ["create", "update"] }',
  });
  const batch = { config: { token_type: "batch" } };
  await call("sys/auth/devices", { type: "userpass", ...batch });
  await call("sys/auth/certificates", { type: "cert", ...batch });
  await call("auth/devices/users/d1", { password, token_policies: "device" });
  const certificate = root["certificate"];
  await call("auth/certificates/certs/device", { certificate, token_policies: "device" });
  const accessorOf = async (method: string) => (await call(`sys/auth/${method}`))["accessor"];
  const [userpass, cert] = [await accessorOf("devices"), await accessorOf("certificates")];
  await call("sys/mounts/pki/tune", { delegated_auth_accessors: [userpass, cert] });
  await call("pki/config/est", {
    enabled: true,
    default_mount: true,
    default_path_policy: "role:device",
    label_to_path_policy: { lab: "role:device" },
    csr_attributes: ["1.2.840.10045.2.1=1.3.132.0.34"],
    authenticators: {
      userpass: { accessor: userpass },
      cert: { accessor: cert, cert_role: "device" },
    },
  });
}
const dataOf = (json: unknown): Readonly<Record<string, unknown>> =>
  // replies of these calls have this member, or nothing
  (json as { data?: Readonly<Record<string, unknown>> | null } | undefined)?.data ?? {};
const overHttp =
  (url: string, token: string): Call =>
  async (path, body) => {
    const answer = await fetch(`${url}/v1/${path}`, {
      headers: { "x-service-token": token },
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return dataOf(text === "" ? undefined : JSON.parse(text));
  };
const within =
  (a: Authority): Call =>
  async (path, body) => {
    const answer = await a.call(body ? "POST" : "GET", path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.data;
  };

const est = (...args: readonly string[]): Promise<string> =>
  run(join(directory, "estclient"), args, { cwd: directory });
/** Enrols at a server, by each client that is here; `again`: with the certificate of that. */
async function enrol(server: TlsServer, label: string, again: boolean): Promise<void> {
  const { host, ca } = server;
  try {
    if (missing.estclient === undefined) await enrolEstclient(server, label, again);
    if (missing.bouncyCastle === undefined)
      print(await enrolBouncyCastle(javaDirectory, { host, ca, label, again }, password));
  } finally {
    server.close();
  }
}
async function enrolEstclient(server: TlsServer, label: string, again: boolean): Promise<void> {
  writeFileSync(join(directory, "server.pem"), server.ca);
  const at = [
    "-server",
    server.host,
    "-explicit",
    "server.pem",
    ...(label === "" ? [] : ["-aps", label]),
  ];
  await est("cacerts", ...at, "-out", "cacerts.pem");
  print(`csrattrs: ${(await est("csrattrs", ...at)).trim()}`);
  const key = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
  await run("openssl", [...key, "-out", "key.pem"], { cwd: directory });
  const name = ["-cn", "d1.devices.example", "-dnsnames", "d1.devices.example"];
  await est("csr", "-key", "key.pem", ...name, "-out", "csr.pem");
  const user = ["-user", "d1", "-pass", password];
  await est("enroll", ...at, ...user, "-csr", "csr.pem", "-out", "cert.pem");
  const verify = async (file: string) =>
    print(
      (await run("openssl", ["verify", "-CAfile", "cacerts.pem", file], { cwd: directory })).trim(),
    );
  await verify("cert.pem");
  if (!again) return;
  const own = ["-certs", "cert.pem", "-key", "key.pem", "-csr", "csr.pem"];
  await est("reenroll", ...at, ...own, "-out", "again.pem");
  await verify("again.pem");
}

/** Builds estclient; returns why it cannot. */
async function installEstclient(): Promise<string | undefined> {
  if (!isInstalled("go")) return "Go is not installed";
  // its list of versions is not at every proxy, so that `go install` may not find it
  writeFileSync(
    join(directory, "go.mod"),
    `module estclient\n\ngo 1.25.0\n\nrequire github.com/globalsign/est ${version}\n`,
  );
  return attempt(
    run("go", ["build", "-mod=mod", "-o", "estclient", "github.com/globalsign/est/cmd/estclient"], {
      cwd: directory,
      env: { ...surroundings, GOTOOLCHAIN: "local" },
      within: 300,
    }),
  );
}

const javaDirectory = join(directory, "java");
const missing = {
  estclient: await installEstclient(),
  bouncyCastle: await installBouncyCastle(javaDirectory),
};
for (const [client, why] of Object.entries(missing))
  if (why !== undefined) print(`SKIPPED: ${client}: ${why}`);
print("npm start behind TLS:");
const started = await startServer();
try {
  await prepare(overHttp(started.url, started.token));
  const port = Number(new URL(started.url).port);
  for (const label of ["", "lab"]) await enrol(await wrapTls(port), label, false);
} finally {
  await started.stop();
}
print("A Node server, again by the certificate too:");
const a = authority({ clock: clockAt(Date.now()) });
await prepare(within(a));
const served = serveTls((request, tlsChain) => a.ca.fetch(request, { peer: { tlsChain } }));
await enrol(await served, "lab", true);
print("done");
process.exit(0);
