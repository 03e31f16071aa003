import { rowReader } from "./row-reader.ts";
/**
 * An audit event: a request that changed something, or a rejected request with a valid token or
 * from an ACME account.
 */
export interface AuditEvent {
  /** Time of the commit (Unix ms). */
  readonly time: number;
  /** ID of the request, also returned in the response. */
  readonly request: string;
  /** ID of the endpoint. */
  readonly endpoint: string;
  readonly method: string;
  readonly mount: string;
  /** URL path under the mount, with parameter names in place of values. */
  readonly path: string;
  /** ID of the caller. Absent if the caller is anonymous. */
  readonly caller?: string;
  /** Accessor of the caller's token. */
  readonly accessor?: string;
  /** ID of the caller's entity. */
  readonly entity?: string;
  /** IP address of the client, if the platform provides it. */
  readonly address?: string;
  /** HTTP status, if the request was rejected. */
  readonly status?: number;
  /** Error code, if the request was rejected. */
  readonly refusal?: string;
  /**
   * Number of the caller's rejected requests since the last stored one, none of which was stored.
   */
  readonly more?: number;
  /** Request fields that the endpoint allows in events, and IDs of created objects. */
  readonly fields?: AuditFields;
}
/** Audited fields by name. Values that are names chosen by callers are hashed. */
export type AuditFields = Readonly<Record<string, AuditValue>>;
type AuditValue = string | number | boolean | readonly string[];

/** The kinds of audit events. */
export const auditKinds = ["change", "refusal"] as const;
/** A kind of audit event. */
export type AuditKind = (typeof auditKinds)[number];

/**
 * The audit logs of a store. Each has its own capacity, so that callers cannot evict events from a
 * log to which they do not write:
 * - `change`: changes by callers with a credential, up to a share per caller and endpoint;
 * - `frequent`: changes by callers with a credential above that share, up to a share per caller;
 * - `overflow`: changes by callers with a credential above both shares;
 * - `own`: changes to a token's own data, which every token is allowed to make;
 * - `acme`: registrations, account changes, certificates and revocations of ACME accounts with an
 * external account binding, up to a share per account;
 * - `public`: certificates and revocations of other ACME accounts, up to a share per network;
 * - `anonymous`: all other changes by callers without a token;
 * - `refusal`: rejected requests with a valid token;
 * - `acme_refusal`: rejected requests of ACME accounts.
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
/** The name of an audit log. */
export type AuditLogName = (typeof auditLogNames)[number];

/** Key prefix of each log's events; the same in every store. */
export const auditPrefixes: Readonly<Record<AuditLogName, string>> = {
  change: "audit/change/",
  frequent: "audit/frequent/",
  overflow: "audit/overflow/",
  own: "audit/own/",
  acme: "audit/acme/",
  public: "audit/public/",
  anonymous: "audit/anonymous/",
  refusal: "audit/refusal/",
  acme_refusal: "audit/acme_refusal/",
};
/** Returns the kind of the events in a log. */
export const auditKindOf = (log: AuditLogName): AuditKind =>
  log.endsWith("refusal") ? "refusal" : "change";
/** Maximum number of events per log of a store. */
export const maxAuditEvents = 10_000;

/** Parses the row of an audit event. */
export const storedAuditEvent = rowReader<AuditEvent>({
  time: 0,
  request: "",
  endpoint: "",
  method: "",
  mount: "",
  path: "",
});
