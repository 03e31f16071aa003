type Plain = Readonly<Record<string, unknown>>;

/** Ways to show who calls: headers with the token of `/v1`, that of the variables, or others. */
export type Credential = "token" | "otherToken" | "bearer" | "basic" | "mutualTls" | "variables";

/** Endpoints that are told of together, chosen by their paths below the group's base. */
export interface Area {
  readonly name: string;
  readonly about: string;
  readonly has: RegExp;
}
/**
 * One group of endpoints and the path they lie below; `{parameters}` in it are declared as such.
 */
export interface Group<Endpoint> {
  readonly base: string;
  /** Tells its operations from those of other groups that have the same ids. */
  readonly tag: string;
  readonly endpoints: readonly Endpoint[];
  /** The first one that has a path is that of its operations. */
  readonly areas: readonly Area[];
  /** By which its callers show who they are, where they must: any one of these will do. */
  readonly credentials: readonly Credential[];
  /** What refuses a caller who is not known. */
  readonly strangers: "forbidden" | "unauthorized";
  /** Whether replies can be wanted wrapped. */
  readonly wraps?: boolean;
  /** Whether its base may lead nowhere. */
  readonly mounted?: boolean;
  /** Of its paths, as routes spell them, those that are described; all unless said. */
  readonly only?: ReadonlySet<string>;
  /** Those that are not: what OpenAPI cannot tell from another path. */
  readonly but?: ReadonlySet<string>;
}
/** A request that was sent and granted. */
export interface Example {
  readonly parameters?: Plain;
  readonly body?: unknown;
}
/** What is told besides what the endpoints say themselves. */
export interface About {
  readonly version: string;
  readonly description: string;
  readonly servers: readonly Plain[];
  /** The text of a parameter, by the path that it stands in, up to its end. */
  parameter(path: string, name: string): string;
  /** The words of a parameter that is one of a closed set. */
  words?(path: string, name: string): readonly string[] | undefined;
  /** Media types of the replies of an endpoint that are no JSON. */
  media(id: string): readonly string[] | undefined;
  example(id: string): Example | undefined;
  /** What an endpoint may be answered with besides, by its status. */
  further?(id: string): Readonly<Record<number, string>> | undefined;
  /** Who may call an open endpoint, where it asks all the same. */
  credentials(id: string): readonly (readonly Credential[])[] | undefined;
}
