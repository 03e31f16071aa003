import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { Mount } from "../../engine/mount.ts";
import { storedMount } from "../../engine/mount-records.ts";
import {
  flag,
  withNormalForm,
  mapOf,
  type Parsed,
  records,
  text,
  textPairs,
} from "../../wire/field.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { beingRestored } from "../backup/restoring.ts";
import {
  ignoredConfig,
  newMountSettings,
  readNewConfig,
  textValues,
  warningsOf,
  withoutEmpty,
} from "../../mounts/mount-config.ts";
import { mountFields, mountInfo } from "../../mounts/mount-info.ts";

/** Returns the mount at the given path, or undefined if there is none. */
export async function mountAt(deployment: Deployment, path: string): Promise<Mount | undefined> {
  const route = (await deployment.readMounts()).get(trimTrailingSlashes(path));
  return route && deployment.mount(route.uuid);
}
/** Strips trailing slashes from a path. */
export const trimTrailingSlashes = (path: string): string => path.replace(/\/+$/, "");
/**
 * Returns a built-in mount of the API family. Clients expect all built-in mounts, although only
 * `sys/` has endpoints on this server.
 */
const builtin = (type: string, uuid: string): Parsed<typeof mountFields> => ({
  ...mountInfo(storedMount({ path: type, uuid })),
  accessor: `${type}_builtin`,
  type,
});

/** The built-in mounts, by path with a trailing slash. */
export const builtins: Readonly<Record<string, Parsed<typeof mountFields>>> = {
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
  whole: records(mountFields).required("The mounts by path."),
  refuses: ["damaged"],
  run: async (deployment, _, caller) => {
    const infos = await Promise.all(
      [...(await deployment.readMounts())].map(async ([path, { uuid, type, restoring }]) => {
        try {
          if (restoring) throw beingRestored(path);
          return [[`${path}/`, mountInfo((await deployment.mount(uuid).config()).mount)] as const];
        } catch (error) {
          // the mount was deleted concurrently
          if (error instanceof CaError && error.code === "no_route") return [];
          // listed anyway, because clients assume that an unlisted mount does not exist
          caller.reply.warn(
            `the mount ${path}/ cannot be read: only its path, type and UUID are known`,
          );
          return [[`${path}/`, mountInfo(storedMount({ path, uuid, type }))] as const];
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
  doc: "Reads a mount.",
  body: {},
  reply: mountFields,
  refuses: ["no_mount"],
  run: async (deployment, { path }) => {
    const builtIn = builtins[`${trimTrailingSlashes(path)}/`];
    if (builtIn) return builtIn;
    const mount = await mountAt(deployment, path);
    if (!mount)
      throw new CaError("no_mount", `No secret engine mount at ${trimTrailingSlashes(path)}/`);
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
    type: text.default("", "Type of secrets engine: `pki`.", ["", "pki"]),
    description: text.default("", "Description of the mount."),
    config: withNormalForm(mapOf(newMountSettings), readNewConfig).optional("Settings."),
    options: textPairs.optional("Options, which are stored and returned, but have no effect."),
    local: flag.default(false, "Whether the mount rejects unified and cross-cluster revocation."),
    seal_wrap: flag.default(false, "Stored and returned, but has no effect."),
    external_entropy_access: flag.default(false, "Stored and returned, but has no effect."),
    plugin_name: text.alias("type"),
  },
  ignores: ignoredConfig,
  reply: {},
  audits: { plain: ["type"] },
  refuses: ["malformed", "already_exists"],
  run: async (deployment, input, caller) => {
    const type = input.type || (input.plugin_name ?? "");
    if (type === "") throw new CaError("malformed", "backend type must be specified as a string");
    const { config, options, description, local, seal_wrap, external_entropy_access } = input;
    await deployment.createMount(trimTrailingSlashes(input.path), {
      type,
      description,
      local,
      seal_wrap,
      external_entropy_access,
      config: withoutEmpty(readNewConfig(config ?? {})),
      options: options ? textValues(options) : null,
    });
    await (await import("../events/sinks-run.ts")).observeMountsForSinks(deployment);
    for (const warning of warningsOf(config ?? {}, newMountSettings)) caller.reply.warn(warning);
    return undefined;
  },
});

export const deleteMount = systemEndpoint({
  id: "deleteMount",
  at: ["DELETE /mounts/:path+"],
  access: "token",
  style: envelope,
  doc: "Deletes a mount and all its data.",
  body: {},
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { path }) => {
    const name = `${trimTrailingSlashes(path)}/`;
    if (builtins[name]) throw new CaError("malformed", `cannot unmount "${name}"`);
    await deployment.deleteMount(trimTrailingSlashes(path));
    return undefined;
  },
});
