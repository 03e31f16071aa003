/** One event per call: an allow-list of fields, never a body. */
export interface LogEvent {
  readonly endpoint: string;
  readonly status: number;
  /** When it began, Unix milliseconds; absent for what no request has set going. */
  readonly time?: number;
  readonly ms: number;
  /** Id of the request, as its reply tells it. */
  readonly request?: string;
  /** Where it came from, as far as the platform says so. */
  readonly address?: string;
  readonly mount?: string;
  readonly caller?: string;
  /** Of the caller's token. */
  readonly accessor?: string;
  /** Id of the caller's entity. */
  readonly entity?: string;
  readonly refusal?: string;
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** The defect behind a 500, for the log only. */
  readonly cause?: unknown;
}
