import { tidyDefaults, type TidySettings } from "./settings.ts";
import { rowReader } from "../../engine/row-reader.ts";

/** The state of a tidy run (B 3.3); a mount without a row is inactive. */
type TidyState = "Running" | "Finished" | "Error" | "Cancelling" | "Cancelled";
/** The counts of a tidy run. */
export interface TidyCounts {
  readonly cert_store_deleted_count: number;
  readonly revoked_cert_deleted_count: number;
  readonly missing_issuer_cert_count: number;
  readonly revocation_queue_deleted_count: number;
  readonly cross_revoked_cert_deleted_count: number;
  readonly cert_metadata_deleted_count: number;
  readonly cmpv2_nonce_deleted_count: number;
  readonly total_acme_account_count: number;
  readonly acme_account_deleted_count: number;
  readonly acme_account_revoked_count: number;
  readonly acme_orders_deleted_count: number;
}
/** The current tidy run, or else the last one; times in Unix milliseconds. */
export interface TidyRow {
  readonly state: TidyState;
  readonly settings: TidySettings;
  /** True if it was started on schedule. */
  readonly automatic: boolean;
  readonly started: number;
  /** null while it runs. */
  readonly finished: number | null;
  /** End of the last automatic run. */
  readonly last_auto: number | null;
  readonly error: string | null;
  readonly message: string | null;
  /** Name of the current sweep; "" before the first. */
  readonly stage: string;
  /** Progress of that sweep; absent at its start. */
  readonly at?: unknown;
  readonly counts: TidyCounts;
}
/** Numbers of stored certificates, as last counted. */
export interface TidyTotalsRow {
  readonly certs: number;
  readonly revoked: number;
}

/** Keys of tidy's own rows. */
export const tidyKeys = {
  run: "tidy/run",
  totals: "tidy/totals",
  /** Marker that all revocations, including older ones, are indexed by expiry. */
  ends: "tidy/ends",
} as const;

/** Counts of a new run. */
export const noTidyCounts: TidyCounts = {
  cert_store_deleted_count: 0,
  revoked_cert_deleted_count: 0,
  missing_issuer_cert_count: 0,
  revocation_queue_deleted_count: 0,
  cross_revoked_cert_deleted_count: 0,
  cert_metadata_deleted_count: 0,
  cmpv2_nonce_deleted_count: 0,
  total_acme_account_count: 0,
  acme_account_deleted_count: 0,
  acme_account_revoked_count: 0,
  acme_orders_deleted_count: 0,
};
/** Readers of these rows. */
export const storedTidy = {
  run: rowReader<TidyRow>({
    state: "Finished",
    settings: tidyDefaults,
    automatic: false,
    started: 0,
    finished: null,
    last_auto: null,
    error: null,
    message: null,
    stage: "",
    counts: noTidyCounts,
  }),
  totals: rowReader<TidyTotalsRow>({ certs: 0, revoked: 0 }),
} as const;
