import { encodePath } from "../api-path.ts";
import {
  planDefaults,
  serverMount,
  setUpAuthority,
  type Authority,
  type AuthorityPlan,
} from "../authority-setup.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag, mountFlag } from "../connection.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { UsageError } from "../flags.ts";
import { invocationOf } from "../../settings/invocation.ts";
import { printJson } from "../output.ts";
import { findWrongRange } from "../role-domains.ts";
import { quoteWord } from "../../settings/shell.ts";

/** Declares `init`, which sets up an authority. */
export const init: Command = {
  name: "init",
  summary: "create a root, an intermediate and a role",
  flags: [
    ...connectionFlags,
    mountFlag,
    {
      flag: "--name",
      meaning: "name of the authority in its certificates",
      default: planDefaults.name,
    },
    {
      flag: "--domain",
      meaning: "comma-separated domains and addresses that the role allows",
      default: planDefaults.domains.join(","),
    },
    { flag: "--role", meaning: "name of the role", default: "server" },
    {
      flag: "--root-mount",
      meaning: "mount whose issuer signs the intermediate",
      default: `${serverMount}, if it has issued the server's own certificate (TLS=own); otherwise the mount itself, with a new root`,
    },
    jsonFlag,
  ],
  about: [
    "Sets up a running server to issue certificates for TLS servers: creates a root valid for",
    "ten years, an issuing intermediate valid for five years, and a role. Does not change existing",
    "objects: if the mount already has an issuer, only creates the role. To resume an interrupted",
    "setup, run init again. If PUBLIC_URL is not local, certificates contain the CRL and OCSP URLs of",
    "the server, with http; otherwise init prints the commands that set the URLs.",
    "Fails if --name or --domain would have no effect.",
  ],
  examples: [
    "sealwright init",
    "sealwright init --mount corp --name 'Example Corp' --domain corp.example",
  ],
  async run({ flags }, context) {
    const plan: AuthorityPlan = {
      mount: encodePath(flags.get("--mount") ?? "pki"),
      name: flags.get("--name") || undefined,
      role: flags.get("--role") ?? "server",
      domains: flags
        .get("--domain")
        ?.split(",")
        .map((one) => one.trim()),
      rootMount: flags.get("--root-mount"),
      program: invocationOf(context.env),
    };
    if (plan.mount === serverMount)
      throw new UsageError(
        `The mount ${serverMount}/ is reserved for the server's own certificate; choose another with --mount.`,
      );
    const wrong = findWrongRange(plan.domains ?? []);
    if (wrong !== undefined)
      throw new UsageError(`--domain: ${wrong} is not a range of addresses.`);
    const authority = await setUpAuthority(await connect(flags, context), plan);
    const { created, adopted, root, warnings } = authority;
    const fingerprint = root && fingerprintOf(root);
    if (flags.has("--json"))
      printJson({
        mount: plan.mount,
        role: plan.role,
        created,
        adopted,
        root,
        fingerprint,
        warnings,
      });
    else printNextSteps(plan, authority, nextCommands(flags, plan));
    return 0;
  },
};

/** The parts of the next commands that depend on the user's command line. */
interface NextCommands {
  readonly program: string;
  /** The flags that select the server, the root certificate to trust and the mount. */
  readonly flags: string;
  readonly role: string;
}

function nextCommands(
  flags: ReadonlyMap<string, string>,
  { mount, role, program }: AuthorityPlan,
): NextCommands {
  const options = connectionFlags.flatMap(({ flag }) => {
    const value = flags.get(flag);
    return value === undefined ? [] : [` ${flag} ${quoteWord(value)}`];
  });
  const at = mount === "pki" ? [] : [` --mount ${quoteWord(mount)}`];
  const by = role === "server" ? "" : ` --role ${quoteWord(role)}`;
  return { program, flags: [...options, ...at].join(""), role: by };
}

function printNextSteps(
  { mount, domains = planDefaults.domains }: AuthorityPlan,
  { created, adopted, root, warnings }: Authority,
  { program, flags, role }: NextCommands,
): void {
  const [name = "localhost"] = domains;
  console.log(
    [
      ...(adopted === undefined
        ? []
        : [`Using the existing issuer of the mount ${mount}/: ${adopted}`]),
      ...(created.length === 0 ? [`The mount ${mount}/ is already set up.`] : []),
      ...created.map((one) => `Created: ${one}`),
      ...warnings,
      "",
      ...(root ? [`SHA-256 fingerprint of the root: ${fingerprintOf(root)}`, ""] : []),
      "Next:",
      `  ${program} trust install${flags}`,
      "      makes this machine and its browsers trust the root",
      `  ${program} issue ${quoteWord(name)}${flags}${role} --out tls`,
      "      writes tls/fullchain.pem and tls/privkey.pem for your server",
      `  ${program} renew tls --daemon --exec 'nginx -s reload'`,
      "      keeps these files up to date, and reloads nginx",
    ].join("\n"),
  );
}
