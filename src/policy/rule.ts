/**
 * Every capability that a policy may name. `subscribe`, `recover` and `scan` are known to others of
 * the API family: nothing here asks for them.
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
/** What a policy may name as a capability. */
export type PolicyCapability = (typeof capabilities)[number];
/** Values of parameters by their names in lower case; none stands for any. */
export type ParameterValues = ReadonlyMap<string, readonly unknown[]>;
/** What one block of a policy says of a path. */
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
