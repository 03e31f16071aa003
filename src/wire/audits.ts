/**
 * The audit share of a caller authenticated without a token: the log of its events, and a name.
 * Anyone can become a caller in the log `public`.
 */
export interface AuditShare {
  readonly log: "acme" | "public";
  readonly name: string;
  /** Name of the creator, whose callers also have a common share. */
  readonly owner?: string | undefined;
}
/** Members that events contain. Secrets are never included, not even hashed. */
export interface Audits {
  /**
   * Members with user-chosen names, which are hashed; comma-separated names are hashed
   * individually.
   */
  readonly hashed?: readonly string[];
  /** Members stored unhashed if they look like a word or a number, else hashed. */
  readonly plain?: readonly string[];
  /** Whether every token may do this for itself, so that its events are in the log `own`. */
  readonly own?: boolean;
  /** Whether scheduling a job counts as a change. */
  readonly jobs?: boolean;
  /**
   * Whether its event is stored before the reply even if the call changes nothing, because a key
   * signed something or data from many rows was returned. If the event cannot be stored, the call
   * fails.
   */
  readonly always?: boolean;
}
