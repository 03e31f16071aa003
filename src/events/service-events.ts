/** The data of events about ACME, backups and delivery, by type. */
export interface ServiceEvents {
  readonly "sealwright.acme.challenge.failed": {
    /** Path of the mount. */
    readonly mount: string;
    /** ID of the ACME account. */
    readonly account: string;
    /** ID of the order. */
    readonly order: string;
    /** The identifier that was being validated. */
    readonly name: string;
    /** Challenge type, such as `http-01`. */
    readonly challenge: string;
    /** Error type and detail, as sent to the ACME client (RFC 8555 section 6.7). */
    readonly problem: { readonly type: string; readonly detail: string };
  };
  readonly "sealwright.backup.failed": {
    /** End of the last complete backup (RFC 3339); "" if there is none. */
    readonly last_success: string;
  };
  /** Sent by `sys/events/sinks/:name/test`. */
  readonly "sealwright.test": {
    /** Name of the sink. */
    readonly sink: string;
  };
  /**
   * Sent to a sink before newer events if older events were dropped because too many were waiting.
   */
  readonly "sealwright.events.lost": {
    /** Name of the sink. */
    readonly sink: string;
    /** Number of dropped events, counted before filtering. */
    readonly count: number;
  };
}
