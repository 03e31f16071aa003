/** One event per call: an allow-list of fields, never a body. */
export interface LogEvent {
  /** ID of the endpoint, `none` without one, or `job` with the kind of a job. */
  readonly endpoint: string;
  /** HTTP status of the reply. */
  readonly status: number;
  /** Start of the request (Unix ms); absent for work that no request started. */
  readonly time?: number;
  /** Duration, milliseconds. */
  readonly ms: number;
  /** Request id, as in the reply. */
  readonly request?: string;
  /** Client address, if the platform provides it. */
  readonly address?: string;
  /** Path of the mount, if any. */
  readonly mount?: string;
  /** ID of the caller's identity, if any. */
  readonly caller?: string;
  /** Accessor of the caller's token. */
  readonly accessor?: string;
  /** Id of the caller's entity. */
  readonly entity?: string;
  /** Code of the error, if the call was rejected. */
  readonly refusal?: string;
  /** Further fields, never secrets. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** The defect behind a 500, for the log only. */
  readonly cause?: unknown;
}
