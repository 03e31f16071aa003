import { CaError } from "../base/errors.ts";
import { uuid } from "../base/ids.ts";
import type { Mount } from "../engine/mount.ts";
import type { LogEntry } from "../engine/ports.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { generateKey } from "../keys/generate.ts";
import { sealedKey } from "../pki/rows/key-row.ts";
import { keys, type KeyId, type KeyRow } from "../pki/rows/records.ts";
import { clusterConfig } from "../pki/rows/settings.ts";
import { endpoint } from "../wire/endpoint.ts";
import { flag, text, type Parsed } from "../wire/field.ts";
import { envelope } from "../wire/style.ts";
import { noteKeyOf } from "./checkpoint.ts";
import { entryContents, logConfig, logKeys, type LogConfig } from "./rows/records.ts";
import { markEntry } from "./rows/new-entry.ts";
import { sequencingJob, withEntries } from "./rows/signed.ts";
import { newTree } from "./sequence.ts";
import type { LogMark } from "./tree/entry.ts";
import { encodeVerifierKey, isNoteName } from "./tree/note.ts";
import {
  changedWitnesses,
  lastAttempt,
  sendsWitnesses,
  witnessFields,
  witnessOutput,
  witnessReply,
} from "./witness-fields.ts";

const reply = {
  enabled: flag.required("Whether every use of the mount's keys is logged."),
  origin: text.required("Name of the log in checkpoints; empty until the log is first enabled."),
  public: flag.required("Whether callers without a token may read the log."),
  entries: text.required("Content of new entries: `full` or `hashes`.", entryContents),
  verifier_key: text.required(
    "Verifier key for checkpoints (C2SP signed-note); empty until the log is first enabled.",
  ),
  ...witnessReply,
} as const;
const configOutput = (log: LogConfig): Parsed<typeof reply> => {
  const { key, origin, enabled, public: isPublic, entries } = log;
  return {
    enabled,
    origin,
    public: isPublic,
    entries,
    verifier_key: key ? encodeVerifierKey(noteKeyOf({ origin, key })) : "",
    ...witnessOutput(log),
  };
};

export const readLogConfig = endpoint({
  id: "readLogConfig",
  at: ["GET /config/log"],
  access: "token",
  style: envelope,
  doc: "Reads the settings of the mount's log.",
  body: {},
  reply,
  run: async (mount) => {
    const config = await mount.config();
    return { ...configOutput(config.get(logConfig)), ...(await lastAttempt(mount, config)) };
  },
});

export const writeLogConfig = endpoint({
  id: "writeLogConfig",
  at: ["POST /config/log"],
  access: "token",
  style: envelope,
  doc: "Updates the given settings of the mount's log. Enabling the log for the first time creates its key. Disabling the log keeps the tree, which continues when the log is enabled again. The log records when it is enabled or disabled, and changes to `entries`.",
  body: {
    enabled: flag.optional("Whether every use of the mount's keys is logged."),
    origin: text.optional(
      "Name of the log, such as `ca.example.com/v1/pki/log`. By default, the cluster path of the mount. The name cannot be changed later.",
    ),
    public: flag.optional("Whether callers without a token may read the log."),
    entries: text.optional(
      "Content of new entries: `full` for the signed certificates and CSRs, `hashes` for only their SHA-256.",
      entryContents,
    ),
    ...witnessFields,
  },
  reply,
  refuses: ["invalid_field", "malformed", "conflict"],
  audits: { plain: ["enabled", "public", "witnesses_required"], always: true },
  run: async (mount, input) => {
    const keyFor = newKeyOnce(mount);
    return mount.configure(async (config) => {
      const current = config.get(logConfig);
      const entries = entryContents.find((one) => one === input.entries) ?? current.entries;
      const requested = {
        ...current,
        entries,
        enabled: input.enabled ?? current.enabled,
        public: input.public ?? current.public,
        origin: originFor(config, current, input.origin, input.enabled === true),
        ...changedWitnesses(mount, current, input),
      };
      const { key = requested.enabled ? await keyFor() : undefined, ...rest } = requested;
      const next: LogConfig = key ? { ...rest, key } : rest;
      const id = keys.config("log");
      const now = mount.ports.now();
      const change = {
        expect: [[id, config.rev(id)]] as const,
        put: [[id, next] as const, ...(sendsWitnesses(input) ? [sequencingJob(now)] : [])],
        // a change of the witnesses ends the backoff
        del: sendsWitnesses(input) ? [logKeys.witnesses] : [],
      };
      const added = marksOf(current, next, now);
      if (added.length > 0)
        return { reply: configOutput(next), batch: withEntries(change, added, now) };
      if (current.key || !key) return { reply: configOutput(next), batch: change };
      const tree = await newTree(mount, { ...next, key });
      return {
        reply: configOutput(next),
        batch: {
          ...change,
          expect: [...change.expect, ...tree.expect],
          put: [...change.put, ...tree.put],
        },
      };
    });
  },
});

/**
 * Returns the log entries that record a change of settings, if the change affects the meaning of
 * later entries.
 */
function marksOf({ key, ...from }: LogConfig, to: LogConfig, now: number): readonly LogEntry[] {
  if (!key) return [];
  const marks: LogMark[] = [];
  if (from.enabled !== to.enabled) marks.push(to.enabled ? "enabled" : "disabled");
  if (from.entries !== to.entries) marks.push(to.entries);
  return marks.map((mark) => markEntry(mark, key.spki, now));
}

/**
 * Returns a function that generates a log's key on its first call, and returns the same key
 * afterwards.
 */
function newKeyOnce(mount: Mount): () => Promise<KeyRow> {
  let generated: Promise<KeyRow> | undefined;
  return () => (generated ??= newKey(mount));
}
async function newKey({ name, ports }: Mount): Promise<KeyRow> {
  const { spki, pkcs8 } = await generateKey("ed25519", 0, ports);
  const id: KeyId = uuid(ports.random);
  const sealed = await sealedKey(ports.vault, name, id, pkcs8);
  return { id, name: "", type: "ed25519", bits: 0, spki, sealed };
}

/**
 * Returns the log's origin. Throws `conflict` if the request changes the origin of a log that has a
 * key, and `malformed` if the origin is invalid, or if it is missing and there is no default.
 */
function originFor(
  config: Snapshot,
  { origin, key }: LogConfig,
  requested: string | undefined,
  isEnabling: boolean,
): string {
  if (key && requested !== undefined && requested !== origin)
    throw new CaError(
      "conflict",
      `origin: the log is ${origin}; its name cannot be changed, because monitors identify the log by it`,
    );
  if (key || (requested === undefined && !isEnabling)) return origin;
  const name = requested ?? (origin || defaultOrigin(config));
  if (!isNoteName(name))
    throw new CaError(
      "malformed",
      name === ""
        ? "origin: required, because the mount has no cluster path: set it to the URL of the log without https://"
        : `origin: expected 1 to 255 printable ASCII characters other than space and plus, got ${JSON.stringify(name.slice(0, 64))}`,
    );
  return name;
}
const defaultOrigin = (config: Snapshot): string => {
  const { path } = config.get(clusterConfig);
  return path === "" ? "" : `${path.replace(/^https?:\/\//, "").replace(/\/+$/, "")}/log`;
};
