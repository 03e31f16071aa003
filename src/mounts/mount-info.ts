import type { MethodRow } from "../auth/rows/method-records.ts";
import type { MountRow } from "../engine/mount-records.ts";
import { flag, mapOf, type Parsed, text, textsOrNull } from "../wire/field.ts";
import { replySettings } from "./mount-config.ts";

/** The fields of a mount in responses (P 9.3). */
export const mountFields = {
  type: text.required("Type of secrets engine: `pki`."),
  description: text.required("Description of the mount."),
  accessor: text.required("Accessor, which is another permanent identifier of the mount."),
  local: flag.required(
    "Whether the mount is local, that is, without unified or cross-cluster revocation.",
  ),
  seal_wrap: flag.required("Stored and returned, but has no effect."),
  external_entropy_access: flag.required("Stored and returned, but has no effect."),
  options: textsOrNull.required("The stored options, or null."),
  uuid: text.required("ID of the mount."),
  plugin_version: text.required("Always empty."),
  running_plugin_version: text.required("Version of the secrets engine."),
  running_sha256: text.required("Always empty."),
  deprecation_status: text.required("Always `supported`."),
  config: mapOf(replySettings).required(
    "Settings of the mount. Lifetimes are in seconds; 0 means the system default.",
  ),
} as const;
/** Returns a mount, formatted for responses. */
export const mountInfo = (row: MountRow): Parsed<typeof mountFields> => ({
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
/** Returns a login method, formatted for responses. */
export const methodInfo = (row: MethodRow): Parsed<typeof mountFields> => ({
  ...mountInfo(row),
  config: { ...row.config, token_type: row.config.token_type ?? "default-service" },
});
