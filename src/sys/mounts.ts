import { CaError } from "../base/errors.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Mount } from "../engine/mount.ts";
import { checkTtls, effectiveTtls } from "../engine/new-mount.ts";
import { keys, type MountRow } from "../engine/records.ts";
import { stored } from "../engine/stored.ts";
import { flag, int, list, map, mapOrNull, records, text, type Parsed } from "../wire/field.ts";
import { systemEndpoint } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { beingRestored } from "./snapshot/restoring.ts";
import { readConfig, textValues, withoutEmpty } from "./mount-config.ts";

/** The mount that a path names. */
async function mountAt(ca: Deployment, path: string): Promise<Mount | undefined> {
  const route = (await ca.readMounts()).get(trim(path));
  return route && ca.mount(route.uuid);
}
const trim = (path: string): string => path.replace(/\/+$/, "");

/** A mount as the API shows it (P 9.3). */
export const shown = {
  type: text.required("Type of secrets engine: `pki`."),
  description: text.required("Description of the mount."),
  accessor: text.required("A second identifier of the mount, which never changes."),
  local: flag.required("As set: a local mount has no unified or cross-cluster revocation."),
  seal_wrap: flag.required("As set; no effect."),
  external_entropy_access: flag.required("As set; no effect."),
  options: mapOrNull.required("Options as set, or null."),
  uuid: text.required("Id of the mount."),
  plugin_version: text.required("Empty."),
  running_plugin_version: text.required("Version of the secrets mount."),
  running_sha256: text.required("Empty."),
  deprecation_status: text.required("Always `supported`."),
  config: map.required("Settings of the mount; lifetimes in seconds, 0 for the system default."),
} as const;
/** What the API shows of a mount's row. */
export const mountInfo = (row: MountRow): Parsed<typeof shown> => ({
  type: row.type,
  description: row.description,
  accessor: row.accessor,
  local: row.local,
  seal_wrap: row.seal_wrap,
  external_entropy_access: row.external_entropy_access,
  options: row.options,
  uuid: row.uuid,
  plugin_version: "",
  running_plugin_version: "v2.1.0+builtin.sealwright",
  running_sha256: "",
  deprecation_status: "supported",
  config: { ...row.config },
});
/**
 * A mount that the API family has everywhere. Clients look for all three; only `sys/` answers
 * anything here.
 */
const builtin = (type: string, uuid: string): Parsed<typeof shown> => ({
  ...mountInfo(stored.mount({ path: type, uuid })),
  accessor: `${type}_builtin`,
  type,
});

const builtins = {
  "sys/": builtin("system", "sys"),
  "identity/": builtin("identity", "identity"),
  "cubbyhole/": builtin("cubbyhole", "cubbyhole"),
};

export const listMounts = systemEndpoint({
  id: "listMounts",
  at: ["GET /mounts"],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Lists the mounts by path.",
  body: {},
  reply: {},
  whole: records(shown).required("The mounts by path."),
  run: async (ca, _, caller) => {
    const infos = await Promise.all(
      [...(await ca.readMounts())].map(async ([path, { uuid, type, restoring }]) => {
        try {
          if (restoring) throw beingRestored(path);
          return [[`${path}/`, mountInfo((await ca.mount(uuid).config()).mount)] as const];
        } catch (error) {
          // it is being removed while the others are read
          if (error instanceof CaError && error.code === "no_route") return [];
          // clients take a mount that is not listed for one that does not exist
          caller.warn(`the mount ${path}/ cannot be read: only its path, type and uuid are known`);
          return [[`${path}/`, mountInfo(stored.mount({ path, uuid, type }))] as const];
        }
      }),
    );
    return { ...Object.fromEntries(infos.flat()), ...builtins };
  },
});

export const readMount = systemEndpoint({
  id: "readMount",
  at: ["GET /mounts/:path+"],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Returns a mount.",
  body: {},
  reply: shown,
  refuses: ["no_mount"],
  run: async (ca, { path }) => {
    const mount = await mountAt(ca, path);
    if (!mount) throw new CaError("no_mount", `No secret engine mount at ${trim(path)}/`);
    return mountInfo((await mount.config()).mount);
  },
});

export const createMount = systemEndpoint({
  id: "createMount",
  at: ["POST /mounts/:path+"],
  access: "token",
  style: envelope,
  doc: "Creates a mount.",
  body: {
    type: text.default("", "Type of secrets engine: `pki`."),
    description: text.default("", "Description of the mount."),
    config: map.optional(
      "Settings: default_lease_ttl, max_lease_ttl, listing_visibility, passthrough_request_headers, allowed_response_headers.",
    ),
    options: map.optional("Options, stored and returned; no effect."),
    local: flag.default(false, "Whether the mount refuses unified and cross-cluster revocation."),
    seal_wrap: flag.default(false, "Stored and returned; no effect."),
    external_entropy_access: flag.default(false, "Stored and returned; no effect."),
    plugin_name: text.optional("Same as `type`."),
  },
  reply: {},
  audits: { plain: ["type"] },
  refuses: ["malformed", "already_exists"],
  run: async (ca, input) => {
    const type = input.type || (input.plugin_name ?? "");
    if (type === "") throw new CaError("malformed", "backend type must be specified as a string");
    const { config, options, description, local, seal_wrap, external_entropy_access } = input;
    await ca.createMount(trim(input.path), {
      type,
      description,
      local,
      seal_wrap,
      external_entropy_access,
      config: withoutEmpty(readConfig(config ?? {})),
      options: options ? textValues(options) : null,
    });
    return undefined;
  },
});

export const deleteMount = systemEndpoint({
  id: "deleteMount",
  at: ["DELETE /mounts/:path+"],
  access: "token",
  style: envelope,
  doc: "Deletes a mount and everything in it.",
  body: {},
  reply: {},
  run: async (ca, { path }) => {
    await ca.deleteMount(trim(path));
    return undefined;
  },
});

/** What may be tuned of any mount. */
export const tuneFields = {
  default_lease_ttl: text.optional(
    "Default lifetime, as seconds or a duration; empty or `system` for the system default.",
  ),
  max_lease_ttl: text.optional(
    "Maximum lifetime, as seconds or a duration; empty or `system` for the system default.",
  ),
  description: text.optional("Description of the mount."),
  listing_visibility: text.optional("Empty, `unauth` or `hidden`."),
  passthrough_request_headers: list.optional("Request headers that are passed to the mount."),
  allowed_response_headers: list.optional("Response headers that the engine may set."),
  audit_non_hmac_request_keys: list.optional("Stored and returned; no effect."),
  audit_non_hmac_response_keys: list.optional("Stored and returned; no effect."),
  options: map.optional("Options, stored and returned; no effect."),
} as const;

export const readTune = systemEndpoint({
  id: "readTune",
  at: ["GET /mounts/:path+/tune"],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Returns the settings of a mount, with the lifetimes in force.",
  body: {},
  reply: {
    description: text.required("Description of the mount."),
    default_lease_ttl: int.required("Default lifetime in force, seconds."),
    max_lease_ttl: int.required("Maximum lifetime in force, seconds."),
    force_no_cache: flag.required("Always false."),
    listing_visibility: text.optional("`unauth` or `hidden`."),
    passthrough_request_headers: list.optional("Request headers that are passed to the mount."),
    allowed_response_headers: list.optional("Response headers that the engine may set."),
    audit_non_hmac_request_keys: list.optional("Stored and returned; no effect."),
    audit_non_hmac_response_keys: list.optional("Stored and returned; no effect."),
    options: map.optional("Options."),
  },
  refuses: ["no_mount"],
  run: async (ca, { path }) => {
    const mount = await mountAt(ca, path);
    if (!mount) throw noSysview(path);
    const { mount: row } = await mount.config();
    const ttls = effectiveTtls(row);
    return {
      description: row.description,
      ...row.config,
      default_lease_ttl: ttls.default,
      max_lease_ttl: ttls.max,
      ...(row.options ? { options: row.options } : {}),
    };
  },
});
const noSysview = (path: string) =>
  new CaError("no_mount", `cannot fetch sysview for path "${trim(path)}/"`);

export const writeTune = systemEndpoint({
  id: "writeTune",
  at: ["POST /mounts/:path+/tune"],
  access: "token",
  style: envelope,
  doc: "Changes the settings of a mount; fields that are not sent keep their value.",
  body: tuneFields,
  reply: {},
  refuses: ["no_mount", "malformed", "invalid_field"],
  run: async (ca, { path, description, options, ...given }) => {
    const mount = await mountAt(ca, path);
    if (!mount) throw noSysview(path);
    await mount.configure((config) => {
      const held = config.mount;
      const next = withoutEmpty({ ...held.config, ...readConfig(given) });
      checkTtls(next);
      const row: MountRow = {
        ...held,
        description: description ?? held.description,
        options: options ? textValues(options) : held.options,
        config: next,
      };
      return {
        reply: undefined,
        batch: { expect: [[keys.mount, config.mountRev]], put: [[keys.mount, row]] },
      };
    });
    return undefined;
  },
});
