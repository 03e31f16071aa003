import { CaError } from "../base/errors.ts";
import { flag, list, listOf, mapsOf, text, textOrNull } from "../wire/field.ts";
import { systemEndpoint, type Tables } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { reportedVersion } from "./health/health.ts";

/** Returns the names of the built-in plugins by kind. Plugins cannot be added. */
const builtin = ({ mounts, methods }: Tables): Readonly<Record<string, readonly string[]>> => ({
  auth: Object.keys(methods).toSorted(),
  database: [],
  secret: Object.keys(mounts).toSorted(),
});
const version = `v${reportedVersion}+builtin.sealwright`;
const plugin = (name: string, type: string) => ({
  name,
  type,
  version,
  builtin: true,
  deprecation_status: "supported",
});
/** Reply fields of a plugin. */
const shown = {
  name: text.required("Plugin name: the type of the mount or login method."),
  type: text.required("`secret` or `auth`.", ["secret", "auth"]),
  version: text.required("Version."),
  builtin: flag.required("Always true."),
  deprecation_status: text.required("Always `supported`."),
} as const;

export const readCatalog = systemEndpoint({
  id: "readCatalog",
  at: ["GET /plugins/catalog"],
  access: "token",
  style: envelope,
  doc: "Lists the available types of mounts and login methods.",
  body: {},
  reply: {
    auth: list.required("Types of login methods."),
    database: list.required("Always empty."),
    secret: list.required("Types of mounts."),
    detailed: listOf(shown).required("All types with their versions."),
  },
  run: async (_, __, { tables }) => {
    const { auth = [], secret = [] } = builtin(tables);
    const detailed = [
      ...auth.map((name) => plugin(name, "auth")),
      ...secret.map((name) => plugin(name, "secret")),
    ];
    return { auth, database: [], secret, detailed };
  },
});

export const listCatalog = systemEndpoint({
  id: "listCatalog",
  at: ["LIST /plugins/catalog/:type"],
  access: "sudo",
  style: envelope,
  doc: "Lists the types of mounts (`secret`) or login methods (`auth`).",
  body: {},
  reply: { keys: list.required("Names, sorted.") },
  refuses: ["malformed", "not_found"],
  run: async (_, { type }, { tables }) => {
    const keys = ofType(tables, type);
    if (keys.length === 0) throw new CaError("not_found", "");
    return { keys };
  },
});

export const readPlugin = systemEndpoint({
  id: "readPlugin",
  at: ["GET /plugins/catalog/:type/:name"],
  access: "sudo",
  style: envelope,
  doc: "Reads a type of mount or login method.",
  body: {},
  reply: {
    ...shown,
    args: list.required("Always empty."),
    command: text.required("Always empty."),
    sha256: text.required("Always empty."),
  },
  refuses: ["malformed", "not_found"],
  run: async (_, { type, name }, { tables }) => {
    if (!ofType(tables, type).includes(name)) throw new CaError("not_found", "");
    return { ...plugin(name, type), args: [], command: "", sha256: "" };
  },
});
function ofType(tables: Tables, type: string): readonly string[] {
  const all = builtin(tables);
  if (Object.hasOwn(all, type)) return all[type] ?? [];
  throw new CaError(
    "malformed",
    `${JSON.stringify(type.slice(0, 64))} is not a supported plugin type`,
  );
}

export const versionHistory = systemEndpoint({
  id: "versionHistory",
  at: ["LIST /version-history"],
  access: "token",
  style: envelope,
  doc: "Returns the running version; earlier versions are not recorded.",
  body: {},
  reply: {
    keys: list.required("Versions."),
    key_info: mapsOf({
      previous_version: textOrNull.required("Always null."),
      timestamp_installed: text.required("Always empty."),
      build_date: text.required("Always empty."),
    }).required("Details of each version."),
  },
  run: async () => ({
    keys: [reportedVersion],
    key_info: {
      [reportedVersion]: { previous_version: null, timestamp_installed: "", build_date: "" },
    },
  }),
});
