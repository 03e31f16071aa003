type Plain = Readonly<Record<string, unknown>>;

/** Kinds of credentials: the token headers of `/v1`, those of the variables API, or others. */
export type Credential = "token" | "otherToken" | "bearer" | "basic" | "mutualTls" | "variables";

/** A group of endpoints in the documentation, chosen by their paths below the base. */
export interface Area {
  readonly name: string;
  readonly about: string;
  readonly has: RegExp;
}
/** A group of endpoints with its base path; `{parameters}` in the base are declared as such. */
export interface Group<Endpoint> {
  readonly base: string;
  /** Tag that distinguishes its operations from those of other groups with the same ids. */
  readonly tag: string;
  readonly endpoints: readonly Endpoint[];
  /** The first matching area applies to an operation. */
  readonly areas: readonly Area[];
  /** Accepted credentials, one of which is required; empty if none is. */
  readonly credentials: readonly Credential[];
  /** Error code for unauthenticated callers. */
  readonly strangers: "forbidden" | "unauthorized";
  /** Whether replies can be wrapped. */
  readonly wraps?: boolean;
  /** Whether its base may not exist, like a mount. */
  readonly mounted?: boolean;
  /** Paths to describe, as spelled in routes; by default all. */
  readonly only?: ReadonlySet<string>;
  /** Paths to omit, because OpenAPI cannot distinguish them from others. */
  readonly but?: ReadonlySet<string>;
}
/** A request with its successful reply. */
export interface Example {
  readonly parameters?: Plain;
  readonly body?: unknown;
}
/** Descriptions in addition to those of the endpoints. */
export interface ApiDescription {
  readonly version: string;
  readonly description: string;
  readonly servers: readonly Plain[];
  /** Returns the description of a parameter, given the path up to it. */
  parameter(path: string, name: string): string;
  /** Returns the allowed values of a parameter with a fixed set of values. */
  allowedValues?(path: string, name: string): readonly string[] | undefined;
  /** Returns the media types of an endpoint's replies, if not JSON. */
  media(id: string): readonly string[] | undefined;
  example(id: string): Example | undefined;
  /** Returns additional replies of an endpoint, by status. */
  further?(id: string): Readonly<Record<number, string>> | undefined;
  /** Returns the credentials of an open endpoint, if it requires some. */
  credentials(id: string): readonly (readonly Credential[])[] | undefined;
}
