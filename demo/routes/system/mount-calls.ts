import type { WriteTuneInput } from "../../../src/client/sys.ts";
import { call, callWithSettings, listing, readData } from "../../api/call.ts";
import * as pki from "../../api/endpoints/pki.ts";
import * as sys from "../../api/endpoints/sys.ts";
import type { Reply } from "../../api/transport.ts";
import { readCertificate } from "../../lib/x509/decode.ts";
import type { SettingChanges, SettingField, Settings, WrongSettings } from "../../lib/settings.ts";
import { duration, roleSeconds, seconds } from "../../lib/durations.ts";
import { lasting } from "../../lib/time-text.ts";

/** A mount with its own issuers, roles and certificates. */
export interface Mount {
  readonly path: string;
  readonly description: string;
  /** The maximum lifetime of certificates, such as `365 days`; empty for the server's maximum. */
  readonly maxTtl: string;
  /** The values of `tuneFields`, by field name. A lifetime that is not set is empty. */
  readonly settings: Readonly<Record<string, string>>;
}

const lifetime = (value: unknown): string => {
  const length = roleSeconds(value);
  return length > 0 ? duration(length) : "";
};

/** Returns the CA mounts by path. */
export async function mounts(): Promise<readonly Mount[]> {
  const all = await readData(sys.listMounts);
  return Object.entries(all)
    .filter(([, { type }]) => type === "pki")
    .map(([path, { description, config }]) => {
      const maxTtl = roleSeconds(config.max_lease_ttl);
      return {
        path: path.replace(/\/$/, ""),
        description,
        maxTtl: maxTtl > 0 ? lasting(maxTtl) : "",
        settings: {
          description,
          default_lease_ttl: lifetime(config.default_lease_ttl),
          max_lease_ttl: lifetime(config.max_lease_ttl),
          listing_visibility: config.listing_visibility ?? "",
        },
      };
    })
    .toSorted((a, b) => a.path.localeCompare(b.path));
}

/** Creates an empty CA mount. */
export const makeMount = (
  path: string,
  {
    description,
    maxTtl,
    partitions,
  }: Pick<Mount, "description" | "maxTtl"> & { readonly partitions: number },
): Promise<Reply<unknown>> =>
  call(sys.createMount, {
    path,
    type: "pki",
    description: description || undefined,
    config: {
      ...(maxTtl ? { max_lease_ttl: maxTtl } : {}),
      ...(partitions > 1 ? { partitions } : {}),
    },
  });

/** Returns why the path of a new mount is invalid or in use, or an empty string if it is valid. */
export function wrongPath(path: string, paths: readonly string[]): string {
  if (path === "") return "Enter a path";
  if (!/^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/.test(path))
    return `${path}: use letters, digits, dots, hyphens and slashes, such as teams/web`;
  if (["sys", "auth", "identity", "cubbyhole"].includes(path.split("/")[0] ?? ""))
    return `${path}: reserved path`;
  return paths.includes(path) ? `${path} already exists` : "";
}

type TuneName = Exclude<keyof WriteTuneInput, "path">;

/** The fields for the settings of an existing mount. */
export const tuneFields: readonly SettingField<TuneName>[] = [
  { name: "description", label: "Description", kind: "text" },
  {
    name: "listing_visibility",
    label: "Listed for",
    kind: "choice",
    options: [
      ["", "Tokens with access"],
      ["unauth", "Anyone, without signing in"],
      ["hidden", "Tokens with access (set to hidden)"],
    ],
    hint: "Who can see the mount’s path, type and description. Grants no access.",
  },
  {
    name: "default_lease_ttl",
    label: "Default lifetime",
    kind: "duration",
    hint: "Used if neither the role nor the request sets a lifetime. If empty, the server’s default applies.",
  },
  {
    name: "max_lease_ttl",
    label: "Maximum lifetime",
    kind: "duration",
    hint: "For all certificates in this mount. If empty, the server’s maximum applies.",
  },
];

/** Returns why an optional lifetime is invalid, or an empty string if it is valid. */
export const wrongLifetime = (typed: string): string =>
  typed.trim() !== "" && seconds(typed) === undefined
    ? `${typed}: not a duration. Enter 87600h or 365d`
    : "";

/** Returns the validation errors of a mount's settings, by field. */
export function wrongTune(typed: Settings): WrongSettings {
  const { default_lease_ttl: usual = "", max_lease_ttl: maxTtl = "" } = typed;
  const wrong = Object.entries({ default_lease_ttl: usual, max_lease_ttl: maxTtl }).flatMap(
    ([name, value]) => {
      const why = wrongLifetime(String(value));
      return why ? [[name, why] as const] : [];
    },
  );
  const above = (seconds(String(usual)) ?? 0) > (seconds(String(maxTtl)) ?? Infinity);
  return wrong.length === 0 && above && String(maxTtl).trim() !== ""
    ? { default_lease_ttl: `The default exceeds the maximum (${String(maxTtl).trim()})` }
    : Object.fromEntries(wrong);
}

const lifetimes = ["default_lease_ttl", "max_lease_ttl"] as const;
/**
 * Changes settings of a mount. A lifetime that the user has cleared is sent as `system`, because
 * the API ignores an empty lifetime.
 */
export const tuneMount = (
  path: string,
  sent: SettingChanges<TuneName>,
): Promise<Reply<unknown>> => {
  const emptied = lifetimes.filter((name) => sent[name] === "");
  const changes = { ...sent, ...Object.fromEntries(emptied.map((name) => [name, "system"])) };
  return callWithSettings(sys.writeTune, changes, { path });
};

/** Deletes a mount and everything in it. */
export const deleteMount = (path: string): Promise<Reply<unknown>> =>
  call(sys.deleteMount, { path });

/** Maximum number of certificates to count. */
const maxCounted = 1000;
/** Maximum number of issuers whose names are read. */
const maxNamed = 5;

/** The contents of a mount, which its deletion would destroy. */
export interface Holdings {
  /** Names of the first few CAs in the mount. */
  readonly named: readonly string[];
  readonly authorities: number;
  readonly keys: number;
  readonly roles: number;
  readonly certificates: number;
  /** Whether the mount has more certificates than were counted. */
  readonly more: boolean;
}

/** Reads the contents of a mount. */
export async function holdings(at: string): Promise<Holdings> {
  const [issuers, keys, roles, certs] = await Promise.all([
    listing(pki.listIssuers, {}, at),
    listing(pki.listKeys, {}, at),
    listing(pki.listRoles, {}, at),
    listing(pki.listCerts, { limit: maxCounted + 1 }, at),
  ]);
  const named = issuers.keys.slice(0, maxNamed).map(async (id) => {
    const { certificate } = await readData(pki.readIssuer, { issuer_ref: id }, at);
    return (await readCertificate(certificate)).title;
  });
  return {
    named: (await Promise.all(named)).toSorted(),
    authorities: issuers.keys.length,
    keys: keys.keys.length,
    roles: roles.keys.length,
    certificates: Math.min(certs.keys.length, maxCounted),
    more: certs.keys.length > maxCounted,
  };
}
