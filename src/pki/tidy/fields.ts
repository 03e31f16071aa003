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

/** The sweeps, in the order of their names in errors and warnings (B 3.1). */
const sweepDocs = {
  tidy_cert_store: "Remove certificates that expired more than `safety_buffer` ago.",
  tidy_revoked_certs:
    "Remove revoked certificates, and their CRL entries, that expired more than `revoked_safety_buffer` ago.",
  tidy_revoked_cert_issuer_associations:
    "Find the issuers of revoked certificates whose issuer is unknown or was deleted.",
  tidy_expired_issuers:
    "Remove issuers that expired more than `issuer_safety_buffer` ago, except the default issuer; keys are kept.",
  tidy_move_legacy_ca_bundle: "Accepted for compatibility; there is no such bundle.",
  tidy_revocation_queue: "Remove queued revocations older than `revocation_queue_safety_buffer`.",
  tidy_cross_cluster_revoked_certs:
    "Accepted for compatibility; `tidy_revoked_certs` covers the only cluster.",
  tidy_acme:
    "Remove ACME orders whose certificates expired more than `safety_buffer` ago, and accounts and bindings unused for longer than `acme_account_safety_buffer`.",
  tidy_cert_metadata:
    "Remove the metadata of certificates that expired more than `safety_buffer` ago.",
  tidy_cmpv2_nonce_store: "Accepted for compatibility; there are no CMP nonces.",
  tidy_invalid_certs: "Remove stored certificates that are damaged or unreadable.",
} as const;
/** The name of a sweep. */
export type SweepName = keyof typeof sweepDocs;
/** The names of all sweeps. */
export const sweepNames =
  // those of the object above
  Object.keys(sweepDocs) as readonly SweepName[];
/** All names, for errors and warnings. */
export const sweepList = sweepNames.join(" / ");

const bufferDocs = {
  safety_buffer: "How long after expiry a certificate is removed.",
  issuer_safety_buffer: "How long after expiry an issuer is removed.",
  acme_account_safety_buffer: "How long an unused ACME account is kept.",
  revocation_queue_safety_buffer: "How long a queued revocation is kept.",
} as const;
type BufferName = keyof typeof bufferDocs;

/** Returns a record with a field for each name. */
function each<K extends string, T>(
  docs: Readonly<Record<K, string>>,
  make: (doc: string, name: K) => T,
): Readonly<Record<K, T>> {
  // the names are those of the docs
  return Object.fromEntries(
    Object.entries<string>(docs).map(([name, doc]) => [name, make(doc, name as K)]),
  ) as Record<K, T>;
}
const revokedBufferDoc =
  "How long after expiry a revoked certificate is removed; default: `safety_buffer`.";
const pauseDoc = "Pause between two steps, such as `250ms` or `1m30s`.";
const pageDoc = "Number of entries per step: at least 5; values above 500 count as 500.";

/** Fields of a requested tidy; absent ones have defaults. */
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
/** Fields of a change; absent ones stay unchanged. */
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
/** Fields in the reply of a configuration. */
export const tidyReply = {
  ...each<SweepName, Field<boolean, true>>(sweepDocs, (doc) => flag.required(doc)),
  ...each<BufferName, Field<number, true>>(bufferDocs, (doc) => seconds.required(doc)),
  revoked_safety_buffer: seconds.required(revokedBufferDoc),
  pause_duration: text.required(pauseDoc),
  page_size: int.required(pageDoc),
} as const;
/** Fields in the reply of a status: null before the first run. */
export const tidyStatusReply = {
  ...each<SweepName, Field<boolean | null, true>>(sweepDocs, (doc) => flagOrNull.required(doc)),
  ...each<BufferName, Field<number | null, true>>(bufferDocs, (doc) => intOrNull.required(doc)),
  revoked_safety_buffer: intOrNull.required(revokedBufferDoc),
  pause_duration: textOrNull.required(pauseDoc),
  page_size: intOrNull.required(pageDoc),
} as const;

/** Returns settings for a reply. */
export const toSettingsReply = (
  settings: TidySettings,
): TidySettings & { readonly revoked_safety_buffer: number } => ({
  ...settings,
  revoked_safety_buffer: settings.revoked_safety_buffer ?? settings.safety_buffer,
});

/**
 * Settings with the minimum age of removed data, which must be at least a second (B 3.1, B 3.2).
 */
export const safetyBuffers = [
  "safety_buffer",
  "revoked_safety_buffer",
  "issuer_safety_buffer",
  "acme_account_safety_buffer",
] as const;
