import type { Refusal } from "../base/errors.ts";
import type { AuditFields } from "../engine/audit-records.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Method as LoginMethod } from "../auth/rows/methods.ts";
import type { Mount } from "../engine/mount.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { TokenFacts } from "../engine/identity.ts";
import type { AccessRequest, Entity, Identity, PolicyTarget } from "../engine/ports.ts";
import type { AuditShare, Audits } from "./audits.ts";
import type { AuthReply, Outcome, RawReply, ReplyOptions } from "./outcome.ts";
import type { Basic, Call, Peer, Reply } from "./call.ts";
import type { Dialect } from "./dialect.ts";
import type { Field, Parsed, Shape } from "./field.ts";
import type { Group } from "./openapi-about.ts";
import type { AllParams, Method } from "./route-patterns.ts";
import type { EndpointTable, Forms } from "./endpoint-list.ts";

export type { Outcome, ReplyOptions as Responded } from "./outcome.ts";
export type { RawReply } from "./outcome.ts";
/** The endpoint table for a mount type, a login method type, or an API without mounts. */
export type MountEndpoints<On = Mount> = EndpointTable<AnyEndpoint<On>>;
/** The tables of all endpoints. Tables of mounts and login methods are indexed by type. */
export interface Tables {
  readonly mounts: Readonly<Record<string, MountEndpoints>>;
  readonly methods: Readonly<Record<string, MountEndpoints<LoginMethod>>>;
  readonly sys: MountEndpoints<Deployment>;
  readonly auth: MountEndpoints<Deployment>;
  readonly identity: MountEndpoints<Deployment>;
  readonly cubbyhole: MountEndpoints<Deployment>;
  beside?(): Promise<readonly Group<AnyEndpoint>[]>;
}
/** The identity of the caller, and the permissions of its token. */
interface CallerIdentity {
  readonly id: string;
  readonly policies: readonly string[];
  readonly entity: Entity | undefined;
  /** Expiry of the token in Unix ms. Absent if the token never expires. */
  readonly expires?: number | undefined;
  /** Accessor of the token. Absent if the token is not in the token store. */
  readonly accessor?: string | undefined;
  /** The stored properties of the token. Absent if the token is not from the token store. */
  readonly token?: TokenFacts | undefined;
  readonly can: Identity["can"];
  /**
   * Reports whether the caller may also send another request: its policies grant the capability,
   * and their rules on parameters and wrapping allow the request.
   */
  allows(request: AccessRequest): boolean;
  /** Derives an AES-GCM key for a purpose from the token. Absent if the caller has no token. */
  readonly derive?: Identity["derive"];
}
/** Functions with which a handler adds more than data to the response. */
export interface CallerReply {
  warn(warning: string): void;
  /**
   * Sets the time in Unix ms at which the data last changed, for If-Modified-Since. `sharesDate`
   * has the same meaning as in the raw style.
   */
  modified(at: number, sharesDate?: boolean): void;
  /** Sets the status of a response with data, and adds headers. */
  respond(chosen: ReplyOptions): void;
  /** Adds a lease that expires in `seconds`. */
  lease(id: string, seconds: number): void;
  /**
   * Adds a new or renewed token. `own` represents the token of the call, to which handlers have no
   * access.
   */
  auth(reply: AuthReply, token?: "own"): void;
  /** TTL in seconds of the requested wrapping token, if any. */
  readonly wrapTtl?: number | undefined;
  /**
   * Stores the wrapped response before the commit, so that a secret that is stored nowhere else is
   * not lost. `beside` contains other parts of the response. Absent if no wrapping was requested.
   */
  wrapReply?(reply: unknown, beside?: Pick<Outcome, "warnings" | "lease" | "auth">): Promise<void>;
}
/** Functions with which a handler adds to the log event and the audit event of a call. */
interface CallerAudit {
  /**
   * Adds fields to the log event of the call. They must not be secret. `trace` describes what the
   * call issued. If the response cannot be delivered, the error contains `trace`.
   */
  note(fields: Readonly<Record<string, string | number | boolean>>, trace?: string): void;
  /**
   * Sets the audit fields of the current attempt before its commit; see `ReplyEffects`. The event
   * contains hashes of the `names`, which are the names of what the call created.
   */
  draft?(fields?: AuditFields): void;
  /**
   * Sets the identity that an open endpoint authenticated. `share` is the audit quota of an
   * identity without a token.
   */
  setIdentity(identity: Identity, share?: AuditShare): void;
}
/**
 * A call as handlers see it: the caller, the request, and functions that add to the response and
 * the log.
 */
export interface Caller {
  readonly identity: CallerIdentity;
  readonly reply: CallerReply;
  readonly audit: CallerAudit;
  /** IP address of the client, if the platform reports it. */
  readonly address?: string | undefined;
  /** The client's chain in the TLS handshake; see `Peer`. */
  readonly tlsChain?: Peer["tlsChain"];
  readonly dialect: Dialect;
  /** Whether the request is a HEAD request. */
  readonly head: boolean;
  /** Percent-encoded request path relative to the API's base path, with the leading slash. */
  readonly path: string;
  /** Names of the members that the request contains. */
  readonly sentFields: ReadonlySet<string>;
  /** The endpoints of the deployment, for handlers that describe or make calls. */
  readonly tables: Tables;
  /**
   * Returns the unverified user name and password of HTTP Basic authentication (RFC 7617), if sent.
   */
  basic(): Basic | undefined;
  /**
   * Returns the identity of the token that was sent to an open endpoint, or undefined if the token
   * is not valid.
   */
  tokenIdentity(): Promise<Identity | undefined>;
  /**
   * Returns the path that policies evaluate for a path under the version prefix, and the members
   * that a method of the path declares.
   */
  policyTargetAt?(path: string, method?: string): Promise<PolicyTarget>;
  /**
   * Returns the deployment for changes that an open endpoint makes before its main change. The
   * audit event of the call is not stored with them.
   */
  detached(): Deployment;
}
/** A call with its endpoint and target. */
export interface RoutedCall {
  readonly call: Call;
  readonly target: RouteTarget;
  readonly endpoint: AnyEndpoint;
  readonly match: RouteMatch;
  readonly requestId: string;
  /** Logs an error that occurred after sending the response had begun. */
  failed(error: unknown): void;
  /**
   * Reads and returns the body. Rejects with `too_large` if the body exceeds the limit of the
   * endpoint or the caller.
   */
  body(): Promise<Uint8Array>;
}
/** A call that was rejected, possibly before its endpoint was found. */
export interface RefusedCall extends Pick<RoutedCall, "call" | "requestId"> {
  readonly target?: RouteTarget | undefined;
}
/**
 * The subject of a call: a mount, a login method, the deployment, or the store of an API without
 * mounts.
 */
export type Subject = Mount | LoginMethod | StoreContext | Deployment;

/** The destination of a path. */
export interface RouteTarget {
  /** The subject of the endpoints at the path. */
  readonly on: Subject;
  /**
   * Finds the endpoint of a method. If `listable`, a GET of a path that can only be listed is a
   * listing. `arrived` is the undecoded path under the base, for endpoints that take the rest of
   * the path undecoded. Throws `unsupported_path` if no endpoint has the path, and
   * `unsupported_operation` if none has the method.
   */
  find(method: string, listable: boolean, arrived: string): Promise<RouteMatch> | RouteMatch;
  /** Reports whether writes may have a trailing slash. */
  trims?(): Promise<boolean>;
  /** Percent-encoded path under the base of the target, with the leading slash. */
  readonly path: string;
  /** Path of the mount for policies, leases and logs, without leading or trailing slash. */
  readonly mount: string;
  /** Type of the mount, which envelopes contain. */
  readonly type: string;
  /** The tables of endpoints, if the API has several mounts. */
  readonly tables?: Tables;
}
/** The endpoint that matches a call. */
export interface RouteMatch<On = never> {
  readonly endpoint: AnyEndpoint<On>;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** The path with parameter names in place of their values. */
  readonly shape: string;
  /** Normal forms of the parameters that have several spellings. */
  readonly forms?: Forms;
  /** Set if a GET is a listing, because the path can only be listed. */
  readonly lists?: true;
  /**
   * The error to throw if the path does not support the requested method. `endpoint` is then the
   * endpoint of another method.
   */
  readonly refusal?: Error;
}
type Members = Readonly<Record<string, unknown>>;
/** The wire format for a family of endpoints. */
export interface Style {
  readonly name: "envelope" | "plain" | "raw" | "jsonapi";
  /**
   * The envelope member that always contains the declared response. If absent, the member is
   * `data`, which is null for an empty response.
   */
  readonly contents?: "data" | "wrap_info" | "auth";
  /** Required media type of request bodies, by method. */
  readonly accepts: Readonly<Partial<Record<string, string>>>;
  /** Member that receives the raw body as bytes. If absent, bodies are documents. */
  readonly whole?: string;
  /**
   * Error message for methods that a path does not have. Such errors then use this style; if
   * absent, they use the style of the API.
   */
  readonly otherMethods?: string;
  /**
   * Media type of responses, if it is always the same and differs from the media type of documents.
   */
  readonly answers?: string;
  readonly refusesAs?: string;
  /** Status of a successful change that returns no content. The default is 204. */
  readonly done?: 200;
  /** Set if unknown fields may be an error. Other protocols ignore unknown fields. */
  readonly isStrict?: true;
  /** Parses the members of a request. */
  read(routed: RoutedCall): Promise<Members> | Members;
  reply(outcome: Outcome, routed: RoutedCall): Promise<Reply> | Reply;
  refuse(error: unknown, routed: RefusedCall): Promise<Reply> | Reply;
}
/**
 * A rule about the members of a request. `none` and `many` are error messages that replace the
 * default ones.
 */
export type Rule<K extends string> =
  | { readonly exactlyOne: readonly K[]; readonly none?: string; readonly many?: string }
  | { readonly together: readonly K[] };
/**
 * The callers that an endpoint accepts. `open` accepts every caller and ignores tokens, `known`
 * requires a valid token, and the others also require policies that grant the method's capability.
 */
type Access = "token" | "sudo" | "known" | "open";

/** The `input` of an endpoint's handler. */
export type Input<B extends Shape, P extends string> = Parsed<B> & AllParams<P>;

/**
 * The declaration of an endpoint, from which its route, validation, types, client, OpenAPI
 * description and reference are derived. `On` is the type of the handler's subject.
 */
export interface Endpoint<
  Id extends string,
  P extends string,
  B extends Shape,
  R extends Shape,
  On = never,
> {
  readonly id: Id;
  /**
   * Method and path under the mount; further entries are aliases. `(/:name)` stands for the path
   * with and without that part, and `:name+` may contain slashes.
   */
  readonly at: readonly P[];
  readonly access: Access;
  readonly style: Style;
  readonly doc: string;
  readonly body: B;
  readonly rules?: readonly Rule<keyof B & string>[];
  readonly reply: R;
  /** Whether the response may contain only warnings, although a reply is declared. */
  readonly nullable?: boolean;
  /**
   * Returns the path or route that policies evaluate, for a call that simulates another call, such
   * as a dry run. If absent, policies evaluate the path of the call.
   */
  policyPathOf?(path: string): string;
  /**
   * Status of a successful response with data. The default is 200. A handler may choose another
   * status.
   */
  readonly status?: 201 | 202 | 204 | 303;
  /** Limits on the request body, if they differ from 8 MiB and 20,000 members (D 3). */
  readonly bodyLimits?: { readonly bytes: number; readonly members: number };
  /** Whether the members of `data` also appear at the top level of the response (P 9.1.3). */
  readonly hoist?: boolean;
  /**
   * Members that clients send although they have no effect. They are accepted without a warning.
   * `config.options` denotes a member of an object.
   */
  readonly ignores?: readonly string[];
  /**
   * Members whose values come from the path and, like parameters, override those in the body (A
   * 1.4).
   */
  readonly captures?: readonly string[];
  /** Whether the path of a write may end with a slash. */
  readonly trims?: true;
  /** Whether undeclared members are passed to the handler in `input.rest`, without a warning. */
  readonly rest?: boolean;
  /**
   * Whether the only parameter, which ends the path, is passed undecoded: base64, with any slashes
   * and percent-encoding. Only endpoints that anyone may call may set this.
   */
  readonly rawRest?: boolean;
  readonly refuses?: readonly Refusal[];
  /**
   * The members that audit events contain in addition to path parameters. `false` means that
   * changes are not audited.
   */
  readonly audits?: Audits | false;
  /**
   * Handles a call. Returns undefined for an empty response (204 for writes, 404 for reads), and
   * null for a response with `data: null`.
   */
  run(on: On, input: Input<B, P>, caller: Caller): Promise<Parsed<R> | RawReply | null | undefined>;
}
/**
 * The properties of an endpoint, other than its members, that determine the types of the client.
 */
export interface Answers<S extends Style, W extends Field<unknown> | undefined, More = undefined> {
  readonly style: S;
  /** True if a client may send any member, as in `Endpoint`. */
  readonly rest?: More;
  /**
   * The declared response as a single field, if the names of its members are data. `reply` is then
   * empty.
   */
  readonly whole?: W;
}
const declares =
  <On>() =>
  <
    const Id extends string,
    const P extends `${Method} /${string}`,
    B extends Shape,
    R extends Shape,
    S extends Style,
    W extends Field<unknown> | undefined = undefined,
    const More extends boolean | undefined = undefined,
  >(
    e: Endpoint<Id, P, B, R, On> & Answers<S, W, More>,
  ): Endpoint<Id, P, B, R, On> & Answers<S, W, More> =>
    e;
/**
 * Declares an endpoint of a mount. The types of its input and response follow from the declaration.
 */
export const endpoint = declares<Mount>();
/** Declares an endpoint of a login method. */
export const methodEndpoint = declares<LoginMethod>();
/** Declares an endpoint of `sys`, `auth/token` or `identity`, which concerns all mounts. */
export const systemEndpoint = declares<Deployment>();
/** Declares an endpoint of an API without mounts, which has one store. */
export const storeEndpoint = declares<StoreContext>();

/** An endpoint without the types of its input and response. */
export interface AnyEndpoint<On = never> extends Omit<
  Endpoint<string, string, Shape, Shape>,
  "run" | "rules"
> {
  readonly rules?: readonly Rule<string>[];
  readonly whole?: Field<unknown> | undefined;
  // `never`, because a handler's input is contravariant: only the dispatcher may call this, with
  // input that it parsed with `body`
  run(on: On, input: never, caller: Caller): Promise<unknown>;
}
