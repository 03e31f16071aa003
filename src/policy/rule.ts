/**
 * All capabilities allowed in a policy. `subscribe`, `recover` and `scan` exist in other servers of
 * the API family; no endpoint of this server requires them.
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
/** A capability allowed in a policy. */
export type PolicyCapability = (typeof capabilities)[number];
/** Allowed values by parameter name in lower case; an empty list allows any. */
export type ParameterValues = ReadonlyMap<string, readonly unknown[]>;
/** One block of a policy. */
export interface Rule {
  readonly capabilities: readonly PolicyCapability[];
  readonly allowed: ParameterValues;
  readonly denied: ParameterValues;
  /** In lower case. */
  readonly required: readonly string[];
  /** Seconds; 0: no limit. */
  readonly minWrap: number;
  readonly maxWrap: number;
}
