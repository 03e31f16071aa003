/**
 * The audit quota of a caller that authenticated without a token: the log for its events, and the
 * name under which they are counted. The `public` log is also for callers that did not
 * authenticate.
 */
export interface AuditShare {
  readonly log: "acme" | "public";
  readonly name: string;
  /**
   * Name of the creator of the caller's credential. All callers of one creator also have a common
   * quota.
   */
  readonly owner?: string | undefined;
}
/**
 * The declaration of the request members that audit events contain. Events never contain secrets,
 * not even hashed.
 */
export interface Audits {
  /**
   * Members that contain names chosen by users. Events contain the hash of each name; names
   * separated by commas are hashed individually.
   */
  readonly hashed?: readonly string[];
  /**
   * Members that are stored unhashed if their value looks like a word or a number, and hashed
   * otherwise.
   */
  readonly plain?: readonly string[];
  /**
   * Whether any token may make this change to itself. If so, the events are stored in the `own`
   * log.
   */
  readonly own?: boolean;
  /** Whether scheduling a job counts as a change. */
  readonly jobs?: boolean;
  /**
   * Whether the event is stored before the response is sent, even if the call changes nothing: a
   * key signed something, or the response contains data from many rows. If the event cannot be
   * stored, the call fails.
   */
  readonly always?: boolean;
}
