import { toBase64Url } from "../../base/bytes.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { acmeKeys, type BindingLimits, type EabRow } from "../rows/records.ts";
import { type Caller, endpoint } from "../../wire/endpoint.ts";
import { type Parsed, secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { aimOf, type Directory } from "../protocol/directory.ts";
import { acmePaths } from "../protocol/paths.ts";
import { acmeMac } from "../protocol/secret.ts";
import { limitFields, readLimits, requireRole } from "./binding-fields.ts";
import { eabKey } from "./eab-key.ts";

/** Loads the audit module on first use. */
const audit = () => import("../../wire/audited-run.ts");

/** Reply fields of every binding. */
export const eabReply = {
  key_type: text.required("Key type: always `hs`, an HMAC key."),
  acme_directory: text.required(
    "Path of the directory, relative to the mount, such as `roles/web/acme/directory`. No other directory accepts the key.",
  ),
  created_on: text.required("Time at which the key was created, RFC 3339."),
} as const;

export const newEab = endpoint({
  id: "newEab",
  at: acmePaths("POST /new-eab"),
  access: "token",
  style: envelope,
  doc: "Creates an external account binding key that one ACME account, or `max_uses` accounts, can use to register in this directory, but in no other. The limits apply to these accounts as long as they exist. ACME need not be enabled yet.",
  body: limitFields,
  reply: {
    id: text.required("Key identifier to configure in the ACME client."),
    key_type: eabReply.key_type,
    key: secret.required(
      "HMAC key to configure in the ACME client: 32 bytes, base64url. Returned only once.",
    ),
    acme_directory: eabReply.acme_directory,
    created_on: eabReply.created_on,
  },
  refuses: ["invalid_field", "malformed", "invalid_profile", "forbidden"],
  run: (mount, input, caller) =>
    mount.decide(async (config) => {
      const now = Math.floor(mount.ports.now() / 1000);
      const id = uuid(mount.ports.random);
      const { directory } = aimOf(config, caller.path);
      const limits = await newLimits({ config, caller, directory }, input, now);
      const row: EabRow = {
        directory: directory.prefix,
        created: now,
        owner: (await audit()).ownerName(caller.identity),
        ...(limits ? { limited: true } : {}),
      };
      const mac = await acmeMac(mount, config, "eab");
      const reply = {
        id,
        key_type: "hs",
        key: toBase64Url(await eabKey(mac, id)),
        acme_directory: `${row.directory}/directory`,
        created_on: rfc3339(now),
      };
      await caller.reply.wrapReply?.(reply);
      return {
        reply,
        batch: {
          expect: [[acmeKeys.eab(id), null]],
          put: [
            [acmeKeys.eab(id), row],
            ...(limits ? [[acmeKeys.binding(id), { ...row, ...limits }] as const] : []),
          ],
        },
      };
    }),
});

/** The context of a request that creates a binding. */
interface Creating {
  readonly config: Snapshot;
  readonly caller: Caller;
  readonly directory: Directory;
}
/**
 * Returns the limits of a new binding, or undefined if it has none. Preauthorization requires sudo,
 * because a caller who may only create bindings must not authorize names.
 */
async function newLimits(
  { config, caller, directory }: Creating,
  { role, ...input }: Parsed<typeof limitFields>,
  now: number,
): Promise<BindingLimits | undefined> {
  // in a role's directory, `role` comes from the path and is not a limit
  const limits = readLimits({ ...input, role: directory.role === undefined ? role : "" }, now);
  const { preauthorized = false, max_uses = 1 } = limits;
  if (!preauthorized && Object.keys(limits).every((name) => name === "preauthorized"))
    return undefined;
  if (limits.role !== undefined) await requireRole(config, directory, limits.role);
  if (preauthorized && !limits.allowed_identifiers)
    throw new CaError("invalid_field", "preauthorized requires allowed_identifiers");
  if (preauthorized) await requireSudo(config, caller);
  return { ...limits, preauthorized, max_uses };
}
/**
 * Throws `forbidden` if the caller lacks sudo on the request's path, in the form that policies
 * evaluate.
 */
async function requireSudo({ mount }: Snapshot, caller: Caller): Promise<void> {
  const sent = decodeURIComponent(`${mount.path}${caller.path}`);
  const { path, forms } = (await caller.policyTargetAt?.(sent, "POST")) ?? { path: sent };
  if (!caller.identity.can("sudo", path, forms))
    throw new CaError("forbidden", `preauthorized requires the sudo capability on ${path}`);
}
