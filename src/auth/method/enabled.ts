import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { MethodConfig } from "../rows/method-records.ts";
import {
  disableMethod,
  enableMethod,
  noSysview,
  readMethods,
  tokenPath,
  tuneMethod,
} from "../rows/methods.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import {
  changedOptions,
  ignoredConfig,
  readConfig,
  mountSettings,
  textValues,
  warningsOf,
  withoutEmpty,
  tuneFields,
  tuneReply,
} from "../../mounts/mount-config.ts";
import { methodInfo, mountFields } from "../../mounts/mount-info.ts";
import { loginTypeNames } from "../types/table.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, withNormalForm, mapOf, records, text, textPairs } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { methodTokenTypes } from "./token-fields.ts";

/** Default `token_type` of a login method. */
const standardType = "default-service";
const trim = (path: string): string => path.replace(/\/+$/, "");

export const listMethods = systemEndpoint({
  id: "listMethods",
  at: ["GET /auth"],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Lists the login methods by path.",
  body: {},
  reply: {},
  whole: records(mountFields).required("The login methods by path."),
  run: async (deployment) =>
    Object.fromEntries(
      [...(await readMethods(deployment.sys))].map(([path, row]) => [`${path}/`, methodInfo(row)]),
    ),
});

const read = {
  style: envelope,
  hoist: true,
  doc: "Reads a login method.",
  body: {},
  reply: mountFields,
  refuses: ["no_mount"],
} as const;
export const readMethod = systemEndpoint({
  ...read,
  id: "readMethod",
  at: ["GET /auth/:path+"],
  access: "sudo",
  run: (deployment, { path }) => methodAt(deployment, path),
});
export const readMountedMethod = systemEndpoint({
  ...read,
  id: "readMountedMethod",
  at: ["GET /mounts/auth/:path+"],
  access: "token",
  run: (deployment, { path }) => methodAt(deployment, path),
});
async function methodAt({ sys }: Deployment, path: string) {
  const row = (await readMethods(sys)).get(trim(path));
  if (!row) throw new CaError("no_mount", `No auth engine at ${trim(path)}/`);
  return methodInfo(row);
}

const settings = {
  ...mountSettings,
  token_type: text.optional("Type of the tokens that logins return.", methodTokenTypes),
} as const;
export const enableAuth = systemEndpoint({
  id: "enableMethod",
  at: ["POST /auth/:path+"],
  access: "sudo",
  style: envelope,
  doc: "Enables a login method.",
  body: {
    type: text.default("", "Type of login method.", ["", ...loginTypeNames]),
    description: text.default("", "Description of the method."),
    config: withNormalForm(mapOf(settings), readConfig).optional("Settings."),
    options: textPairs.optional("Options, which are stored and returned, but have no effect."),
    local: flag.default(false, "Stored and returned, but has no effect."),
    seal_wrap: flag.default(false, "Stored and returned, but has no effect."),
    external_entropy_access: flag.default(false, "Stored and returned, but has no effect."),
    plugin_name: text.alias("type"),
  },
  ignores: ignoredConfig,
  reply: {},
  refuses: ["malformed", "already_exists"],
  run: async (deployment, { path, config, options, plugin_name, ...input }, caller) => {
    const type = input.type || (plugin_name ?? "");
    if (type === "") throw new CaError("malformed", "backend type must be specified as a string");
    if (!Object.hasOwn(caller.tables.methods, type))
      throw new CaError("malformed", `plugin not found in the catalog: ${type.slice(0, 64)}`);
    await enableMethod(deployment, trim(path), {
      ...input,
      type,
      config: readMethodConfig(config ?? {}),
      options: options ? textValues(options) : null,
    });
    for (const warning of warningsOf(config ?? {}, settings)) caller.reply.warn(warning);
    return undefined;
  },
});

export const disableAuth = systemEndpoint({
  id: "disableMethod",
  at: ["DELETE /auth/:path+"],
  access: "sudo",
  style: envelope,
  doc: "Disables a login method, deletes its data and revokes its tokens.",
  body: {},
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { path }) => {
    if (trim(path) === tokenPath)
      throw new CaError("malformed", "token credential backend cannot be disabled");
    await disableMethod(deployment, trim(path));
    return undefined;
  },
});

const tuned = {
  style: envelope,
  hoist: true,
  doc: "Reads the settings of a login method, including its effective token lifetimes.",
  body: {},
  reply: {
    ...tuneReply,
    token_type: text.required("Type of the method's tokens.", methodTokenTypes),
  },
  refuses: ["no_mount"],
} as const;
export const readMethodTune = systemEndpoint({
  ...tuned,
  id: "readMethodTune",
  at: ["GET /auth/:path+/tune"],
  access: "sudo",
  run: (deployment, { path }) => tuneOf(deployment, path),
});
export const readMountedTune = systemEndpoint({
  ...tuned,
  id: "readMountedTune",
  at: ["GET /mounts/auth/:path+/tune"],
  access: "token",
  run: (deployment, { path }) => tuneOf(deployment, path),
});
async function tuneOf(deployment: Deployment, path: string) {
  const row = (await readMethods(deployment.sys)).get(trim(path));
  if (!row) throw noSysview(trim(path));
  const ttls = effectiveTtls(row);
  return {
    description: row.description,
    token_type: standardType,
    ...row.config,
    default_lease_ttl: ttls.default,
    max_lease_ttl: ttls.max,
    ...(row.options ? { options: row.options } : {}),
  };
}

const tuning = {
  style: envelope,
  doc: "Updates the given settings of a login method.",
  body: {
    ...tuneFields,
    token_type: text.optional(
      "Type of the tokens that logins return: `default-service` or `default-batch`, which roles can override, or `service` or `batch`, which they cannot.",
      methodTokenTypes,
    ),
  },
  ignores: ["force_no_cache"],
  reply: {},
  refuses: ["no_mount", "malformed", "invalid_field"],
} as const;
export const writeMethodTune = systemEndpoint({
  ...tuning,
  id: "writeMethodTune",
  at: ["POST /auth/:path+/tune"],
  access: "sudo",
  run: (deployment, { path, ...changes }) => tune(deployment, path, changes),
});
export const writeMountedTune = systemEndpoint({
  ...tuning,
  id: "writeMountedTune",
  at: ["POST /mounts/auth/:path+/tune"],
  access: "token",
  run: (deployment, { path, ...changes }) => tune(deployment, path, changes),
});
async function tune(
  deployment: Deployment,
  path: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<undefined> {
  const { description, options } = changes;
  const config = readMethodConfig(changes);
  if (trim(path) === tokenPath && (config.token_type ?? standardType) !== standardType)
    throw new CaError(
      "malformed",
      "'token_type' cannot be set for 'token' or 'ns_token' auth mounts",
    );
  await tuneMethod(deployment, trim(path), (row) => ({
    ...row,
    description: typeof description === "string" ? description : row.description,
    // the field was parsed as a map
    options: changedOptions(options as Readonly<Record<string, unknown>> | undefined, row.options),
    config: withoutEmpty({ ...row.config, ...config }),
  }));
}

/** Returns the method settings that a request contains. */
function readMethodConfig(changes: Readonly<Record<string, unknown>>): Partial<MethodConfig> {
  const { token_type: sent } = changes;
  if (sent === undefined || sent === "") return readConfig(changes);
  const token_type = methodTokenTypes.find((one) => one === sent);
  if (token_type === undefined)
    throw new CaError(
      "malformed",
      `invalid 'token_type': use one of ${methodTokenTypes.join(", ")}`,
    );
  return { ...readConfig(changes), token_type };
}
