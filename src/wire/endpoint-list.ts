import type { ParameterForm } from "../base/forms.ts";

/** Patterns of path parameters by name; `+` marks parameters that may contain slashes. */
export type Patterns = Readonly<Record<string, RegExp>>;
/** Normal forms of path parameters by name; all others are compared exactly. */
export type Forms = Readonly<Record<string, ParameterForm>>;
/** An endpoint known only by its routes, whose module is imported on its first call. */
export interface LazyEndpoint<Endpoint> {
  readonly id: string;
  readonly at: readonly string[];
  readonly rawRest?: boolean;
  load(): Promise<Endpoint>;
}
/** Endpoints below one path. Their order has no meaning. */
export interface EndpointList<Endpoint> {
  readonly endpoints: readonly (Endpoint | LazyEndpoint<Endpoint>)[];
  readonly parameters?: Patterns;
  readonly forms?: Forms;
}
/** A list of endpoints that may be completed when a call matches none of them. */
export interface EndpointTable<Endpoint> extends EndpointList<Endpoint> {
  /** Paths that need no token, so that every caller may learn which of them do not exist. */
  readonly open?: RegExp;
  /**
   * Loads the other endpoints. None of their paths is in the list, and none takes the rest of its
   * path undecoded.
   */
  loadMore?(): Promise<EndpointList<Endpoint>>;
}
