import { canonicalAddress } from "../../src/net/ranges.ts";
import { chainOf } from "../../src/node/certificate-chain.ts";
import { RefusedError, type Ca } from "../../src/index.ts";
import type { TlsRole } from "../settings/tls-settings.ts";
import type { IssuedTls } from "../data/own-tls.ts";

/** A request for a certificate for the server itself. */
export interface TlsRequest extends TlsRole {
  readonly names: readonly string[];
  /** Names in the certificate to be replaced, if any. */
  readonly previousNames: readonly string[];
}

/** Issues a certificate for the server itself with one of the server's roles. */
export async function issueTls(ca: Ca, request: TlsRequest): Promise<IssuedTls> {
  const { mount, role, creates, names } = request;
  if (creates) await createMissing(ca, request);
  const { dns, ip } = splitNames(names);
  const [common_name = ""] = [...dns, ...ip];
  const issued = await ca.mount(mount).issue({
    role,
    common_name,
    alt_names: dns.filter((name) => name !== common_name).join(","),
    ip_sans: ip.filter((name) => name !== common_name),
    private_key_format: "pkcs8",
  });
  const { certificate, intermediates, root = intermediates.at(-1) } = chainOf(issued);
  return {
    key: `${issued.private_key.trim()}\n`,
    cert: [certificate, ...intermediates].join(""),
    root: root ?? "",
  };
}

const splitNames = (names: readonly string[]) => ({
  dns: names.filter((name) => canonicalAddress(name) === undefined),
  ip: names.filter((name) => canonicalAddress(name) !== undefined),
});

const [tenYears, thirtyDays] = ["87600h", "720h"];

/** Creates the mount, the root and the role if they are missing. */
async function createMissing(ca: Ca, request: TlsRequest): Promise<void> {
  const { mount } = request;
  const { dns, ip } = splitNames(request.names);
  const [name = mount] = [...dns, ...ip];
  if (await isMissing(ca.sys.readMount({ path: mount }))) await createMount(ca, mount);
  await ca.ensure({
    path: mount,
    root: {
      // a common name must have at most 64 characters
      common_name: name.length > 40 ? "Sealwright Root" : `Sealwright Root of ${name}`,
      ttl: tenYears,
    },
  });
  await createRole(ca, request);
}

async function createMount(ca: Ca, path: string): Promise<void> {
  try {
    await ca.sys.createMount({
      path,
      type: "pki",
      description: "Certificate of this server",
      config: { max_lease_ttl: tenYears },
    });
  } catch (error) {
    // another server that uses the same database may have created the mount in the meantime
    if (await isMissing(ca.sys.readMount({ path }))) throw error;
  }
}

async function createRole(ca: Ca, { mount, role, names, previousNames }: TlsRequest) {
  const pki = ca.mount(mount);
  const { dns, ip } = splitNames(names);
  const allowed = {
    allowed_domains: dns,
    allow_ip_sans: ip.length > 0,
    allowed_ip_sans_cidr: ip.map((one) => `${one}/${one.includes(":") ? 128 : 32}`),
  };
  const current = await unlessMissing(pki.readRole({ name: role }));
  if (!current)
    await pki.writeRole({
      name: role,
      ...allowed,
      allow_bare_domains: true,
      allow_localhost: false,
      client_flag: false,
      key_type: "ec",
      ttl: thirtyDays,
      max_ttl: thirtyDays,
    });
  // leave the names of a role alone if an operator has changed them
  else if (areSame(current.allowed_domains, splitNames(previousNames).dns))
    if (!areSame(previousNames, names)) await pki.patchRole({ name: role, ...allowed });
}

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.toSorted().join() === others.toSorted().join();

/** Returns the result of a read, or undefined if the object does not exist. */
async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (error.status === 404 || error.code === "no_mount") return undefined;
    throw error;
  }
}
const isMissing = async (read: Promise<unknown>): Promise<boolean> =>
  (await unlessMissing(read)) === undefined;
