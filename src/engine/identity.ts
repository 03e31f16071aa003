import type { CryptoKey } from "../base/platform.ts";
/** What is known of a token, as `lookup-self` tells it (P 9.6). Times are Unix seconds. */
export interface TokenFacts {
  /** Names the token where the token itself must not stand; empty for a batch token. */
  readonly accessor: string;
  readonly type: "service" | "batch";
  /** Names of its own policies, sorted. */
  readonly policies: readonly string[];
  /** Path of the request that made it, without the version prefix. */
  readonly path: string;
  readonly meta: Readonly<Record<string, string>> | null;
  readonly display_name: string;
  readonly created: number;
  /** Seconds that it was given at first; 0: without end. */
  readonly ttl: number;
  readonly explicit_max_ttl: number;
  /** Seconds that each renewal gives it; 0: it has no period. */
  readonly period: number;
  /** Uses that are left; 0: any number, -1: the last one was taken. */
  readonly num_uses: number;
  /** It lives on when the token that made it ends. */
  readonly orphan: boolean;
  readonly renewable: boolean;
  /** Absent: never. */
  readonly expires?: number;
  /** When it was last renewed. */
  readonly renewed?: number;
  readonly entity_id: string;
  /** Role by which it was made; empty without one. */
  readonly role: string;
  /** Networks from which it may be used; none: from anywhere. */
  readonly bound_cidrs: readonly string[];
  /**
   * Entity, or hash of the token, that the first of the tokens had by which this one was made, also
   * where it is an orphan; absent where a login or the deployment's root token made it.
   */
  readonly origin?: string;
  /** Hash of its text, by which it lies in the store; absent for a batch token, and in rows. */
  readonly hash?: string;
}
/** Who stands behind a token, for templates in roles. */
export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** By the accessor of the login method. */
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
  readonly groups: readonly {
    readonly id: string;
    readonly name: string;
    readonly metadata?: Readonly<Record<string, string>>;
  }[];
}
/** Segments of a path that hold names with several spellings. */
interface SpelledSegments {
  /** Index of the segment, or of the first one where the name has slashes. */
  readonly at: number;
  /** Whether the name takes the rest of the path. */
  readonly isRest: boolean;
  /** Returns the normal form of a segment of a pattern, or of the prefix that ends a pattern. */
  form(segment: string): string;
}
/**
 * The names in a path that have several spellings. The path has their normal forms; a pattern must
 * be brought to them before it is compared.
 */
export type PathForms = readonly SpelledSegments[];
/** Who asks. */
export interface Identity {
  readonly entity?: Entity;
  /** Shown in logs; never the token. */
  readonly id: string;
  /**
   * Names of the policies that `can` judges by, as `auth/token/lookup-self` shows them; none unless
   * said.
   */
  readonly policies?: readonly string[];
  /** When the token expires, Unix milliseconds; absent: never. */
  readonly expires?: number;
  /**
   * Names the token where the token itself must not stand; absent: it is none of the token store.
   */
  readonly accessor?: string;
  /** What is known of a token of the token store. */
  readonly token?: TokenFacts;
  /**
   * The AES-GCM key of a purpose that only the token gives; absent where the token is not known.
   */
  derive?(purpose: string): Promise<CryptoKey>;
  /** `forms`: names in the path that have several spellings; absent: none. */
  can(capability: Capability, path: string, forms?: PathForms): boolean;
  /**
   * Whether it may do anything on a prefix of paths, which ends with a slash, or below it. Absent:
   * `can` of the prefix itself tells.
   */
  reaches?(prefix: string): boolean;
  /**
   * Judges what was sent beside the path: rules on parameters, limits of wrapping (P 9.5.1).
   * Absent: anything may be sent.
   */
  permits?(asked: AskedOfPolicy): boolean;
}
/** What policies must know of a parameter. */
interface DeclaredParameter {
  /** The parameter that this is another name of. */
  readonly alias?: string;
  /** Reads a value as it was sent. Throws for one that does not fit. */
  parse(raw: unknown, at: string): unknown;
  /** The normal form of what was read, one for all its spellings; what was read unless declared. */
  form?(read: unknown): unknown;
}
/** A request as policies judge it once its body was read. */
export interface AskedOfPolicy {
  readonly capability: Capability;
  readonly path: string;
  /** Names in the path that have several spellings; absent: none. */
  readonly forms?: PathForms | undefined;
  /** Members of the query or the body as they came, without the path's. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * The parameters as their endpoint declares them: rules on one hold for all its names, and
   * judge its values in the form in which the endpoint compares and stores them. Absent: each has
   * one name and is judged as it came.
   */
  readonly declared?: Readonly<Record<string, DeclaredParameter>> | undefined;
  /**
   * Seconds for which the reply is wanted behind a wrapping token; absent: it is wanted as it is.
   */
  readonly wrapTtl?: number | undefined;
}
/** A path as policies judge it: below the version prefix, decoded, names in their normal form. */
export type JudgedPath = Pick<AskedOfPolicy, "path" | "forms">;
/** The same with the members that its endpoint declares. */
export type JudgedRequest = Pick<AskedOfPolicy, "path" | "forms" | "declared">;
/** What an access policy grants on a path. */
export type Capability = "create" | "read" | "update" | "delete" | "list" | "patch" | "sudo";
