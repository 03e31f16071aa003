import { autoTidyConfig } from "./settings.ts";
import { rfc3339 } from "../../base/duration.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { intOrNull, text, textOrNull, type Field, type Parsed } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { toSettingsReply, tidyStatusReply } from "./fields.ts";
import { noTidyCounts, storedTidy, tidyKeys, type TidyCounts, type TidyRow } from "./records.ts";
import { readRun } from "./run.ts";

const countDocs: Readonly<Record<keyof TidyCounts, string>> = {
  cert_store_deleted_count: "Number of removed certificates.",
  revoked_cert_deleted_count: "Number of removed revocations.",
  missing_issuer_cert_count: "Number of revocations whose issuer was unknown or deleted.",
  revocation_queue_deleted_count: "Number of removed revocation requests.",
  cross_revoked_cert_deleted_count: "Number of removed revocations of other clusters.",
  cert_metadata_deleted_count: "Number of removed metadata records.",
  cmpv2_nonce_deleted_count: "Number of removed CMP nonces.",
  total_acme_account_count: "Number of checked ACME accounts.",
  acme_account_deleted_count: "Number of removed ACME accounts.",
  acme_account_revoked_count: "Number of ACME accounts that were revoked because they are unused.",
  acme_orders_deleted_count: "Number of removed ACME orders.",
};
// countDocs has an entry for each count
const countNames = Object.keys(countDocs) as readonly (keyof TidyCounts)[];
const countReply = Object.fromEntries(
  countNames.map((name) => [name, intOrNull.required(countDocs[name])]),
) as Readonly<Record<keyof TidyCounts, Field<number | null, true>>>;

/** Response fields of the tidy status (B 3.3). */
export const statusReply = {
  state: text.required(
    "State of the current or last run: `Inactive`, `Running`, `Finished`, `Error`, `Cancelling` or `Cancelled`.",
    ["Inactive", "Running", "Finished", "Error", "Cancelling", "Cancelled"],
  ),
  ...tidyStatusReply,
  error: textOrNull.required("Error message, if an error ended the run; otherwise null."),
  message: textOrNull.required("Description of the current activity; null after the run."),
  time_started: textOrNull.required("Start of the run, RFC 3339."),
  time_finished: textOrNull.required("End of the run, RFC 3339."),
  last_auto_tidy_finished: textOrNull.required("End of the last automatic run, RFC 3339."),
  ...countReply,
  current_cert_store_count: intOrNull.required(
    "Number of stored certificates, if `maintain_stored_certificate_counts` is set. Counted after each run and hourly.",
  ),
  current_revoked_cert_count: intOrNull.required(
    "Number of revoked certificates, if `maintain_stored_certificate_counts` is set. Counted after each run and hourly.",
  ),
  certificate_counting_error: text.optional("Explains why the counts are not yet available."),
  internal_backend_uuid: text.required("UUID of the mount."),
} as const;

export const tidyStatus = endpoint({
  id: "tidyStatus",
  at: ["GET /tidy-status"],
  access: "token",
  style: envelope,
  doc: "Returns the progress of the current tidy run, or the result of the last one.",
  body: {},
  reply: statusReply,
  run: async (mount) => statusOf(mount, await mount.config(), (await readRun(mount))?.value),
});

/** Returns the response with the status of a run, or with `Inactive` if there was none. */
export async function statusOf(
  mount: Mount,
  config: Snapshot,
  run: TidyRow | undefined,
): Promise<Parsed<typeof statusReply>> {
  const time = (at: number | null | undefined) =>
    at === null || at === undefined ? null : rfc3339(Math.floor(at / 1000));
  return {
    state: run?.state ?? "Inactive",
    ...(run ? toSettingsReply(run.settings) : nothing(tidyStatusReply)),
    error: run?.error ?? null,
    message: run?.message ?? null,
    time_started: time(run?.started),
    time_finished: time(run?.finished),
    last_auto_tidy_finished: time(run?.last_auto),
    ...(run ? run.counts : nothing(noTidyCounts)),
    ...(await totals(mount, config)),
    internal_backend_uuid: mount.name,
  };
}
/** Returns a record with the value null for each name. */
const nothing = <K extends string>(named: Readonly<Record<K, unknown>>): Record<K, null> =>
  // the record has the names in `named`
  Object.fromEntries(Object.keys(named).map((name) => [name, null])) as Record<K, null>;

async function totals(mount: Mount, config: Snapshot) {
  const none = { current_cert_store_count: null, current_revoked_cert_count: null };
  if (!config.get(autoTidyConfig).maintain_stored_certificate_counts) return none;
  const [row] = await mount.store.get([tidyKeys.totals]);
  if (!row)
    return { ...none, certificate_counting_error: "the certificates have not been counted yet" };
  const { certs, revoked } = storedTidy.totals(row.value);
  return { current_cert_store_count: certs, current_revoked_cert_count: revoked };
}
