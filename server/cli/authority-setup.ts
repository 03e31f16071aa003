import { X509Certificate } from "node:crypto";
import { ensureAuthority, type EnsureOptions } from "../../src/client/ensure.ts";
import { SealwrightError, type PkiClient, type ReadIssuerReply } from "../../src/client/index.ts";
import { encodePath } from "./api-path.ts";
import { setAddresses } from "./certificate-addresses.ts";
import { certificatesIn, isSelfSigned } from "../../src/node/certificate-chain.ts";
import type { Connection } from "./connection.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { quoteWord } from "../settings/shell.ts";
import {
  domainsLackingIn,
  fieldsToAllow,
  findWrongName,
  roleFor,
  type StoredRules,
} from "./role-domains.ts";

/** The mount that the server creates for its own certificate with `TLS=own`. */
export const serverMount = "sealwright-tls";
/**
 * Lifetimes of the root and intermediate certificates. The root's lifetime is also the mount's
 * maximum TTL.
 */
const [tenYears, fiveYears] = ["87600h", "43800h"];
const [rootName, intermediateName] = ["root", "intermediate"];

/** The authority that {@link setUpAuthority} completes. */
export interface AuthorityPlan {
  readonly mount: string;
  /**
   * Name in the CA certificates. If undefined, an existing issuer may have any name, and a new
   * issuer gets the default name.
   */
  readonly name: string | undefined;
  readonly role: string;
  /**
   * Domains and addresses that the role must allow. If undefined, an existing role may allow any,
   * and a new role allows the defaults.
   */
  readonly domains: readonly string[] | undefined;
  readonly rootMount: string | undefined;
  /** The user's command prefix, such as `npx sealwright`. */
  readonly program: string;
}

/** The authority of a mount, and what was created. */
export interface Authority {
  /** Descriptions of the created objects, such as `role server`. */
  readonly created: readonly string[];
  /** Common name of an existing issuer that is used instead of a new one. */
  readonly adopted?: string;
  /** Root certificate (PEM); undefined if the issuer's chain does not contain it. */
  readonly root: string | undefined;
  /** Sentences that state what new certificates lack, with the commands that fix that. */
  readonly warnings: readonly string[];
}

/** The default name and domains of a new authority. */
export const planDefaults = { name: "Sealwright", domains: ["localhost", "127.0.0.1", "::1"] };

/**
 * Creates the missing parts of an authority: the mount, the issuers and the role. An existing
 * issuer with a key is used unchanged. Throws {@link LaunchError}, before anything is created, if
 * the name or a domain of the plan would have no effect.
 */
export async function setUpAuthority(
  connection: Connection,
  plan: AuthorityPlan,
): Promise<Authority> {
  const { mount, role } = plan;
  const pki = connection.mount(mount);
  const hasMount = (await unlessMissing(connection.sys.readMount({ path: mount }))) !== undefined;
  const issuer = hasMount ? await findSigner(pki) : undefined;
  const storedRole = hasMount ? await unlessMissing(pki.readRole({ name: role })) : undefined;
  if (issuer) checkName(issuer, plan);
  if (storedRole?.enforce_hostnames !== false) checkHosts(plan);
  if (storedRole) checkDomains(storedRole, plan);
  const created: string[] = [];
  if (!hasMount) {
    const config = { max_lease_ttl: tenYears };
    await connection.sys.createMount({ path: mount, type: "pki", config });
    created.push(`mount ${mount}/`);
  }
  // set the URLs before the first issuer is created, because its certificate contains them too
  const { base, warning } = await setAddresses(pki, mount, !issuer, plan.program);
  if (base !== undefined) created.push(`CRL and OCSP URLs under ${base}`);
  const issuers = await completeIssuers(connection, plan, issuer);
  created.push(...issuers.created);
  if (!storedRole) {
    await pki.writeRole(roleFor(role, plan.domains ?? planDefaults.domains));
    created.push(`role ${role}`);
  }
  const { ca_chain } = await pki.readIssuer({ issuer_ref: "default" });
  const root = certificatesIn(ca_chain.join("\n")).find(isSelfSigned);
  return { ...issuers, created, root, warnings: warning === undefined ? [] : [warning] };
}

type Issuers = Pick<Authority, "created" | "adopted">;

/** Creates the issuers that are missing, for example after an interrupted attempt. */
async function completeIssuers(
  connection: Connection,
  plan: AuthorityPlan,
  issuer: ReadIssuerReply | undefined,
): Promise<Issuers> {
  const pki = connection.mount(plan.mount);
  const name = plan.name ?? planDefaults.name;
  const isOwnRoot = issuer?.issuer_name === rootName && commonNameOf(issuer) === rootNameOf(name);
  if (issuer && !isOwnRoot) return adopt(pki, issuer, name);
  const from = issuer ? undefined : await findRootMount(connection, plan);
  if (from !== undefined) return createBelow(connection, { ...plan, name }, from);
  const { created } = await ensureAuthority(pki, optionsOf(name));
  return {
    created: [
      ...(created.root ? [`root ${rootNameOf(name)}`] : []),
      ...(created.intermediate ? [`intermediate ${intermediateNameOf(name)}`] : []),
    ],
  };
}

const rootNameOf = (name: string): string => `${name} Root CA`;
const intermediateNameOf = (name: string): string => `${name} Intermediate CA`;
const optionsOf = (name: string): EnsureOptions => ({
  root: { common_name: rootNameOf(name), issuer_name: rootName, ttl: tenYears },
  intermediate: {
    common_name: intermediateNameOf(name),
    issuer_name: intermediateName,
    max_path_length: 0,
    ttl: fiveYears,
  },
});

/**
 * Makes an issuer the default, and names it if it is an intermediate that an interrupted attempt
 * left unnamed.
 */
async function adopt(pki: PkiClient, issuer: ReadIssuerReply, name: string): Promise<Issuers> {
  const { issuer_id, issuer_name } = issuer;
  const standard = await unlessMissing(pki.readIssuer({ issuer_ref: "default" }));
  if (standard?.issuer_id !== issuer_id) await pki.writeIssuersConfig({ default: issuer_id });
  const isInterrupted = issuer_name === "" && commonNameOf(issuer) === intermediateNameOf(name);
  if (isInterrupted)
    await pki.patchIssuer({ issuer_ref: issuer_id, issuer_name: intermediateName });
  const isAdopted = issuer_name !== intermediateName && !isInterrupted;
  return { created: [], ...(isAdopted ? { adopted: commonNameOf(issuer) } : {}) };
}

/** Creates an intermediate that the default issuer of the mount `from` signs. */
async function createBelow(
  connection: Connection,
  { mount, name }: { readonly mount: string; readonly name: string },
  from: string,
): Promise<Issuers> {
  const pki = connection.mount(mount);
  const common_name = intermediateNameOf(name);
  const { csr } = await pki.generateIntermediate({ common_name, key_type: "ec" });
  const limits = { max_path_length: 0, ttl: fiveYears };
  const request = { issuer_ref: "default", csr, common_name, ...limits };
  const signed = await connection.mount(from).signIntermediate(request);
  const chain = [signed.certificate, ...(signed.ca_chain ?? [signed.issuing_ca])].join("\n");
  const { mapping } = await pki.setSigned({ certificate: chain });
  const [issuer_ref = ""] = Object.entries(mapping).find(([, key]) => key !== "") ?? [];
  // set the name last: if the attempt is interrupted earlier, `adopt` sets the name on the next
  // attempt
  await pki.writeIssuersConfig({ default: issuer_ref });
  await pki.patchIssuer({ issuer_ref, issuer_name: intermediateName });
  return { created: [`intermediate ${common_name}, signed by ${from}/`] };
}

/**
 * Returns the default issuer if it has a key, or else the first issuer with a key. Returns
 * undefined if no issuer can sign.
 */
async function findSigner(pki: PkiClient): Promise<ReadIssuerReply | undefined> {
  const standard = await unlessMissing(pki.readIssuer({ issuer_ref: "default" }));
  if (standard && standard.key_id !== "") return standard;
  const { key_info = {} } = (await unlessMissing(pki.listIssuers())) ?? {};
  const [id] = Object.entries(key_info).find(([, { key_id }]) => key_id !== "") ?? [];
  return id === undefined ? undefined : pki.readIssuer({ issuer_ref: id });
}

/**
 * Returns the mount whose existing root is to sign the intermediate. Returns undefined if a new
 * root is to be created in the mount of the plan.
 */
async function findRootMount(
  connection: Connection,
  { mount, rootMount }: AuthorityPlan,
): Promise<string | undefined> {
  if (rootMount !== undefined) {
    const path = encodePath(rootMount);
    return path === mount ? undefined : path;
  }
  const own = connection.mount(serverMount).readIssuer({ issuer_ref: "default" });
  return (await unlessMissing(own)) && serverMount;
}

const commonNameOf = ({ certificate }: ReadIssuerReply): string => {
  const { subject } = new X509Certificate(certificate);
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll("\n", ", ");
};

function checkName(issuer: ReadIssuerReply, { mount, name }: AuthorityPlan): void {
  const subject = commonNameOf(issuer);
  if (name === undefined || [rootNameOf(name), intermediateNameOf(name)].includes(subject)) return;
  throw new LaunchError(
    `--name has no effect: the mount ${mount}/ has the issuer ${JSON.stringify(subject)}. Leave it out, or choose an unused mount with --mount.`,
  );
}

function checkHosts({ domains = [] }: AuthorityPlan): void {
  const wrong = findWrongName(domains);
  if (wrong === undefined) return;
  throw new LaunchError(
    `--domain: ${JSON.stringify(wrong)} is not a host name, so the role would allow no certificate for it. Host names are labels of letters, digits and inner hyphens, separated by dots.`,
  );
}

function checkDomains(stored: StoredRules, { mount, role, domains, program }: AuthorityPlan): void {
  const lacking = domainsLackingIn(stored, domains ?? []);
  if (lacking.length === 0) return;
  const fields = Object.entries(fieldsToAllow(stored, lacking)).map(([name, value]) =>
    quoteWord(`${name}=${String(value)}`),
  );
  const command = [program, "patch", quoteWord(`${mount}/roles/${role}`), ...fields].join(" ");
  throw new LaunchError(
    `--domain has no effect: the role ${role} of ${mount}/ exists and does not allow ${lacking.join(", ")}. To allow them, run ${command}; or choose another role with --role, or another mount with --mount.`,
  );
}

const missing: ReadonlySet<string> = new Set([
  "no_mount",
  "no_route",
  "not_found",
  "unknown_issuer",
  "unknown_role",
]);

/** Returns the result of a read, or undefined if nothing exists at its path. */
async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    const isMissing = error instanceof SealwrightError && missing.has(error.code);
    if (isMissing) return undefined;
    throw error;
  }
}
