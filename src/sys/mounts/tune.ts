import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { checkTtls, effectiveTtls } from "../../engine/new-mount.ts";
import { mountKey, type MountRow } from "../../engine/mount-records.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import {
  changedOptions,
  readConfig,
  withoutEmpty,
  tuneFields,
  tuneReply,
} from "../../mounts/mount-config.ts";
import { mountAt, trimTrailingSlashes } from "./mounts.ts";

export const readTune = systemEndpoint({
  id: "readTune",
  at: ["GET /mounts/:path+/tune"],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Reads the settings of a mount, including its effective lifetimes.",
  body: {},
  reply: tuneReply,
  refuses: ["no_mount"],
  run: async (deployment, { path }) => {
    const { mount: row } = await (await tuned(deployment, path)).config();
    const ttls = effectiveTtls(row);
    const { partitions: _, ...settings } = row.config;
    return {
      description: row.description,
      ...settings,
      default_lease_ttl: ttls.default,
      max_lease_ttl: ttls.max,
      ...(row.options ? { options: row.options } : {}),
    };
  },
});
async function tuned(deployment: Deployment, path: string) {
  const mount = await mountAt(deployment, path);
  if (!mount)
    throw new CaError("no_mount", `cannot fetch sysview for path "${trimTrailingSlashes(path)}/"`);
  return mount;
}

export const writeTune = systemEndpoint({
  id: "writeTune",
  at: ["POST /mounts/:path+/tune"],
  access: "token",
  style: envelope,
  doc: "Updates the given settings of a mount.",
  body: tuneFields,
  // only login methods have token_type
  ignores: ["force_no_cache", "token_type"],
  reply: {},
  refuses: ["no_mount", "malformed", "invalid_field"],
  run: async (deployment, { path, description, options, ...changes }) => {
    const mount = await tuned(deployment, path);
    await mount.configure((config) => {
      const current = config.mount;
      const next = withoutEmpty({ ...current.config, ...readConfig(changes) });
      checkTtls(next);
      const row: MountRow = {
        ...current,
        description: description ?? current.description,
        options: changedOptions(options, current.options),
        config: next,
      };
      return {
        reply: undefined,
        batch: { expect: [[mountKey, config.mountRev]], put: [[mountKey, row]] },
      };
    });
    return undefined;
  },
});
