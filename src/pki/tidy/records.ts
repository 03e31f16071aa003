import { tidyDefaults, type TidySettings } from "../../engine/settings.ts";
import { rowReader } from "../../engine/row-reader.ts";

/** What a run of tidy is doing (B 3.3); a mount without a row of one is inactive. */
type TidyState = "Running" | "Finished" | "Error" | "Cancelling" | "Cancelled";
/** What a run of tidy has removed or found. */
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
/** The run of tidy that is under way, else the last one; times in Unix milliseconds. */
export interface TidyRow {
  readonly state: TidyState;
  readonly settings: TidySettings;
  /** Begun by the clock, not by a call. */
  readonly automatic: boolean;
  readonly started: number;
  /** null while it runs. */
  readonly finished: number | null;
  /** When an automatic run ended last. */
  readonly last_auto: number | null;
  readonly error: string | null;
  readonly message: string | null;
  /** Name of the sweep that is at work; "" before the first. */
  readonly stage: string;
  /** Where that sweep goes on; absent at its begin. */
  readonly at?: unknown;
  readonly counts: TidyCounts;
}
/** How many certificates are stored, as they were counted last. */
export interface TidyTotalsRow {
  readonly certs: number;
  readonly revoked: number;
}

/** Keys of what tidy keeps of itself. */
export const tidyKeys = {
  run: "tidy/run",
  totals: "tidy/totals",
  /** That all revocations are found by their ends, those of earlier versions too. */
  ends: "tidy/ends",
} as const;

/** Nothing removed yet. */
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
/** Each of these rows, as it is read. */
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
