import type { ParameterForm } from "../base/forms.ts";

/**
 * Patterns that path parameters must match, by name. The name of a parameter whose value may
 * contain slashes ends with `+`.
 */
export type Patterns = Readonly<Record<string, RegExp>>;
/** Normal forms of path parameters, by name. All other parameters have a single spelling. */
export type Forms = Readonly<Record<string, ParameterForm>>;
/** An endpoint of which only the routes are known. Its module is imported on the first call. */
export interface LazyEndpoint<Endpoint> {
  readonly id: string;
  readonly at: readonly string[];
  readonly rawRest?: boolean;
  load(): Promise<Endpoint>;
}
/** The endpoints under a path. Their order has no meaning. */
export interface EndpointList<Endpoint> {
  readonly endpoints: readonly (Endpoint | LazyEndpoint<Endpoint>)[];
  readonly parameters?: Patterns;
  readonly forms?: Forms;
}
/** A list of endpoints to which more may be added when a call matches none of them. */
export interface EndpointTable<Endpoint> extends EndpointList<Endpoint> {
  /** Matches paths that need no token. Every caller may learn which of these paths do not exist. */
  readonly open?: RegExp;
  /**
   * Loads the other endpoints. They must not share a path with the list, and none of them may take
   * the rest of its path undecoded.
   */
  loadMore?(): Promise<EndpointList<Endpoint>>;
}
