import { rfc3339 } from "../../base/duration.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { intOrNull, text, textOrNull, type Field, type Parsed } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { shownSettings, tidyStatusReply } from "./fields.ts";
import { noTidyCounts, storedTidy, tidyKeys, type TidyCounts, type TidyRow } from "./records.ts";
import { readRun } from "./run.ts";

const countDocs: Readonly<Record<keyof TidyCounts, string>> = {
  cert_store_deleted_count: "Certificates that were removed.",
  revoked_cert_deleted_count: "Revocations that were removed.",
  missing_issuer_cert_count: "Revocations whose issuer was not known or no longer here.",
  revocation_queue_deleted_count: "Revocation requests that were removed.",
  cross_revoked_cert_deleted_count: "Revocations of other clusters that were removed.",
  cert_metadata_deleted_count: "Records of metadata that were removed.",
  cmpv2_nonce_deleted_count: "CMP nonces that were removed.",
  total_acme_account_count: "ACME accounts that were looked at.",
  acme_account_deleted_count: "ACME accounts that were removed.",
  acme_account_revoked_count: "ACME accounts that were revoked.",
  acme_orders_deleted_count: "ACME orders that were removed.",
};
// the names are those of the object above
const countNames = Object.keys(countDocs) as readonly (keyof TidyCounts)[];
const countReply = Object.fromEntries(
  countNames.map((name) => [name, intOrNull.required(countDocs[name])]),
) as Readonly<Record<keyof TidyCounts, Field<number | null, true>>>;

/** Reply fields of the status (B 3.3). */
export const statusReply = {
  state: text.required(
    "`Inactive`, `Running`, `Finished`, `Error`, `Cancelling` or `Cancelled`: of the run that is under way, else of the last one.",
    ["Inactive", "Running", "Finished", "Error", "Cancelling", "Cancelled"],
  ),
  ...tidyStatusReply,
  error: textOrNull.required("What ended the run."),
  message: textOrNull.required("What the run is doing; null when it has ended."),
  time_started: textOrNull.required("When the run began, RFC 3339."),
  time_finished: textOrNull.required("When the run ended, RFC 3339."),
  last_auto_tidy_finished: textOrNull.required("When an automatic run ended last, RFC 3339."),
  ...countReply,
  current_cert_store_count: intOrNull.required(
    "How many certificates are stored, while `maintain_stored_certificate_counts` is set: as counted after the last run, and each hour.",
  ),
  current_revoked_cert_count: intOrNull.required("How many of them are revoked, likewise."),
  certificate_counting_error: text.optional("Why there are no counts yet."),
  internal_backend_uuid: text.required("The mount's uuid."),
} as const;

export const tidyStatus = endpoint({
  id: "tidyStatus",
  at: ["GET /tidy-status"],
  access: "token",
  style: envelope,
  doc: "Tells how far tidy is, or how it ended last.",
  body: {},
  reply: statusReply,
  run: async (ca) => statusOf(ca, await ca.config(), (await readRun(ca))?.value),
});

/** Returns the status of a run; `Inactive` if there was none. */
export async function statusOf(
  ca: Mount,
  config: Snapshot,
  run: TidyRow | undefined,
): Promise<Parsed<typeof statusReply>> {
  const time = (at: number | null | undefined) =>
    at === null || at === undefined ? null : rfc3339(Math.floor(at / 1000));
  return {
    state: run?.state ?? "Inactive",
    ...(run ? shownSettings(run.settings) : nothing(tidyStatusReply)),
    error: run?.error ?? null,
    message: run?.message ?? null,
    time_started: time(run?.started),
    time_finished: time(run?.finished),
    last_auto_tidy_finished: time(run?.last_auto),
    ...(run ? run.counts : nothing(noTidyCounts)),
    ...(await totals(ca, config)),
    internal_backend_uuid: ca.name,
  };
}
/** Returns null for each name. */
const nothing = <K extends string>(named: Readonly<Record<K, unknown>>): Record<K, null> =>
  // the names are the given ones
  Object.fromEntries(Object.keys(named).map((name) => [name, null])) as Record<K, null>;

async function totals(ca: Mount, { autoTidy }: Snapshot) {
  const none = { current_cert_store_count: null, current_revoked_cert_count: null };
  if (!autoTidy.maintain_stored_certificate_counts) return none;
  const [row] = await ca.store.get([tidyKeys.totals]);
  if (!row)
    return { ...none, certificate_counting_error: "the certificates have not been counted yet" };
  const { certs, revoked } = storedTidy.totals(row.value);
  return { current_cert_store_count: certs, current_revoked_cert_count: revoked };
}
