import { rowReader } from "./row-reader.ts";

/** An access policy, in the `sys` store. */
export interface PolicyRow {
  /** Source text of the policy. */
  readonly text: string;
  /** Time of the last change (Unix ms). */
  readonly modified: number;
  /**
   * Path of the mount with which the policy was created and will be deleted. Absent once the policy
   * has been edited.
   */
  readonly mount?: string;
}

/** Key prefix of policy rows in the `sys` store. */
export const belowPolicies = "policy/";
/** Row keys of policies. */
export const policyKeys = {
  // keys must be ASCII; `%` is also escaped, so that no two names have the same key
  policy: (name: string) => belowPolicies + name.replace(/[^ -$&-~]+/g, encodeURIComponent),
  /**
   * Key of the marker that shows that mounts created by versions without policies have received
   * initial policies.
   */
  ready: "readypolicies",
} as const;

/** Parses the row of an access policy. */
export const storedPolicy = rowReader<PolicyRow>({ text: "", modified: 0 });
