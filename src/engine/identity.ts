import type { CryptoKey } from "../base/platform.ts";
/** Properties of a token, as `lookup-self` returns them (P 9.6). Times are in Unix seconds. */
export interface TokenFacts {
  /**
   * The accessor, which identifies the token in places where the token itself must not appear;
   * empty for a batch token.
   */
  readonly accessor: string;
  readonly type: "service" | "batch";
  /** Names of the token's own policies, sorted. */
  readonly policies: readonly string[];
  /** URL path of the request that created the token, without `/v1/`. */
  readonly path: string;
  readonly meta: Readonly<Record<string, string>> | null;
  readonly display_name: string;
  readonly created: number;
  /** Initial TTL in seconds, or 0 if the token never expires. */
  readonly ttl: number;
  readonly explicit_max_ttl: number;
  /** TTL of each renewal in seconds, or 0 if the token is not periodic. */
  readonly period: number;
  /** Remaining uses. 0 means unlimited, -1 that none are left. */
  readonly num_uses: number;
  /** Whether the token outlives its parent token. */
  readonly orphan: boolean;
  readonly renewable: boolean;
  /** Expiry. Absent if the token never expires. */
  readonly expires?: number;
  /** Time of the last renewal. */
  readonly renewed?: number;
  readonly entity_id: string;
  /** Role with which the token was created; empty if there was none. */
  readonly role: string;
  /** CIDR ranges from which the token may be used; empty if any address is allowed. */
  readonly bound_cidrs: readonly string[];
  /**
   * Entity or hash of the first token in the chain of tokens that created this one, including
   * orphans. Absent if a login or the deployment's root token created it.
   */
  readonly origin?: string;
  /**
   * Hash of the token, which is part of its row's key. Absent for batch tokens, and in stored rows.
   */
  readonly hash?: string;
}
/** The entity of a token, for templates in policies and roles. */
export interface Entity {
  /** ID of the entity. */
  readonly id: string;
  /** Name of the entity. */
  readonly name: string;
  /** Metadata, for templates in policies and roles. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Aliases by accessor of the login method. */
  readonly aliases: Readonly<
    Record<
      string,
      {
        readonly id: string;
        readonly name: string;
        readonly metadata: Readonly<Record<string, string>>;
        readonly custom_metadata: Readonly<Record<string, string>>;
      }
    >
  >;
  /** Groups to which the entity belongs. */
  readonly groups: readonly {
    /** ID of the group. */
    readonly id: string;
    /** Name of the group. */
    readonly name: string;
    /** Metadata of the group. */
    readonly metadata?: Readonly<Record<string, string>>;
  }[];
}
/** A name with several spellings in a policy path. */
interface AliasedSegments {
  /**
   * Index of the name's segment in the path, or of its first segment if the name contains slashes.
   */
  readonly at: number;
  /** Whether the name extends to the end of the path. */
  readonly isRest: boolean;
  /** Returns the normal form of a pattern's segment, or of the prefix at the end of a pattern. */
  form(segment: string): string;
}
/**
 * The names with several spellings in a policy path. The path contains their normal forms, so
 * patterns must be normalized before they are compared with it.
 */
export type PathForms = readonly AliasedSegments[];
/** The identity of a caller. */
export interface Identity {
  /** The caller's entity, if any. */
  readonly entity?: Entity;
  /** ID for logs; never the token itself. */
  readonly id: string;
  /**
   * Names of the policies that `can` evaluates, as in `auth/token/lookup-self`. If absent, there
   * are none.
   */
  readonly policies?: readonly string[];
  /** Expiry of the token (Unix ms). Absent if the token never expires. */
  readonly expires?: number;
  /**
   * The accessor, which identifies the token in places where the token itself must not appear.
   * Absent if the token is not from the token store.
   */
  readonly accessor?: string;
  /** Properties of the token, if it is from the token store. */
  readonly token?: TokenFacts;
  /**
   * Derives an AES-GCM key for a purpose from the token. Absent if the token itself is not
   * available.
   */
  derive?(purpose: string): Promise<CryptoKey>;
  /**
   * Reports whether the policies grant a capability on a path. `forms` contains the names in the
   * path that have several spellings.
   */
  can(capability: Capability, path: string, forms?: PathForms): boolean;
  /**
   * Reports whether the policies grant anything on or under a path prefix that ends with a slash.
   * If absent, `can` decides for the prefix.
   */
  reaches?(prefix: string): boolean;
  /**
   * Reports whether the policies allow the parameters and the wrapping TTL of a request (P 9.5.1).
   * If absent, everything is allowed.
   */
  permits?(request: AccessRequest): boolean;
}
/** The properties of a parameter on which policies depend. */
interface DeclaredParameter {
  /** Name of the parameter that this parameter is an alias of. */
  readonly alias?: string;
  /** Parses a raw value. Throws if the value is invalid. */
  parse(raw: unknown, at: string): unknown;
  /** Returns the normal form of a parsed value. Absent if every value has only one form. */
  form?(read: unknown): unknown;
}
/** The properties of a request that policies evaluate once its body has been read. */
export interface AccessRequest {
  readonly capability: Capability;
  readonly path: string;
  /** Names in the path that have several spellings. */
  readonly forms?: PathForms | undefined;
  /** Unparsed parameters of the query or the body, but not of the path. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * The parameters that the endpoint declares. A rule on a parameter also applies to its aliases,
   * and compares values in normal form. If absent, each parameter has one name, and raw values are
   * compared.
   */
  readonly declared?: Readonly<Record<string, DeclaredParameter>> | undefined;
  /** TTL in seconds of the requested wrapping token. Absent if no wrapping was requested. */
  readonly wrapTtl?: number | undefined;
}
/** A path that policies evaluate: the decoded URL path under `/v1/`, with normalized names. */
export type PolicyPath = Pick<AccessRequest, "path" | "forms">;
/** A path that policies evaluate, and the parameters that the endpoint declares. */
export type PolicyTarget = Pick<AccessRequest, "path" | "forms" | "declared">;
/** The capabilities that an access policy can grant on a path. */
export type Capability = "create" | "read" | "update" | "delete" | "list" | "patch" | "sudo";
