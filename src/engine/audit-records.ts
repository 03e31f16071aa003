import { rowReader } from "./row-reader.ts";
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

/** The kinds of events. */
export const auditKinds = ["change", "refusal"] as const;
/** One of them. */
export type AuditKind = (typeof auditKinds)[number];

/**
 * The logs of a store. Each keeps its own number of events, so that no caller can push the events
 * of others out of a log that it does not write to itself:
 *
 * - `change`: changes by callers with a credential, up to a share for each caller and endpoint;
 * - `frequent`: their changes above that share, up to a share for each caller;
 * - `overflow`: their changes above both shares;
 * - `own`: changes of what a token has for itself, which every token may make;
 * - `acme`: by ACME accounts with a binding registrations, changes of the account, certificates and
 *   revocations, up to a share for each account;
 * - `public`: certificates and revocations by other ACME accounts, up to a share for each network;
 * - `anonymous`: all other changes by callers without a token;
 * - `refusal`: refusals of valid tokens;
 * - `acme_refusal`: refusals of ACME accounts.
 */
export const auditLogNames = [
  "change",
  "frequent",
  "overflow",
  "own",
  "acme",
  "public",
  "anonymous",
  "refusal",
  "acme_refusal",
] as const;
/** The name of one of them. */
export type AuditLogName = (typeof auditLogNames)[number];

/** Returns the prefix of the keys of a log's events, the same in every store. */
export const auditPrefix = (log: AuditLogName): string => `audit/${log}/`;
/** Returns the kind of the events of a log. */
export const auditKindOf = (log: AuditLogName): AuditKind =>
  log.endsWith("refusal") ? "refusal" : "change";
/** How many events each log of a store keeps. */
export const maxAuditEvents = 10_000;

/** Reads the row of an audit event. */
export const storedAuditEvent = rowReader<AuditEvent>({
  time: 0,
  request: "",
  endpoint: "",
  method: "",
  mount: "",
  path: "",
});
