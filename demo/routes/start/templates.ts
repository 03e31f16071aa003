import { ApiError } from "../../api/transport.ts";
import { fillable, fillAddresses, urlKinds, urls } from "../../api/certificate-urls.ts";
import { makeIntermediate, makeRoot, type CreatedCa } from "../../api/new-issuer.ts";
import { issuerApiNames, defaultIssuer, setDefaultIssuer } from "../../api/issuers.ts";
import * as roleCalls from "../../api/roles.ts";
import { announceChange } from "../../lib/changes.ts";

const lifetime = { root: "87600h", issuing: "43800h" };
const elliptic = { key_type: "ec", key_bits: 256 } as const;

/** A template: the CAs and roles to create, and the first certificate to issue. */
export interface StartKind {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly organization: string;
  readonly issuers: readonly {
    readonly name: string;
    readonly title: string;
    readonly roles: Readonly<Record<string, object>>;
  }[];
  readonly first: { readonly role: string; readonly name: string };
}

const server = {
  ...elliptic,
  server_flag: true,
  client_flag: false,
  key_usage: ["DigitalSignature"],
  allow_wildcard_certificates: true,
};

/** The templates of the start view, in the order in which they are shown. */
export const starts: readonly StartKind[] = [
  {
    id: "dev",
    title: "Dev CA",
    about: "localhost, names under .test and .localhost, any IP address. 90-day certificates.",
    organization: "Dev CA",
    issuers: [
      {
        name: "dev-servers",
        title: "Dev CA Servers",
        roles: {
          "dev-server": {
            ...server,
            allow_localhost: true,
            allowed_domains: ["test", "localhost"],
            allow_subdomains: true,
            allow_ip_sans: true,
            require_cn: false,
            ttl: "2160h",
            max_ttl: "9528h",
          },
        },
      },
    ],
    first: { role: "dev-server", name: "localhost" },
  },
  {
    id: "home",
    title: "Home lab",
    about: "home.arpa and IP addresses, 90-day certificates.",
    organization: "Home lab",
    issuers: [
      {
        name: "home-servers",
        title: "Home lab Servers",
        roles: {
          "home-server": {
            ...server,
            allow_localhost: false,
            allowed_domains: ["home.arpa"],
            allow_subdomains: true,
            allow_ip_sans: true,
            require_cn: false,
            ttl: "2160h",
            max_ttl: "2160h",
          },
        },
      },
    ],
    first: { role: "home-server", name: "nas.home.arpa" },
  },
  {
    id: "mtls",
    title: "mTLS between services",
    about: "A server role and a client role under two issuers.",
    organization: "Services",
    issuers: [
      {
        name: "services",
        title: "Services Servers",
        roles: {
          "service-server": {
            ...server,
            allow_localhost: true,
            allowed_domains: ["svc.internal"],
            allow_subdomains: true,
            allow_ip_sans: true,
            require_cn: false,
            ttl: "720h",
            max_ttl: "2160h",
          },
        },
      },
      {
        name: "clients",
        title: "Services Clients",
        roles: {
          "service-client": {
            ...elliptic,
            server_flag: false,
            client_flag: true,
            key_usage: ["DigitalSignature"],
            allow_localhost: false,
            allowed_domains: ["svc.internal"],
            allow_subdomains: true,
            allow_ip_sans: false,
            ttl: "720h",
            max_ttl: "2160h",
          },
        },
      },
    ],
    first: { role: "service-server", name: "api.svc.internal" },
  },
  {
    id: "smime",
    title: "S/MIME",
    about: "Certificates for signing and encrypting email.",
    organization: "Mail",
    issuers: [
      {
        name: "mail",
        title: "Mail Issuer",
        roles: {
          mail: {
            key_type: "rsa",
            key_bits: 3072,
            server_flag: false,
            client_flag: false,
            email_protection_flag: true,
            key_usage: ["DigitalSignature", "KeyEncipherment"],
            allow_localhost: false,
            allow_ip_sans: false,
            allowed_domains: ["example.org"],
            allow_bare_domains: true,
            ttl: "8760h",
            max_ttl: "17520h",
          },
        },
      },
    ],
    first: { role: "mail", name: "someone@example.org" },
  },
];

/**
 * Returns the CAs and roles of a template. From the second set on, their names contain the number
 * of the set.
 */
function numbered(
  kind: StartKind,
  n: number,
): StartKind & { readonly root: { readonly name: string; readonly title: string } } {
  const [name, title] = n === 1 ? ["", ""] : [`-${n}`, ` ${n}`];
  return {
    ...kind,
    root: { name: `${kind.id}-root${name}`, title: `${kind.organization} Root${title}` },
    issuers: kind.issuers.map((issuer) => ({
      name: issuer.name + name,
      title: issuer.title + title,
      roles: Object.fromEntries(
        Object.entries(issuer.roles).map(([role, fields]) => [role + name, fields]),
      ),
    })),
    first: { ...kind.first, role: kind.first.role + name },
  };
}
type Plan = ReturnType<typeof numbered>;

/** Returns the result of a listing, or an empty list if the token lacks the permission. */
const readIfAllowed = async <T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return [];
    throw error;
  }
};

/** The progress of a template: the objects to create, and the objects that already exist. */
interface TemplateProgress {
  readonly plan: Plan;
  /** ID of the root; undefined while there is none. */
  readonly root: string | undefined;
  /** Returns the ID of the template's issuer with this title, if it exists. */
  readonly issuer: (title: string) => string | undefined;
  readonly roles: readonly string[];
}

/**
 * Returns the first set of a template that can be created or completed. Skips sets that are
 * complete or whose names are in use.
 */
async function nextSet(kind: StartKind): Promise<TemplateProgress> {
  const [names, roles] = await Promise.all([
    readIfAllowed(issuerApiNames),
    readIfAllowed(roleCalls.roleNames),
  ]);
  // for the first set, do not load the code that parses certificates
  const all =
    names.length > 0
      ? await readIfAllowed((await import("../../api/issuer-tree.ts")).authorities)
      : [];
  for (let n = 1; ; n++) {
    const plan = numbered(kind, n);
    const root = all.find(
      ({ record, view }) =>
        record.issuer_name === plan.root.name &&
        record.key_id !== "" &&
        view.title === plan.root.title,
    )?.record.issuer_id;
    const issuer = (title: string): string | undefined =>
      all.find((one) => one.parent === root && one.view.title === title)?.record.issuer_id;
    const foreign = names.filter(
      (name) =>
        !all.some(
          ({ record, parent }) =>
            record.issuer_name === name && [record.issuer_id, parent].includes(root),
        ),
    );
    const isInUse = [plan.root.name, ...plan.issuers.map(({ name }) => name)].some((name) =>
      (root === undefined ? names : foreign).includes(name),
    );
    const roleNames = plan.issuers.flatMap((one) => Object.keys(one.roles));
    const free =
      root === undefined
        ? !roleNames.some((role) => roles.includes(role))
        : !roleNames.every((role) => roles.includes(role));
    if (!isInUse && free) return { plan, root, issuer, roles };
  }
}

/** The result of applying a template. */
interface StartResult {
  readonly first: StartKind["first"];
  /** Whether an earlier attempt had left the set incomplete. */
  readonly resumed: boolean;
  readonly warnings: readonly string[];
}

/**
 * Creates the root, issuers and roles of a template, and calls `step` with a description of each
 * step when the step begins. Completes a set that an earlier attempt left incomplete, or else
 * creates a new set.
 */
export async function startTemplate(
  kind: StartKind,
  step: (text: string) => void,
): Promise<StartResult> {
  try {
    const begun = await nextSet(kind);
    step("Setting the URLs in certificates");
    const warnings = [...(await setAddresses())];
    step("Creating the root");
    const root = begun.root ?? (await rootOf(begun.plan));
    for (const one of begun.plan.issuers) {
      const missing = Object.entries(one.roles).filter(
        ([name]) => begun.root === undefined || !begun.roles.includes(name),
      );
      if (missing.length === 0) continue;
      step(`Creating ${one.title}`);
      const { id, unnamed } = await issuerOf(begun, root, one);
      if (unnamed) warnings.push(`${one.title} was created without a name: ${unnamed}`);
      // do not replace any other default issuer, because roles may rely on it
      if (one === begun.plan.issuers[0] && (await defaultIssuer()) === root)
        await setDefaultIssuer(id);
      for (const [name, fields] of missing)
        await roleCalls.saveRole(name, { ...fields, issuer_ref: id });
    }
    return { first: begun.plan.first, resumed: begun.root !== undefined, warnings };
  } finally {
    announceChange();
  }
}

/**
 * Sets the URLs in certificates to those of the mount if none are set. Call this before the first
 * CA is created, because the URLs in a certificate cannot be changed. Returns warnings rather than
 * failing, because the CAs can be created without URLs.
 */
async function setAddresses(): Promise<readonly string[]> {
  if (!(await fillable())) return [];
  try {
    const current = await urls();
    const isSet = urlKinds.some(([name]) => (current[name] ?? []).length > 0);
    return isSet ? [] : (await fillAddresses()).warnings;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    return error.status === 403 ? [] : [`URLs in certificates are not set: ${error.message}`];
  }
}

async function rootOf({ root, organization }: Plan): Promise<string> {
  const created = await makeRoot({
    key_type: "ec",
    key_bits: 384,
    common_name: root.title,
    organization: [organization],
    issuer_name: root.name,
    ttl: lifetime.root,
  });
  return created.id;
}

/** Returns the ID of an issuer in the set, and creates the issuer if it does not exist. */
async function issuerOf(
  { plan, issuer }: TemplateProgress,
  root: string,
  { name, title }: StartKind["issuers"][number],
): Promise<CreatedCa> {
  const existing = issuer(title);
  if (existing !== undefined) return { id: existing };
  return makeIntermediate(root, {
    ...elliptic,
    common_name: title,
    organization: [plan.organization],
    issuer_name: name,
    ttl: lifetime.issuing,
  });
}
