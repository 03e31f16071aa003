type Plain = Readonly<Record<string, unknown>>;

/**
 * The kinds of credentials: the token headers of `/v1`, the token of the variables API, and others.
 */
export type Credential = "token" | "otherToken" | "bearer" | "basic" | "mutualTls" | "variables";

/**
 * A section of the documentation, which contains the endpoints whose paths under the base match
 * `has`.
 */
export interface Area {
  readonly name: string;
  readonly about: string;
  readonly has: RegExp;
}
/** A group of endpoints with a common base path, which may contain `{parameters}`. */
export interface Group<Endpoint> {
  readonly base: string;
  /**
   * Tag that distinguishes operations of this group from operations of other groups with the same
   * IDs.
   */
  readonly tag: string;
  readonly endpoints: readonly Endpoint[];
  /** The sections of the documentation. An operation belongs to the first section that matches. */
  readonly areas: readonly Area[];
  /** The accepted credentials, one of which is required. Empty if none is required. */
  readonly credentials: readonly Credential[];
  /** Error code for unauthenticated callers. */
  readonly anonymous: "forbidden" | "unauthorized";
  /** Whether responses can be wrapped. */
  readonly wraps?: boolean;
  /** Whether it is possible that the base does not exist, as with a mount. */
  readonly mounted?: boolean;
  /** Paths to describe, as spelled in routes. By default, all paths are described. */
  readonly only?: ReadonlySet<string>;
  /** Paths to omit because OpenAPI cannot distinguish them from other paths. */
  readonly but?: ReadonlySet<string>;
}
/** An example: a request and its successful response. */
export interface Example {
  readonly parameters?: Plain;
  readonly body?: unknown;
}
/** Descriptions that the endpoints do not contain. */
export interface ApiDescription {
  readonly version: string;
  readonly description: string;
  readonly servers: readonly Plain[];
  /** Returns the description of a path parameter. `path` is the path up to the parameter. */
  parameter(path: string, name: string): string;
  /** Returns the allowed values of a path parameter, if it has a fixed set of values. */
  allowedValues?(path: string, name: string): readonly string[] | undefined;
  /** Returns the media types of an endpoint's responses, if they are not JSON. */
  media(id: string): readonly string[] | undefined;
  example(id: string): Example | undefined;
  /** Returns additional responses of an endpoint, by status. */
  further?(id: string): Readonly<Record<number, string>> | undefined;
  /** Returns the credentials that an open endpoint itself requires, if any. */
  credentials(id: string): readonly (readonly Credential[])[] | undefined;
}
