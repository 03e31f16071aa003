import type { CaError, Refusal } from "../base/errors.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Identity } from "../engine/ports.ts";
import type { Call } from "./call.ts";
import type { RouteMatch, RouteTarget, Style } from "./endpoint.ts";
import type { Group } from "./openapi.ts";

/** The values of CORS response headers (Fetch Standard, "CORS protocol"). */
export interface Cors {
  readonly methods: string;
  readonly headers: string;
  /** Response headers that scripts may read. */
  readonly exposed: string;
}
/** The method and the path of a call in canonical form. */
export interface CanonicalPath extends Pick<Call, "method" | "path"> {
  /**
   * Error with which to reject the path. Ignored if the endpoint takes the rest of the path
   * undecoded.
   */
  readonly doubt?: CaError | undefined;
  /** Error with which to reject a trailing slash. Ignored if the target allows one. */
  readonly slashed?: CaError | undefined;
}
/** CORS settings: the other origins that may send requests. */
export interface CorsAllowance {
  /** Allowed origins; `*` alone allows all. */
  readonly origins: readonly string[];
  /** Additional allowed request headers. */
  readonly headers: readonly string[];
}
/** The decision of a rate limit: response headers, and an error if the limit is exceeded. */
export interface QuotaDecision {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: Error;
}

/**
 * An API of a deployment, as the dispatcher uses it. Calls of all APIs pass through the same
 * stages.
 */
export interface Api {
  /** Reports whether a path belongs to the API. */
  answers(path: string): boolean;
  /** The endpoint method for each HTTP method except HEAD. */
  readonly methods: Readonly<Record<string, string>>;
  /** Returns the token, the dialect and the options in the headers of a request. */
  credentials(headers: Call["headers"]): Pick<Call, "token" | "dialect" | "wrapTtl">;
  /**
   * Returns the method and the path in canonical form, including the base path of the API. Throws
   * if the path is invalid.
   */
  address(call: Call): CanonicalPath;
  /** Returns the target of a path. Throws the error for a path that does not exist. */
  resolveTarget(deployment: Deployment, call: Call): Promise<RouteTarget> | RouteTarget;
  /**
   * Returns the path that policies evaluate for a call to a path that does not exist. Callers
   * without permission are then rejected without learning that it does not exist. If absent, or if
   * it returns undefined, every caller learns this.
   */
  policyPath?(path: string): string | undefined;
  /** Returns the endpoint for a GET with `help=1`. If absent, `help` is an ordinary parameter. */
  help?(target: RouteTarget, arrived: string): Promise<RouteMatch>;
  /** Returns the identity of the caller, if any. Called at most once per call. */
  identify(deployment: Deployment, call: Call): Promise<Identity | undefined>;
  /** Returns the error for an unauthenticated caller. */
  unauthenticated(call: Call): Error;
  /** Code of the error for an unauthenticated caller, for descriptions. */
  readonly unauthenticatedCode: Refusal;
  /**
   * Reports whether the caller of a path is authenticated before routing. If absent, no caller is.
   */
  authenticatesFirst?(path: string): boolean;
  /**
   * Reports whether a path reveals nothing to anonymous callers, not even that it does not exist.
   */
  hidesPath?(path: string): boolean;
  /**
   * Counts a call by its caller, for paths that authenticate first. Returns undefined if the call
   * is not counted.
   */
  rateLimitCaller?(
    deployment: Deployment,
    call: Call,
    caller: Identity | undefined,
  ): QuotaDecision | undefined;
  /**
   * Counts a call by its target, before anything else. Returns undefined if the call is not
   * counted, and `later` if it must be counted with its parameters.
   */
  rateLimit?(
    deployment: Deployment,
    call: Call,
    parameters?: Readonly<Record<string, unknown>>,
  ): Promise<QuotaDecision | "later" | undefined> | undefined;
  /** Reports whether every call must be counted, so that cached responses must not be used. */
  isRateLimited?(deployment: Deployment): boolean;
  /** Returns headers for every response to a call. */
  headers?(call: Call, requestId: string): Readonly<Record<string, string>> | undefined;
  /** Returns the groups of endpoints for the OpenAPI document. If absent, there are none. */
  described?(): Promise<readonly Group[]>;
  /** Style of errors that occur before the endpoint is known. */
  readonly style: Style;
  /** Mount in the log events of calls to paths that do not exist. */
  readonly mount?: string;
  /** Methods and headers that pages of other origins may use. */
  readonly cors: Cors;
  /** Returns the stored CORS settings, which apply in addition to the host's. */
  allowed?(deployment: Deployment): Promise<CorsAllowance>;
  /**
   * Reports whether the cached configuration has CORS settings. If not, `allowed` need not be
   * called.
   */
  allows?(deployment: Deployment): boolean;
}

/**
 * Paths outside an API's base that are aliases of paths under it, such as those under
 * `/.well-known`.
 */
export interface Aliases {
  /** Reports whether a path is an alias. */
  answers(path: string): boolean;
  /**
   * Returns the target path under the base, without a leading slash, and additional parameters.
   * Returns undefined if the alias has no target.
   */
  resolve(deployment: Deployment, path: string): Promise<AliasTarget | undefined>;
}
/** The target of an alias. */
export interface AliasTarget {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}
/** An API and the deployment that it serves. */
export interface ServedApi {
  readonly deployment: Deployment;
  readonly api: Api;
  /** The API that provides the CORS settings. By default, it is `api`. */
  readonly origins?: Pick<Api, "allowed" | "allows">;
}
