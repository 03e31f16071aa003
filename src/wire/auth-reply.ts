/** The member `auth` of the reply to a login, and to what makes or renews a token (P 9.6). */
export interface AuthReply {
  readonly client_token: string;
  /** Empty for a batch token. */
  readonly accessor: string;
  /** The token's own policies and those of its entity. */
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  readonly identity_policies?: readonly string[];
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Seconds until it ends; 0: it does not. */
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly entity_id: string;
  readonly token_type: "service" | "batch";
  readonly orphan: boolean;
  readonly mfa_requirement: null;
  readonly num_uses: number;
}
