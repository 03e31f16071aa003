import { encodePath } from "../api-path.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag, mountFlag, type Connection } from "../connection.ts";
import { RefusedError, type SearchCertsReply } from "../../../src/client/index.ts";
import { UsageError } from "../flags.ts";
import { formatColumns, formatExpiry, printable, printJson } from "../output.ts";
import { callEndpoint, documentOf } from "../raw-call.ts";

type Flags = ReadonlyMap<string, string>;
/** A function that prints the entries of one kind, such as issuers. */
type List = (connection: Connection, flags: Flags) => Promise<void>;

const kinds: Readonly<Record<string, List>> = {
  certificates: listCertificates,
  issuers: (connection, flags) => listIssuers(connection, flags),
  roles: listPath("roles"),
  revoked: listPath("certs/revoked"),
  mounts: listMounts,
};

/** Declares `list`, which lists certificates, or the entries of any endpoint. */
export const list: Command = {
  name: "list",
  summary: "list certificates, issuers, roles, or the entries of any endpoint",
  arguments: [
    {
      name: "what",
      meaning: `${Object.keys(kinds).join(", ")}; or a path under /v1, such as auth/staff/users`,
      suggestions: Object.keys(kinds),
      isOptional: true,
    },
  ],
  flags: [
    ...connectionFlags,
    mountFlag,
    {
      flag: "--name",
      meaning: "certificates: only those with a name that contains this text",
      default: "all names",
    },
    {
      flag: "--state",
      meaning: "certificates: only those that are valid, expired or revoked",
      choices: ["valid", "expired", "revoked"],
      default: "all states",
    },
    {
      flag: "--expires-within",
      meaning: "certificates: only those that expire within this many days",
      default: "any time",
    },
    jsonFlag,
  ],
  about: ["Lists certificates in order of expiry, or other entries by name."],
  examples: [
    "sealwright list",
    "sealwright list certificates --state valid --expires-within 30",
    "sealwright list issuers",
    "sealwright list sys/policies/acl",
  ],
  async run({ flags, words: [what = "certificates"] }, context) {
    const named = Object.hasOwn(kinds, what) ? kinds[what] : undefined;
    if (!named && !what.includes("/"))
      throw new UsageError(
        `list accepts ${Object.keys(kinds).join(", ")}, or a path such as auth/staff/users, not ${JSON.stringify(what)}.`,
      );
    const connection = await connect(flags, context);
    await (named ?? listEntries(encodePath(what)))(connection, flags);
    return 0;
  },
};

const mountOf = (flags: Flags): string => encodePath(flags.get("--mount") ?? "pki");

/** Maximum number of certificates per page of a search, and maximum number of pages. */
const [pageSize, maxPages] = [1000, 20];

type CertificateInfo = SearchCertsReply["key_info"][string];
type Certificate = CertificateInfo & { readonly serial_number: string };

async function listCertificates(connection: Connection, flags: Flags): Promise<void> {
  const now = Date.now();
  const found = await searchCertificates(connection, flags, now);
  if (flags.has("--json")) return printJson(found);
  if (found.length === 0) return console.log("No certificates.");
  const rows = found.map((info) => {
    const { serial_number, role, not_after, state } = info;
    const expiry = formatExpiry(not_after, now);
    return [serial_number, namesOf(info), role, expiry, state === "revoked" ? state : ""];
  });
  console.log(formatColumns([["SERIAL", "NAMES", "ROLE", "EXPIRES", ""], ...rows]));
}

/**
 * Formats the names of a certificate, and the number of alternative names that the search does not
 * return.
 */
function namesOf({ common_name, dns_names, name, names: count }: CertificateInfo): string {
  // earlier versions of the server may not return `name`
  const alternatives = new Set([...dns_names, name ?? ""].filter(Boolean));
  const names = new Set([common_name, ...alternatives].filter(Boolean));
  const others = count - alternatives.size;
  return printable([...names].join(",")) + (others > 0 ? ` +${others}` : "");
}

async function searchCertificates(
  connection: Connection,
  flags: Flags,
  now: number,
): Promise<readonly Certificate[]> {
  const days = flags.get("--expires-within");
  if (days !== undefined && !/^\d{1,6}$/.test(days))
    throw new UsageError("--expires-within must be a number of days.");
  const seconds = Math.floor(now / 1000);
  const search = {
    san: flags.get("--name"),
    state: flags.get("--state") as "valid" | "expired" | "revoked" | undefined,
    limit: pageSize,
    ...(days === undefined
      ? {}
      : { not_after_from: seconds, not_after_to: seconds + Number(days) * 86_400 }),
  };
  const certificates: Certificate[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
    if (pages === maxPages) {
      console.error(
        `Warning: more than ${certificates.length} certificates match, and only these are shown; narrow the search.`,
      );
      break;
    }
    const page = await connection.mount(mountOf(flags)).searchCerts({ ...search, cursor });
    for (const serial of page.keys) {
      const info = page.key_info[serial];
      if (info) certificates.push({ serial_number: serial, ...info });
    }
    cursor = page.cursor || undefined;
  }
  return certificates.sort((a, b) => Date.parse(a.not_after) - Date.parse(b.not_after));
}

async function listIssuers(connection: Connection, flags: Flags): Promise<void> {
  const { key_info } = await unlessEmpty(connection.mount(mountOf(flags)).listIssuers(), {
    keys: [],
    key_info: {},
  });
  const issuers = Object.entries(key_info).map(([issuer_id, info]) => ({ issuer_id, ...info }));
  if (flags.has("--json")) return printJson(issuers);
  if (issuers.length === 0) return console.log("No issuers.");
  const now = Date.now();
  const rows = issuers.map(({ issuer_id, issuer_name, is_default, key_id, not_after }) => [
    issuer_name || "-",
    issuer_id,
    formatExpiry(not_after, now),
    [is_default ? "default" : "", key_id === "" ? "no key" : ""].filter(Boolean).join(", "),
  ]);
  console.log(formatColumns([["NAME", "ID", "EXPIRES", ""], ...rows]));
}

async function listMounts({ sys }: Connection, flags: Flags): Promise<void> {
  const mounts: Readonly<Record<string, unknown>> = { ...(await sys.listMounts()) };
  if (flags.has("--json")) return printJson(mounts);
  const rows = Object.entries(mounts).flatMap(([path, about]) => {
    const { type = "", description = "" } = { ...(about as object) } as Record<string, string>;
    return path.endsWith("/") ? [[path, type, printable(description)]] : [];
  });
  console.log(formatColumns([["PATH", "TYPE", "DESCRIPTION"], ...rows]));
}

/** Returns a function that prints the names under a path of the mount. */
function listPath(path: string): List {
  return (connection, flags) => listEntries(`${mountOf(flags)}/${path}`)(connection, flags);
}

/** Returns a function that prints the names under any path. */
function listEntries(path: string): List {
  return async (connection, flags) => {
    const answer = await unlessEmpty(callEndpoint(connection, "LIST", path), undefined);
    const data = documentOf(answer)?.["data"];
    const keys: unknown =
      typeof data === "object" && data !== null ? Reflect.get(data, "keys") : undefined;
    const names = Array.isArray(keys) ? keys.map(String) : [];
    if (flags.has("--json")) return printJson(data ?? { keys: [] });
    console.log(names.length > 0 ? names.map(printable).join("\n") : "No entries.");
  };
}

/**
 * Resolves with `empty` instead of rejecting with the 404 that the API returns for an empty list.
 */
async function unlessEmpty<T>(call: Promise<T>, empty: T): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404 && error.errors.length === 0)
      return empty;
    throw error;
  }
}
