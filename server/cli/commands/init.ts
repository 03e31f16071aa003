import { isIP } from "node:net";
import { encodePath } from "../api-path.ts";
import { certificatesIn, isSelfSigned } from "../certificate-chain.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag, mountFlag, type Connection } from "../connection.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { LaunchError } from "../launch-error.ts";
import { printJson } from "../output.ts";
import { RefusedError, type PkiClient } from "../../../src/client/index.ts";

/** Lifetimes of the root and the mount, of the intermediate, and of certificates. */
const [tenYears, fiveYears, thirtyDays, ninetyDays] = ["87600h", "43800h", "720h", "2160h"];
/** The mount that the server creates for its own certificate with `TLS=own`. */
const serverMount = "sealwright-tls";
const [rootName, intermediateName] = ["root", "intermediate"];

/** Sets up an authority. */
export const init: Command = {
  name: "init",
  summary: "create a root, an intermediate and a role",
  flags: [
    ...connectionFlags,
    mountFlag,
    { flag: "--name", meaning: "name of the authority in its certificates", default: "Sealwright" },
    {
      flag: "--domain",
      meaning: "comma-separated domains and addresses that the role allows",
      default: "localhost,127.0.0.1,::1",
    },
    { flag: "--role", meaning: "name of the role", default: "server" },
    {
      flag: "--root-mount",
      meaning: "mount whose issuer signs the intermediate",
      default: `${serverMount}, if the server has its own certificate from there (TLS=own); else the mount itself, with a new root`,
    },
    jsonFlag,
  ],
  about: [
    "Creates what a running server needs to issue certificates for TLS servers:",
    "a root for ten years, an intermediate for five years that issues, and a role.",
    "What exists stays as it is, so that an interrupted init can be repeated.",
  ],
  examples: [
    "sealwright init",
    "sealwright init --mount corp --name 'Example Corp' --domain corp.example",
  ],
  async run({ flags }, context) {
    const plan: Plan = {
      mount: encodePath(flags.get("--mount") ?? "pki"),
      name: flags.get("--name") || "Sealwright",
      role: flags.get("--role") ?? "server",
      domains: (flags.get("--domain") ?? "localhost,127.0.0.1,::1")
        .split(",")
        .map((one) => one.trim()),
      rootMount: flags.get("--root-mount"),
    };
    const connection = await connect(flags, context);
    const done = await setUp(connection, plan);
    const pki = connection.mount(plan.mount);
    const { ca_chain } = await pki.readIssuer({ issuer_ref: intermediateName });
    const root = certificatesIn(ca_chain.join("\n")).find(isSelfSigned) ?? "";
    const fingerprint = fingerprintOf(root);
    if (flags.has("--json")) printJson({ ...plan, created: done, root, fingerprint });
    else printNextSteps(plan, done, fingerprint);
    return 0;
  },
};

interface Plan {
  readonly mount: string;
  readonly name: string;
  readonly role: string;
  readonly domains: readonly string[];
  readonly rootMount: string | undefined;
}

/** Creates what is missing. Returns what was created. */
async function setUp(connection: Connection, plan: Plan): Promise<readonly string[]> {
  const done: string[] = [];
  const { mount, role } = plan;
  if (!(await unlessMissing(connection.sys.readMount({ path: mount })))) {
    const config = { max_lease_ttl: tenYears };
    await connection.sys.createMount({ path: mount, type: "pki", config });
    done.push(`mount ${mount}/`);
  }
  const pki = connection.mount(mount);
  if (!(await unlessMissing(pki.readIssuer({ issuer_ref: intermediateName })))) {
    await checkIssuers(pki, mount);
    done.push(...(await createIssuers(connection, plan)));
  }
  if (!(await unlessMissing(pki.readRole({ name: role })))) {
    await writeRole(pki, plan);
    done.push(`role ${role}`);
  }
  return done;
}

/** Throws {@link LaunchError} if a mount has issuers of somebody else. */
async function checkIssuers(pki: PkiClient, mount: string): Promise<void> {
  const { key_info = {} } = (await unlessMissing(pki.listIssuers())) ?? {};
  if (Object.values(key_info).some(({ issuer_name }) => issuer_name !== rootName))
    throw new LaunchError(
      `The mount ${mount}/ already has an issuer; choose an unused one with --mount.`,
    );
}

async function createIssuers(connection: Connection, plan: Plan): Promise<readonly string[]> {
  const { mount, name } = plan;
  const pki = connection.mount(mount);
  const from = await findRoot(connection, plan);
  const done: string[] = [];
  const root = connection.mount(from ?? mount);
  const ref = { issuer_ref: from === undefined ? rootName : "default" };
  if (from === undefined && !(await unlessMissing(pki.readIssuer(ref)))) {
    const names = { common_name: `${name} Root CA`, issuer_name: rootName };
    await pki.generateRoot({ ...names, key_type: "ec", ttl: tenYears });
    done.push(`root ${name} Root CA`);
  }
  const common_name = `${name} Intermediate CA`;
  const { csr } = await pki.generateIntermediate({ common_name, key_type: "ec" });
  const limits = { max_path_length: 0, ttl: fiveYears };
  const signed = await root.signIntermediate({ ...ref, csr, common_name, ...limits });
  const chain = [signed.certificate, ...(signed.ca_chain ?? [signed.issuing_ca])].join("\n");
  const { mapping } = await pki.setSigned({ certificate: chain });
  const [issuer_ref = ""] =
    Object.entries(mapping).find(([id, key]) => key !== "" && id !== "") ?? [];
  await pki.patchIssuer({ issuer_ref, issuer_name: intermediateName });
  await pki.writeIssuersConfig({ default: issuer_ref });
  done.push(`intermediate ${common_name}${from === undefined ? "" : `, signed by ${from}/`}`);
  return done;
}

/** Returns the mount of an existing root that signs; undefined for a new root. */
async function findRoot(connection: Connection, plan: Plan): Promise<string | undefined> {
  if (plan.rootMount !== undefined) {
    const path = encodePath(plan.rootMount);
    return path === plan.mount ? undefined : path;
  }
  if (await unlessMissing(connection.mount(plan.mount).readIssuer({ issuer_ref: rootName })))
    return undefined;
  const own = await unlessMissing(
    connection.mount(serverMount).readIssuer({ issuer_ref: "default" }),
  );
  return own && plan.mount !== serverMount ? serverMount : undefined;
}

async function writeRole(pki: PkiClient, { role, domains }: Plan): Promise<void> {
  const addresses = domains.filter((one) => isIP(one.replace(/\/\d+$/, "")) !== 0);
  await pki.writeRole({
    name: role,
    allowed_domains: domains.filter((one) => !addresses.includes(one)),
    allow_bare_domains: true,
    allow_subdomains: true,
    allow_localhost: domains.includes("localhost"),
    allow_ip_sans: addresses.length > 0,
    allowed_ip_sans_cidr: addresses.map((one) =>
      one.includes("/") ? one : `${one}/${isIP(one) === 6 ? 128 : 32}`,
    ),
    client_flag: false,
    key_type: "ec",
    ttl: thirtyDays,
    max_ttl: ninetyDays,
  });
}

const missing: ReadonlySet<string> = new Set([
  "no_mount",
  "no_route",
  "not_found",
  "unknown_issuer",
  "unknown_role",
]);

/** Returns what a read resolves with; undefined if it finds nothing. */
async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    const isMissing = error instanceof RefusedError && missing.has(error.code);
    if (isMissing) return undefined;
    throw error;
  }
}

function printNextSteps(plan: Plan, done: readonly string[], fingerprint: string): void {
  const { mount, role, domains } = plan;
  const at = mount === "pki" ? "" : ` --mount ${mount}`;
  const by = role === "server" ? "" : ` --role ${role}`;
  const [name = "localhost"] = domains;
  console.log(
    [
      ...(done.length === 0 ? [`The mount ${mount}/ is set up already.`] : []),
      ...done.map((one) => `Created: ${one}`),
      "",
      `SHA-256 fingerprint of the root: ${fingerprint}`,
      "",
      "Next:",
      `  sealwright trust install${at}`,
      "      makes this machine and its browsers trust the root",
      `  sealwright issue ${name}${at}${by} --out tls`,
      "      writes tls/fullchain.pem and tls/privkey.pem for your server",
      "  sealwright renew tls --daemon --exec 'nginx -s reload'",
      "      keeps them valid",
    ].join("\n"),
  );
}
