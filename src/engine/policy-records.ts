import { rowReader } from "./row-reader.ts";

/** An access policy, in the store `sys`. */
export interface PolicyRow {
  /** As it was written. */
  readonly text: string;
  /** Unix milliseconds. */
  readonly modified: number;
  /** Path of the mount that it was made with and goes with; absent once somebody has written it. */
  readonly mount?: string;
}

/** Prefix of the keys of policies in the store `sys`. */
export const belowPolicies = "policy/";
/** Keys of the rows of policies. */
export const policyKeys = {
  // keys are ASCII; `%` is escaped too, so that no name is the key of another
  policy: (name: string) => belowPolicies + name.replace(/[^ -$&-~]+/g, encodeURIComponent),
  /** The mark that mounts of versions without policies have those that mounts are made with. */
  ready: "readypolicies",
} as const;

/** Reads the row of an access policy. */
export const storedPolicy = rowReader<PolicyRow>({ text: "", modified: 0 });
