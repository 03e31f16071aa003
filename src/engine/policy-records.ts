import { rowReader } from "./row-reader.ts";

/** An access policy, in the store `sys`. */
export interface PolicyRow {
  /** Source text. */
  readonly text: string;
  /** Unix milliseconds. */
  readonly modified: number;
  /** Path of the mount that created it and deletes it; absent once it has been edited. */
  readonly mount?: string;
}

/** Prefix of the keys of policies in the store `sys`. */
export const belowPolicies = "policy/";
/** Keys of the rows of policies. */
export const policyKeys = {
  // keys are ASCII; `%` is escaped too, so that no two names have the same key
  policy: (name: string) => belowPolicies + name.replace(/[^ -$&-~]+/g, encodeURIComponent),
  /** Marker that mounts of versions without policies have received their initial ones. */
  ready: "readypolicies",
} as const;

/** Reads the row of an access policy. */
export const storedPolicy = rowReader<PolicyRow>({ text: "", modified: 0 });
