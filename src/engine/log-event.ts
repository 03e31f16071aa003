/** One event per call: an allow-list of fields, never a body. */
export interface LogEvent {
  readonly endpoint: string;
  readonly status: number;
  /** Start of the request (Unix ms); absent for work that no request started. */
  readonly time?: number;
  readonly ms: number;
  /** Request id, as in the reply. */
  readonly request?: string;
  /** Client address, if the platform provides it. */
  readonly address?: string;
  readonly mount?: string;
  readonly caller?: string;
  /** Accessor of the caller's token. */
  readonly accessor?: string;
  /** Id of the caller's entity. */
  readonly entity?: string;
  readonly refusal?: string;
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** The defect behind a 500, for the log only. */
  readonly cause?: unknown;
}
