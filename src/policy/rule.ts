/**
 * All capabilities that a policy may contain. `subscribe`, `recover` and `scan` are for other
 * servers of the API family; no endpoint of this server requires them.
 */
export const capabilities = [
  "create",
  "delete",
  "deny",
  "list",
  "patch",
  "read",
  "recover",
  "scan",
  "subscribe",
  "sudo",
  "update",
] as const;
/** A capability that a policy may contain. */
export type PolicyCapability = (typeof capabilities)[number];
/** Allowed or denied values by parameter name in lower case. An empty list represents any value. */
export type ParameterValues = ReadonlyMap<string, readonly unknown[]>;
/** The rule in a block of a policy. */
export interface Rule {
  readonly capabilities: readonly PolicyCapability[];
  readonly allowed: ParameterValues;
  readonly denied: ParameterValues;
  /** Names of required parameters in lower case. */
  readonly required: readonly string[];
  /** Minimum TTL of response wrapping in seconds, or 0 for no limit. */
  readonly minWrap: number;
  readonly maxWrap: number;
}
