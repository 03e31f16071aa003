import type { CaError } from "../base/errors.ts";
import type { Refusal } from "../base/errors.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Identity } from "../engine/ports.ts";
import type { Call } from "./call.ts";
import type { RouteMatch, RouteTarget, Style } from "./endpoint.ts";
import type { Group } from "./openapi.ts";

/** What the browser of another origin is told (Fetch, "CORS protocol"). */
export interface Cors {
  readonly methods: string;
  readonly headers: string;
  /** Headers of replies that scripts may read. */
  readonly exposed: string;
}
/** Method and path of a call in their one spelling. */
export interface CanonicalPath extends Pick<Call, "method" | "path"> {
  /**
   * Why the path is refused, unless it leads to an endpoint that takes the rest of its path as it
   * arrived.
   */
  readonly doubt?: CaError | undefined;
  /** Why it is refused where it leads, unless a slash at its end is overlooked there. */
  readonly slashed?: CaError | undefined;
}
/** What is allowed to pages of other origins. */
export interface CorsAllowance {
  /** `*` alone: all of them. */
  readonly origins: readonly string[];
  /** Headers that their requests may have besides. */
  readonly headers: readonly string[];
}
/** What a limit says of one more request: headers that tell of it, and the refusal above it. */
export interface QuotaDecision {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: Error;
}

/**
 * One API of a deployment: what the front needs to know of it. All of them go one way, from the
 * request to its endpoint and back.
 */
export interface Api {
  /** Whether a path belongs to it. */
  answers(path: string): boolean;
  /** Methods of HTTP that it knows, but HEAD, and what endpoints call them. */
  readonly methods: Readonly<Record<string, string>>;
  /** Token, dialect and wishes that the headers of a request carry. */
  credentials(header: Call["header"]): Pick<Call, "token" | "dialect" | "wrapTtl">;
  /** Method and path as endpoints are found by them, the API's base still in it, or a refusal. */
  address(call: Call): CanonicalPath;
  /** Where a path leads. Throws what a path that leads nowhere answers. */
  resolveTarget(deployment: Deployment, call: Call): Promise<RouteTarget> | RouteTarget;
  /**
   * The path that policies judge of a call which leads nowhere: a token without rights on it does
   * not learn that. Absent or undefined: everybody is told.
   */
  policyPath?(path: string): string | undefined;
  /** What tells of the path of a GET with `help=1`; absent: `help` is a member like any other. */
  help?(target: RouteTarget, arrived: string): Promise<RouteMatch>;
  /** Who calls; undefined: nobody who is known. Asked at most once a call. */
  identify(deployment: Deployment, call: Call): Promise<Identity | undefined>;
  /** Returns the refusal of an unauthenticated caller. */
  unauthenticated(call: Call): Error;
  /** The code of that refusal, for descriptions. */
  readonly unauthenticatedCode: Refusal;
  /** Whether a path is looked at after its caller only; absent: none is. */
  authenticatesFirst?(path: string): boolean;
  /** Reports whether anonymous callers learn nothing of a path, not even that it does not exist. */
  hidesPath?(path: string): boolean;
  /** Counts a call whose caller is looked at first; `undefined`: this one is not counted. */
  rateLimitCaller?(
    deployment: Deployment,
    call: Call,
    caller: Identity | undefined,
  ): QuotaDecision | undefined;
  /**
   * Counts a call by where it leads, before anything else is looked at; `undefined`: this one is
   * not counted. `later`: it is to be asked again, with what the call says.
   */
  rateLimit?(
    deployment: Deployment,
    call: Call,
    said?: Readonly<Record<string, unknown>>,
  ): Promise<QuotaDecision | "later" | undefined> | undefined;
  /** Whether each call is to be counted, so that none is answered by what was kept. */
  isRateLimited?(deployment: Deployment): boolean;
  /** Headers of every reply to a call. */
  headers?(call: Call, requestId: string): Readonly<Record<string, string>> | undefined;
  /** What it answers, for the description of all; absent: nothing that is described. */
  described?(): Promise<readonly Group[]>;
  /** How refusals look that come before an endpoint is found. */
  readonly style: Style;
  /** The mount that the log is told of calls that lead nowhere. */
  readonly mount?: string;
  readonly cors: Cors;
  /** What is allowed to pages of other origins besides what the host says. */
  allowed?(deployment: Deployment): Promise<CorsAllowance>;
  /** Whether that is anything, as far as is known at hand. */
  allows?(deployment: Deployment): boolean;
}

/** Paths outside an API's base that stand for paths below it, such as those of `/.well-known`. */
export interface Aliases {
  /** Whether a path is one of them. */
  answers(path: string): boolean;
  /**
   * The path below the base that a path stands for, without a slash before it, and parameters that
   * its handler gets besides; undefined where it stands for none.
   */
  resolve(deployment: Deployment, path: string): Promise<AliasTarget | undefined>;
}
/** What an alias stands for. */
export interface AliasTarget {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}
/** An API and what it answers from. */
export interface ServedApi {
  readonly deployment: Deployment;
  readonly api: Api;
  /** What tells which pages of other origins may call; the API itself unless said. */
  readonly origins?: Pick<Api, "allowed" | "allows">;
}
