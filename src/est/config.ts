import { estConfig, type EstConfig } from "./settings.ts";
import { rfc3339nano } from "../base/duration.ts";
import { endpoint } from "../wire/endpoint.ts";
import type { Parsed } from "../wire/field.ts";
import { envelope } from "../wire/style.ts";
import { body, reply } from "./config-fields.ts";

const configOutput = (config: EstConfig): Parsed<typeof reply> => ({
  ...config,
  authenticators: { ...config.authenticators },
  last_updated:
    config.last_updated === 0 ? "0001-01-01T00:00:00Z" : rfc3339nano(config.last_updated),
});

export const readEstConfig = endpoint({
  id: "readEstConfig",
  at: ["GET /config/est"],
  access: "token",
  style: envelope,
  doc: "Reads the EST configuration of the mount.",
  body: {},
  reply,
  run: async (mount, _, caller) => {
    const config = await mount.config();
    const { configWarnings } = await import("./checks.ts");
    for (const doubt of await configWarnings(config, caller.detached())) caller.reply.warn(doubt);
    return configOutput(config.get(estConfig));
  },
});

export const writeEstConfig = endpoint({
  id: "writeEstConfig",
  at: ["POST /config/est"],
  access: "token",
  style: envelope,
  doc: "Updates the EST configuration; fields that are absent stay unchanged.",
  body,
  reply,
  refuses: ["invalid_field", "malformed", "already_exists"],
  run: async (mount, input, caller) =>
    configOutput(await (await import("./change.ts")).changeConfig(mount, input, caller)),
});
