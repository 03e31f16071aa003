/** What is told of a request that changed something, or that a valid token was refused. */
export interface AuditEvent {
  /** When it was stored, Unix milliseconds. */
  readonly time: number;
  /** Id of the request, as its reply tells it. */
  readonly request: string;
  /** Id of the endpoint. */
  readonly endpoint: string;
  readonly method: string;
  readonly mount: string;
  /** The path below the mount, with the names of its parameters in their place. */
  readonly path: string;
  /** Who asked; absent for one who needed no token and brought none. */
  readonly caller?: string;
  /** Of the caller's token. */
  readonly accessor?: string;
  /** Id of the caller's entity. */
  readonly entity?: string;
  /** Where it came from, as far as the platform says so. */
  readonly address?: string;
  /** Of a refusal. */
  readonly status?: number;
  /** Code of the refusal. */
  readonly refusal?: string;
  /** How many refusals of the same caller were not stored since the last one that was. */
  readonly more?: number;
  /** Members that the endpoint allows to be told, and what was made. */
  readonly fields?: AuditFields;
}
/** What is told of one member. Hashes of names stand where names were sent. */
export type AuditFields = Readonly<Record<string, AuditValue>>;
type AuditValue = string | number | boolean | readonly string[];

/** The kinds of events, which are kept apart. */
export const auditKinds = ["change", "refusal"] as const;
/** One of them. */
export type AuditKind = (typeof auditKinds)[number];

/** What the keys of events of each kind begin with, in every store. */
export const auditLogs: Readonly<Record<AuditKind, string>> = {
  change: "audit/change/",
  refusal: "audit/refusal/",
};
/** How many events of each kind a store keeps. */
export const auditKept = 10_000;
