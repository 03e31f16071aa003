import { rowReader } from "./row-reader.ts";

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
  trees: "tokentree/",
  roles: "tokenrole/",
  cubbyholes: "cubbyhole/",
} as const;
/** Keys of these rows. */
export const tokenKeys = {
  /** By the hash of a token that has ended. */
  tree: (hash: string) => `${belowTokens.trees}${hash}`,
  role: (name: string) => `${belowTokens.roles}${name}`,
  /** What the keys of the values begin with that the token of a hash keeps for itself. */
  cubbyhole: (hash: string) => `${belowTokens.cubbyholes}${hash}/`,
} as const;
/** Each kind of row, as it is read. */
export const storedTokens = {
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
