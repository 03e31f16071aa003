import { pauseForm } from "../../base/forms.ts";
import { tidyDefaults, type TidySettings } from "./settings.ts";
import {
  type Field,
  flag,
  flagOrNull,
  withNormalForm,
  int,
  intOrNull,
  seconds,
  signedSeconds,
  text,
  textOrNull,
} from "../../wire/field.ts";

/**
 * Documentation of the sweeps, in the order in which errors and warnings list their names (B 3.1).
 */
const sweepDocs = {
  tidy_cert_store: "Remove certificates that expired more than `safety_buffer` ago.",
  tidy_revoked_certs:
    "Remove revoked certificates that expired more than `revoked_safety_buffer` ago, with their CRL entries.",
  tidy_revoked_cert_issuer_associations:
    "Find a matching issuer for revoked certificates whose issuer is unknown or was deleted.",
  tidy_expired_issuers:
    "Remove issuers that expired more than `issuer_safety_buffer` ago, except the default issuer. Keeps their keys.",
  tidy_move_legacy_ca_bundle: "Accepted for compatibility; this server has no legacy CA bundle.",
  tidy_revocation_queue:
    "Remove queued revocation requests older than `revocation_queue_safety_buffer`.",
  tidy_cross_cluster_revoked_certs:
    "Accepted for compatibility; there is only one cluster, which `tidy_revoked_certs` covers.",
  tidy_acme:
    "Remove ACME orders whose certificates expired more than `safety_buffer` ago, and accounts and external account bindings that have been unused for longer than `acme_account_safety_buffer`.",
  tidy_cert_metadata:
    "Remove the metadata of certificates that expired more than `safety_buffer` ago.",
  tidy_cmpv2_nonce_store: "Accepted for compatibility; this server has no CMP nonces.",
  tidy_invalid_certs: "Remove stored certificates that are damaged or cannot be parsed.",
} as const;
/** The name of a sweep. */
export type SweepName = keyof typeof sweepDocs;
/** Names of all sweeps. */
export const sweepNames =
  // sweepDocs has an entry for each name
  Object.keys(sweepDocs) as readonly SweepName[];
/** Names of all sweeps as one string, for errors and warnings. */
export const sweepList = sweepNames.join(" / ");

const bufferDocs = {
  safety_buffer: "Time after its expiry at which a certificate is removed.",
  issuer_safety_buffer: "Time after its expiry at which an issuer is removed.",
  acme_account_safety_buffer: "Time for which an unused ACME account is kept.",
  revocation_queue_safety_buffer: "Time for which a queued revocation request is kept.",
} as const;
type BufferName = keyof typeof bufferDocs;

/** Returns a record with a field for each name in `docs`. */
function each<K extends string, T>(
  docs: Readonly<Record<K, string>>,
  make: (doc: string, name: K) => T,
): Readonly<Record<K, T>> {
  // the record has the names in docs
  return Object.fromEntries(
    Object.entries<string>(docs).map(([name, doc]) => [name, make(doc, name as K)]),
  ) as Record<K, T>;
}
const revokedBufferDoc =
  "Time after its expiry at which a revoked certificate is removed; by default `safety_buffer`.";
const pauseDoc = "Pause between two steps of a run, such as `250ms` or `1m30s`.";
const pageDoc = "Number of entries per step, at least 5. Values above 500 count as 500.";

/** Request fields of a tidy run. Absent fields have defaults. */
export const tidyFields = {
  ...each<SweepName, Field<boolean, false>>(sweepDocs, (doc) => flag.default(false, doc)),
  tidy_revocation_list: flag.alias("tidy_revoked_certs"),
  ...each<BufferName, Field<number, false>>(bufferDocs, (doc, name) =>
    signedSeconds.default(tidyDefaults[name], doc),
  ),
  revoked_safety_buffer: signedSeconds.optional(revokedBufferDoc),
  pause_duration: withNormalForm(text, pauseForm).default(tidyDefaults.pause_duration, pauseDoc),
  page_size: int.default(tidyDefaults.page_size, pageDoc),
} as const;
/** Request fields of a configuration change. Absent fields stay unchanged. */
export const tidyChanges = {
  ...each<SweepName, Field<boolean | undefined, false>>(sweepDocs, (doc) => flag.optional(doc)),
  tidy_revocation_list: flag.alias("tidy_revoked_certs"),
  ...each<BufferName, Field<number | undefined, false>>(bufferDocs, (doc) =>
    signedSeconds.optional(doc),
  ),
  revoked_safety_buffer: signedSeconds.optional(revokedBufferDoc),
  pause_duration: withNormalForm(text, pauseForm).optional(pauseDoc),
  page_size: int.optional(pageDoc),
} as const;
/** Reply members with the settings in a configuration. */
export const tidyReply = {
  ...each<SweepName, Field<boolean, true>>(sweepDocs, (doc) => flag.required(doc)),
  ...each<BufferName, Field<number, true>>(bufferDocs, (doc) => seconds.required(doc)),
  revoked_safety_buffer: seconds.required(revokedBufferDoc),
  pause_duration: text.required(pauseDoc),
  page_size: int.required(pageDoc),
} as const;
/** Reply members with the settings of a run in its status, which are null before the first run. */
export const tidyStatusReply = {
  ...each<SweepName, Field<boolean | null, true>>(sweepDocs, (doc) => flagOrNull.required(doc)),
  ...each<BufferName, Field<number | null, true>>(bufferDocs, (doc) => intOrNull.required(doc)),
  revoked_safety_buffer: intOrNull.required(revokedBufferDoc),
  pause_duration: textOrNull.required(pauseDoc),
  page_size: intOrNull.required(pageDoc),
} as const;

/** Returns the settings of a run for a response, with `revoked_safety_buffer` resolved. */
export const toSettingsReply = (
  settings: TidySettings,
): TidySettings & { readonly revoked_safety_buffer: number } => ({
  ...settings,
  revoked_safety_buffer: settings.revoked_safety_buffer ?? settings.safety_buffer,
});

/**
 * Names of the settings for the minimum age of data to remove. The age must be at least a second
 * (B 3.1, B 3.2).
 */
export const safetyBuffers = [
  "safety_buffer",
  "revoked_safety_buffer",
  "issuer_safety_buffer",
  "acme_account_safety_buffer",
] as const;
