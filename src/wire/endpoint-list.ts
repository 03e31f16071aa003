import type { ParameterForm } from "../base/forms.ts";

/**
 * Patterns that path parameters must match, by name. Names of parameters that may contain slashes
 * end with `+`.
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
/** The endpoints below a path. Their order has no meaning. */
export interface EndpointList<Endpoint> {
  readonly endpoints: readonly (Endpoint | LazyEndpoint<Endpoint>)[];
  readonly parameters?: Patterns;
  readonly forms?: Forms;
}
/** A list of endpoints to which more may be added when a call matches none of them. */
export interface EndpointTable<Endpoint> extends EndpointList<Endpoint> {
  /**
   * Matches paths that need no token, so that every caller may learn which of them do not exist.
   */
  readonly open?: RegExp;
  /**
   * Loads the other endpoints. They share no path with the list, and none of them takes the rest of
   * its path undecoded.
   */
  loadMore?(): Promise<EndpointList<Endpoint>>;
}
