/**
 * A caller that has authenticated without a token: the log of its events, and the name under which
 * its share is counted. Anybody may become a caller of the log `public`.
 */
export interface AuditShare {
  readonly log: "acme" | "public";
  readonly name: string;
  /** Name of the caller that let it in, whose callers have a second share together. */
  readonly owner?: string | undefined;
}
/** Names of members that are told: never secrets, not even hashed. */
export interface Audits {
  /** Names that callers chose; of those in one text, with commas, each is hashed. */
  readonly hashed?: readonly string[];
  /** As they are, where they look like no more than a word or a number; else hashed too. */
  readonly plain?: readonly string[];
  /** Every token may do it for itself: its events are in the log `own`. */
  readonly own?: boolean;
  /** A job that it plans is what was asked for, and as much a change as any other. */
  readonly jobs?: boolean;
  /**
   * Its event is stored before the reply, also where the call changes nothing: a key that signs for
   * others was used, or what many rows hold was handed out. The call is refused where the event
   * cannot be stored.
   */
  readonly always?: boolean;
}
