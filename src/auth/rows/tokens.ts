import { rowReader } from "../../engine/row-reader.ts";
import type { TokenFacts } from "../../engine/identity.ts";
import type { Index } from "../../engine/ports.ts";

/** A token that has ended while what depends on it is still to be ended. */
export interface EndedRow {
  /** Its children live on as orphans. */
  readonly orphans: boolean;
}
/** A role by which tokens are made; lifetimes in seconds. */
export interface TokenRoleRow {
  readonly allowed_policies: readonly string[];
  readonly allowed_policies_glob: readonly string[];
  readonly disallowed_policies: readonly string[];
  readonly disallowed_policies_glob: readonly string[];
  readonly allowed_entity_aliases: readonly string[];
  readonly orphan: boolean;
  readonly renewable: boolean;
  readonly path_suffix: string;
  readonly token_explicit_max_ttl: number;
  readonly token_period: number;
  readonly token_bound_cidrs: readonly string[];
  readonly token_no_default_policy: boolean;
  readonly token_num_uses: number;
  readonly token_type: string;
}

/** What the keys of these rows in the store `sys` begin with. */
export const belowTokens = {
  tokens: "token/",
  accessors: "accessor/",
  trees: "tokentree/",
  roles: "tokenrole/",
  cubbyholes: "cubbyhole/",
} as const;
/** Keys of these rows. */
export const tokenKeys = {
  token: (hash: string) => `${belowTokens.tokens}${hash}`,
  accessor: (accessor: string) => `${belowTokens.accessors}${accessor}`,
  ends: "tokenends",
  /** By the hash of a token that has ended. */
  tree: (hash: string) => `${belowTokens.trees}${hash}`,
  role: (name: string) => `${belowTokens.roles}${name}`,
  /** What the keys of the values begin with that the token of a hash keeps for itself. */
  cubbyhole: (hash: string) => `${belowTokens.cubbyholes}${hash}/`,
} as const;

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
interface AccessorRow {
  /** Hash of the token. */
  readonly token: string;
}
/** When tokens that have ended are looked for next. */
interface TokenEndsRow {
  /** Unix seconds. */
  readonly due: number;
}
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

/** Readers of the rows of tokens. */
export const storedTokens = {
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
  ended: rowReader<EndedRow>({ orphans: false }),
  role: rowReader<TokenRoleRow>({
    allowed_policies: [],
    allowed_policies_glob: [],
    disallowed_policies: [],
    disallowed_policies_glob: [],
    allowed_entity_aliases: [],
    orphan: false,
    renewable: true,
    path_suffix: "",
    token_explicit_max_ttl: 0,
    token_period: 0,
    token_bound_cidrs: [],
    token_no_default_policy: false,
    token_num_uses: 0,
    token_type: "default-service",
  }),
} as const;
