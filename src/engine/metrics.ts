// The metrics of `sys/metrics`. Other modules of the engine import only types from this module, so
// that the names and help texts are loaded only with the endpoint.

/** A Prometheus metric. */
export interface Metric {
  /** Prometheus name, including the unit. */
  readonly name: string;
  /** Description in one sentence. */
  readonly help: string;
  /**
   * Label names. The engine sets `mount` to the name of a store, which `sys/metrics` replaces with
   * the mount's path.
   */
  readonly labels: readonly string[];
}

/** Counters, by their names in `Meter.count`. */
export const counters = {
  requests: {
    name: "sealwright_requests_total",
    help: "Requests by endpoint (`none` for unknown paths) and status.",
    labels: ["endpoint", "status"],
  },
  refused: {
    name: "sealwright_requests_refused_total",
    help: "Rejected requests by error code.",
    labels: ["code"],
  },
  issued: {
    name: "sealwright_certificates_issued_total",
    help: "Issued certificates, including those that are not stored.",
    labels: ["mount"],
  },
  revoked: {
    name: "sealwright_certificates_revoked_total",
    help: "Revoked certificates.",
    labels: ["mount"],
  },
  ocsp: {
    name: "sealwright_ocsp_responses_total",
    help: "OCSP responses: `good`, `revoked` or `unknown` for each certificate, or the error.",
    labels: ["status"],
  },
  orders: {
    name: "sealwright_acme_orders_total",
    help: "ACME orders by result: `created`, `valid` (issued) or `invalid`.",
    labels: ["mount", "result"],
  },
  challenges: {
    name: "sealwright_acme_challenges_total",
    help: "ACME validation attempts by result: `valid`, `retry` or `invalid`.",
    labels: ["mount", "type", "result"],
  },
  jobs: {
    name: "sealwright_job_runs_total",
    help: "Runs of background jobs by kind and result: `done` or `failed`.",
    labels: ["kind", "result"],
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Histograms, by their names in `Counts`. */
export const histograms = {
  duration: {
    name: "sealwright_request_duration_seconds",
    help: "Time to process a request, excluding the transfer of the request and the response.",
    labels: ["endpoint"],
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Gauges, by their names in `Sample`. */
export const gauges = {
  info: {
    name: "sealwright_info",
    help: "Always 1; the `version` label contains the server's version.",
    labels: ["version"],
  },
  started: {
    name: "sealwright_start_timestamp_seconds",
    help: "Time at which the server started.",
    labels: [],
  },
  processes: {
    name: "sealwright_processes",
    help: "Number of server processes.",
    labels: [],
  },
  degraded: {
    name: "sealwright_degraded",
    help: "1 while `sys/health` lists the mount as degraded, otherwise 0.",
    labels: ["mount"],
  },
  jobs: {
    name: "sealwright_jobs",
    help: "Background jobs that are `waiting`, `due` or `failed` (to be retried).",
    labels: ["mount", "state"],
  },
  overdue: {
    name: "sealwright_jobs_overdue_seconds",
    help: "Age of the oldest due job; 0 if none is due.",
    labels: ["mount"],
  },
  partitionReady: {
    name: "sealwright_partition_ready",
    help: "1 if a partition can be read and has its rows, otherwise 0; only for mounts with several partitions.",
    labels: ["mount", "partition"],
  },
  partitionRows: {
    name: "sealwright_partition_rows",
    help: "Estimated number of rows in each partition; a mount with one partition has only partition 0.",
    labels: ["mount", "partition"],
  },
  partitionBytes: {
    name: "sealwright_partition_size_bytes",
    help: "Estimated size of each partition. On Workers, the size of the database; on SQLite, without indexes.",
    labels: ["mount", "partition"],
  },
  growthPercent: {
    name: "sealwright_growth_percent",
    help: "Estimated progress of a growth `from` one number of partitions `to` another; absent if there is no growth.",
    labels: ["mount", "from", "to"],
  },
  growthStopped: {
    name: "sealwright_growth_stopped",
    help: "1 if the growth of a mount was stopped, 0 while it is running; only for growing mounts.",
    labels: ["mount"],
  },
  growthFailing: {
    name: "sealwright_growth_failing",
    help: "1 if the last step of a mount's growth failed, otherwise 0; only for growing mounts.",
    labels: ["mount"],
  },
  crlFrom: {
    name: "sealwright_crl_this_update_timestamp_seconds",
    help: "`thisUpdate` of an issuer's current CRL; with shards, the earliest of all its CRLs.",
    labels: ["mount", "issuer"],
  },
  crlUntil: {
    name: "sealwright_crl_next_update_timestamp_seconds",
    help: "`nextUpdate` of an issuer's current CRL; with shards, the earliest of all its CRLs.",
    labels: ["mount", "issuer"],
  },
  issuerUntil: {
    name: "sealwright_issuer_not_after_timestamp_seconds",
    help: "Expiry of an issuer that may issue certificates.",
    labels: ["mount", "issuer"],
  },
  expiring: {
    name: "sealwright_certificates_expiring",
    help: "Certificates that expire within `7d` or `30d`; counted up to 50,000.",
    labels: ["mount", "within"],
  },
  logUnpublished: {
    name: "sealwright_log_unpublished_seconds",
    help: "Time for which a mount's log has not been published for lack of cosignatures; 0 if it is published.",
    labels: ["mount"],
  },
  size: {
    name: "sealwright_store_size_bytes",
    help: "Size of the database.",
    labels: [],
  },
  backupDone: {
    name: "sealwright_backup_last_success_timestamp_seconds",
    help: "Time of the last complete daily backup (`BACKUP_DIR`).",
    labels: [],
  },
  backupFailed: {
    name: "sealwright_backup_last_failed",
    help: "1 if the last daily backup failed, otherwise 0.",
    labels: [],
  },
  sinkEvents: {
    name: "sealwright_audit_sink_lag_events",
    help: "Audit events that the sink has not received yet.",
    labels: [],
  },
  sinkAge: {
    name: "sealwright_audit_sink_lag_seconds",
    help: "Age of the oldest audit event that the sink has not received yet; 0 if there is none.",
    labels: [],
  },
  eventsWaiting: {
    name: "sealwright_event_sink_waiting_events",
    help: "Events that wait for a sink, before its filters apply; 0 if the sink is disabled.",
    labels: ["sink"],
  },
  eventsLost: {
    name: "sealwright_event_sink_lost_events",
    help: "Events that a sink has missed since it was created.",
    labels: ["sink"],
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Name of a counter. */
export type CounterName = keyof typeof counters;
/** Name of a gauge. */
type GaugeName = keyof typeof gauges;

/** A label value for each label name. */
type LabelsOf<Names extends readonly string[]> = { readonly [K in keyof Names]: string };
/** The label values of a counter. */
export type CounterLabels<N extends CounterName> = LabelsOf<(typeof counters)[N]["labels"]>;
/** The label values of a gauge. */
type GaugeLabels<N extends GaugeName> = LabelsOf<(typeof gauges)[N]["labels"]>;

/** A gauge's value for one set of label values. */
export interface Sample {
  readonly gauge: GaugeName;
  readonly labels: readonly string[];
  readonly value: number;
}

/** Returns a sample of a gauge. */
export const gaugeSample = <N extends GaugeName>(
  gauge: N,
  labels: GaugeLabels<N>,
  value: number,
): Sample => ({ gauge, labels, value });
