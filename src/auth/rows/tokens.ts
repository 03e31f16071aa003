import { rowReader } from "../../engine/row-reader.ts";
import type { TokenFacts } from "../../engine/identity.ts";
import type { Index } from "../../engine/ports.ts";

/** A revoked or expired token whose dependents have not all been revoked yet. */
export interface EndedRow {
  /** True if the token's children become orphans instead of being revoked. */
  readonly orphans: boolean;
}
/** A token role. Lifetimes are in seconds. */
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

/** Key prefixes of token rows in the `sys` store. */
export const belowTokens = {
  tokens: "token/",
  accessors: "accessor/",
  trees: "tokentree/",
  roles: "tokenrole/",
  cubbyholes: "cubbyhole/",
} as const;
/** Row keys of tokens. */
export const tokenKeys = {
  token: (hash: string) => `${belowTokens.tokens}${hash}`,
  accessor: (accessor: string) => `${belowTokens.accessors}${accessor}`,
  ends: "tokenends",
  /** `hash` is the hash of a revoked or expired token. */
  tree: (hash: string) => `${belowTokens.trees}${hash}`,
  role: (name: string) => `${belowTokens.roles}${name}`,
  /** Key prefix of a token's cubbyhole values, by the token's hash. */
  cubbyhole: (hash: string) => `${belowTokens.cubbyholes}${hash}/`,
} as const;

/**
 * A token. It is stored in `sys` under the hash of its value; the value itself is not stored. Its
 * index values are the hash of its parent, its login method, and its expiry.
 */
export interface TokenRow extends TokenFacts {
  /**
   * Hash of the parent token. When the parent is revoked or expires, this token is revoked too.
   * Absent for orphans.
   */
  readonly parent?: string;
  /**
   * UUID of the login method that issued the token. Absent if no login issued the token, and for
   * batch tokens.
   */
  readonly method?: string;
  /**
   * Key of the row with the settings of the role or user used in the login. Absent if no login
   * issued the token.
   */
  readonly source?: string;
  /**
   * Maximum lifetime set by the mount and role when the token was created, in seconds; 0 means the
   * system maximum.
   */
  readonly max_ttl: number;
}
/** The row of an accessor. */
interface AccessorRow {
  /** Hash of the token. */
  readonly token: string;
}
/** The row with the time of the next search for expired tokens. */
interface TokenEndsRow {
  /** Unix seconds. */
  readonly due: number;
}
/**
 * Names of the token indexes: on the hash of the parent, on the expiry in Unix seconds, and on the
 * UUID of the login method.
 */
export const [tokenParents, tokenEnds, tokenMethods] = [
  "token_parent",
  "token_end",
  "token_method",
] as const;
/** Returns the index values of a token. */
export const tokenIndex = ({ parent, expires, method }: TokenRow): Index => ({
  ...(method === undefined ? {} : { [tokenMethods]: method }),
  ...(parent === undefined ? {} : { [tokenParents]: parent }),
  ...(expires === undefined ? {} : { [tokenEnds]: expires }),
});

/** Parsers for the rows of tokens. */
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
