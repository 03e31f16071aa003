import { rowReader } from "./row-reader.ts";
import type { TokenFacts } from "./identity.ts";
import type { Index } from "./ports.ts";

export type { TokenFacts } from "./identity.ts";

/**
 * A token, in the store `sys` under the hash of its text, which is stored nowhere. Index values:
 * the hash of the token that made it, the login method that did, and its end.
 */
export interface TokenRow extends TokenFacts {
  /** Hash of the token that made it, and whose end is its own; absent for orphans. */
  readonly parent?: string;
  /** The uuid of the login method that made it; absent where none did, and of batch tokens. */
  readonly method?: string;
  /** Key of the row of the role, the user or the like by which a login made it; absent else. */
  readonly source?: string;
  /** Longest lifetime of its mount and role when it was made, seconds; 0: only the system's. */
  readonly max_ttl: number;
}
/** Which token an accessor names. */
export interface AccessorRow {
  /** Hash of the token. */
  readonly token: string;
}
/** When tokens that have ended are looked for next. */
export interface TokenEndsRow {
  /** Unix seconds. */
  readonly due: number;
}

/** An access policy, in the store `sys`. */
export interface PolicyRow {
  /** As it was written. */
  readonly text: string;
  /** Unix milliseconds. */
  readonly modified: number;
  /** Path of the mount that it was made with and goes with; absent once somebody has written it. */
  readonly mount?: string;
}

/** What the keys of the platform's rows in the store `sys` begin with. */
export const belowPlatform = {
  policies: "policy/",
  tokens: "token/",
  accessors: "accessor/",
} as const;
/** Keys of the platform's rows in the store `sys`. */
export const platformKeys = {
  // keys are ASCII; `%` is escaped too, so that no name is the key of another
  policy: (name: string) =>
    belowPlatform.policies + name.replace(/[^ -$&-~]+/g, encodeURIComponent),
  /** That mounts made before there were policies have those that mounts are made with. */
  readyPolicies: "readypolicies",
  token: (hash: string) => `${belowPlatform.tokens}${hash}`,
  accessor: (accessor: string) => `${belowPlatform.accessors}${accessor}`,
  tokenEnds: "tokenends",
} as const;

/**
 * Names of the indexes of tokens: by the hash of the parent, by their end in Unix seconds, and by
 * the uuid of the login method that made them.
 */
export const [tokenParents, tokenEnds, tokenMethods] = [
  "token_parent",
  "token_end",
  "token_method",
] as const;
/** The index values of a token. */
export const tokenIndex = ({ parent, expires, method }: TokenRow): Index => ({
  ...(method === undefined ? {} : { [tokenMethods]: method }),
  ...(parent === undefined ? {} : { [tokenParents]: parent }),
  ...(expires === undefined ? {} : { [tokenEnds]: expires }),
});

/** Reads the row of an access policy. */
export const storedPolicy = rowReader<PolicyRow>({ text: "", modified: 0 });

/** Readers of the rows of tokens. */
export const storedTokenRows = {
  token: rowReader<TokenRow>({
    accessor: "",
    type: "service",
    policies: [],
    path: "",
    meta: null,
    display_name: "",
    created: 0,
    ttl: 0,
    explicit_max_ttl: 0,
    period: 0,
    num_uses: 0,
    orphan: true,
    renewable: false,
    entity_id: "",
    role: "",
    bound_cidrs: [],
    max_ttl: 0,
  }),
  accessor: rowReader<AccessorRow>({ token: "" }),
  ends: rowReader<TokenEndsRow>({ due: 0 }),
} as const;
