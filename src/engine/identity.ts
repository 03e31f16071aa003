import type { CryptoKey } from "../base/platform.ts";
/** Facts about a token, as `lookup-self` returns them (P 9.6). Times are Unix seconds. */
export interface TokenFacts {
  /**
   * Identifies the token in places where the token itself must not appear; empty for a batch token.
   */
  readonly accessor: string;
  readonly type: "service" | "batch";
  /** Names of its own policies, sorted. */
  readonly policies: readonly string[];
  /** Path of the request that created it, without the version prefix. */
  readonly path: string;
  readonly meta: Readonly<Record<string, string>> | null;
  readonly display_name: string;
  readonly created: number;
  /** Initial TTL in seconds; 0 if none. */
  readonly ttl: number;
  readonly explicit_max_ttl: number;
  /** TTL of each renewal in seconds; 0 if it is not periodic. */
  readonly period: number;
  /** Remaining uses; 0: unlimited, -1: the last one was used. */
  readonly num_uses: number;
  /** Whether it outlives its parent token. */
  readonly orphan: boolean;
  readonly renewable: boolean;
  /** Absent if it never expires. */
  readonly expires?: number;
  /** When it was last renewed. */
  readonly renewed?: number;
  readonly entity_id: string;
  /** Role that created it; empty if none. */
  readonly role: string;
  /** Networks from which it may be used; empty if unrestricted. */
  readonly bound_cidrs: readonly string[];
  /**
   * Entity or token hash of the first token in its chain of creation, also for orphans; absent if a
   * login or the deployment's root token created it.
   */
  readonly origin?: string;
  /** Hash of the token, its key in the store; absent for a batch token, and in rows. */
  readonly hash?: string;
}
/** The entity of a token, for templates in roles. */
export interface Entity {
  /** ID of the entity. */
  readonly id: string;
  /** Name of the entity. */
  readonly name: string;
  /** Metadata, for templates of policies and roles. */
  readonly metadata: Readonly<Record<string, string>>;
  /** By accessor of the login method. */
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
  /** Groups that it belongs to. */
  readonly groups: readonly {
    /** ID of the group. */
    readonly id: string;
    /** Name of the group. */
    readonly name: string;
    /** Metadata of the group. */
    readonly metadata?: Readonly<Record<string, string>>;
  }[];
}
/** A part of a path whose name has several spellings. */
interface AliasedSegments {
  /** Index of the segment, or of the first one if the name contains slashes. */
  readonly at: number;
  /** Whether the name is the rest of the path. */
  readonly isRest: boolean;
  /** Returns the normal form of a segment of a pattern, or of the prefix that ends a pattern. */
  form(segment: string): string;
}
/**
 * The names in a path that have several spellings. The path contains their normal forms; patterns
 * must be normalized before comparison.
 */
export type PathForms = readonly AliasedSegments[];
/** The identity of a caller. */
export interface Identity {
  /** The entity of the caller, if it has one. */
  readonly entity?: Entity;
  /** Id for logs, never the token. */
  readonly id: string;
  /** Names of the policies that `can` evaluates, as in `auth/token/lookup-self`; default none. */
  readonly policies?: readonly string[];
  /** Expiry of the token (Unix ms); absent if it never expires. */
  readonly expires?: number;
  /**
   * Identifies the token in places where the token itself must not appear; absent if it is not from
   * the token store.
   */
  readonly accessor?: string;
  /** Facts about the token, if it is from the token store. */
  readonly token?: TokenFacts;
  /** Derives an AES-GCM key for a purpose from the token; absent if the token is not available. */
  derive?(purpose: string): Promise<CryptoKey>;
  /**
   * Reports whether a capability is granted on a path. `forms`: names in the path with several
   * spellings.
   */
  can(capability: Capability, path: string, forms?: PathForms): boolean;
  /**
   * Reports whether anything is granted on a path prefix that ends with a slash, or below it.
   * Absent: `can` of the prefix decides.
   */
  reaches?(prefix: string): boolean;
  /**
   * Checks the parameters of a request: rules on parameters, limits on wrapping (P 9.5.1). Absent:
   * everything is allowed.
   */
  permits?(request: AccessRequest): boolean;
}
/** A parameter, as far as policies depend on it. */
interface DeclaredParameter {
  /** Name of the parameter that this is an alias of. */
  readonly alias?: string;
  /** Parses a raw value. Throws if it is invalid. */
  parse(raw: unknown, at: string): unknown;
  /** Returns the normal form of a parsed value; absent if every value has only one form. */
  form?(read: unknown): unknown;
}
/** A request whose body was read, as policies evaluate it. */
export interface AccessRequest {
  readonly capability: Capability;
  readonly path: string;
  /** Names in the path with several spellings. */
  readonly forms?: PathForms | undefined;
  /** Unparsed members of the query or body, except those in the path. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * The parameters that the endpoint declares. A rule on one of them applies to all its aliases,
   * and to its values in normal form. Absent: each parameter has one name and is compared unparsed.
   */
  readonly declared?: Readonly<Record<string, DeclaredParameter>> | undefined;
  /** TTL in seconds of the requested wrapping token; absent without wrapping. */
  readonly wrapTtl?: number | undefined;
}
/** A path as policies evaluate it: below the version prefix, decoded, with normalized names. */
export type PolicyPath = Pick<AccessRequest, "path" | "forms">;
/** The same, with the parameters that the endpoint declares. */
export type PolicyTarget = Pick<AccessRequest, "path" | "forms" | "declared">;
/** The capabilities that an access policy can grant on a path. */
export type Capability = "create" | "read" | "update" | "delete" | "list" | "patch" | "sudo";
