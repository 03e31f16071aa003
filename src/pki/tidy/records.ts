import { tidyDefaults, type TidySettings } from "./settings.ts";
import { rowReader } from "../../engine/row-reader.ts";

/** The state of a tidy run (B 3.3). A mount that stores no run is inactive. */
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
/** The current tidy run, or else the last one. Times are in Unix milliseconds. */
export interface TidyRow {
  readonly state: TidyState;
  readonly settings: TidySettings;
  /** Whether the run was started by the schedule, not by a request. */
  readonly automatic: boolean;
  readonly started: number;
  /** End of the run; null while it is active. */
  readonly finished: number | null;
  /** End of the last automatic run. */
  readonly last_auto: number | null;
  readonly error: string | null;
  readonly message: string | null;
  /** Name of the current sweep; "" before the first sweep. */
  readonly stage: string;
  /** Progress of the current sweep; absent at its start. */
  readonly at?: unknown;
  readonly counts: TidyCounts;
}
/** Numbers of stored and revoked certificates, as last counted. */
export interface TidyTotalsRow {
  readonly certs: number;
  readonly revoked: number;
}

/** Keys of the rows in which tidy stores its own state. */
export const tidyKeys = {
  run: "tidy/run",
  totals: "tidy/totals",
  /**
   * Key of the marker that shows that all revocations are indexed by expiry, including those that
   * earlier versions wrote.
   */
  ends: "tidy/ends",
} as const;

/** The counts of a new run, which are all 0. */
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
/** Parsers for the rows of tidy, with defaults for missing fields. */
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
