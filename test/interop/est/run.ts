import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type RunningServer } from "../../support/server.ts";
import { isInstalled, run } from "../acme/command.ts";
import { attempt, surroundings } from "../platform/client.ts";
import { enrolBouncyCastle, installBouncyCastle } from "./bouncy-castle.ts";
import { password, prepareEst, type Call } from "./prepare.ts";

// Enrols with estclient and Bouncy Castle's client at `npm start`, and re-enrols with the
// certificates.

const version = "v1.0.6";
const directory = mkdtempSync(join(tmpdir(), "est-"));
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const overHttp =
  ({ url, token }: RunningServer, ca: string): Call =>
  async (path, body) => {
    const sent = body ? ["-d", JSON.stringify(body)] : [];
    const trusted = ["-sSf", "--cacert", ca, "-H", `X-Service-Token: ${token}`];
    const text = await run("curl", [...trusted, ...sent, `${url}/v1/${path}`]);
    return text === "" ? undefined : JSON.parse(text);
  };

const est = (...args: readonly string[]): Promise<string> =>
  run(join(directory, "estclient"), args, { cwd: directory });
/** The host of a server, and the root of its certificate in PEM. */
interface Enrolling {
  readonly host: string;
  readonly ca: string;
}
/** Enrols at a server and re-enrols with the certificate, with each installed client. */
async function enrol(server: Enrolling, label: string): Promise<void> {
  if (missing.estclient === undefined) await enrolEstclient(server, label);
  if (missing.bouncyCastle === undefined)
    print(await enrolBouncyCastle(javaDirectory, { ...server, label, again: true }, password));
}
async function enrolEstclient(server: Enrolling, label: string): Promise<void> {
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
  const own = ["-certs", "cert.pem", "-key", "key.pem", "-csr", "csr.pem"];
  await est("reenroll", ...at, ...own, "-out", "again.pem");
  await verify("again.pem");
}

/** Builds estclient; returns the reason if that fails. */
async function installEstclient(): Promise<string | undefined> {
  if (!isInstalled("go")) return "Go is not installed";
  // not every proxy has its list of versions, so `go install` may not find it
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
print("npm start with its own certificate, which requests those of clients:");
const started = await startServer({ env: { TLS: "own", CLIENT_CERTIFICATES: "optional" } });
try {
  const ca = join(started.dataDir, "tls-root.pem");
  await prepareEst(overHttp(started, ca));
  const server = { host: new URL(started.url).host, ca: readFileSync(ca, "utf8") };
  for (const label of ["", "lab"]) await enrol(server, label);
} finally {
  await started.stop();
}
print("done");
process.exit(0);
