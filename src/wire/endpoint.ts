import type { Refusal } from "../base/errors.ts";
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
/** The endpoints of a type of mount or login method, or of an API without mounts. */
export type MountEndpoints<On = Mount> = EndpointTable<AnyEndpoint<On>>;
/** All endpoints; those of mounts and login methods by type. */
export interface Tables {
  readonly mounts: Readonly<Record<string, MountEndpoints>>;
  readonly methods: Readonly<Record<string, MountEndpoints<LoginMethod>>>;
  readonly sys: MountEndpoints<Deployment>;
  readonly auth: MountEndpoints<Deployment>;
  readonly identity: MountEndpoints<Deployment>;
  readonly cubbyhole: MountEndpoints<Deployment>;
  beside?(): Promise<readonly Group<AnyEndpoint>[]>;
}
/** The caller, and what its token permits. */
interface CallerIdentity {
  readonly id: string;
  readonly policies: readonly string[];
  readonly entity: Entity | undefined;
  /** Expiry of the token (Unix ms); absent if it never expires. */
  readonly expires?: number | undefined;
  /** Accessor of the token; absent if it is not in the token store. */
  readonly accessor?: string | undefined;
  /** Facts about the token; absent if it is not from the token store. */
  readonly token?: TokenFacts | undefined;
  readonly can: Identity["can"];
  /**
   * Reports whether the caller may make another request: its policies grant the capability, and
   * their rules on parameters and wrapping permit the request.
   */
  allows(request: AccessRequest): boolean;
  /** Derives an AES-GCM key for a purpose from the token; absent without a token. */
  readonly derive?: Identity["derive"];
}
/** Additions of a handler to the reply besides its data. */
export interface CallerReply {
  warn(warning: string): void;
  /**
   * Sets when the data last changed (Unix ms), for If-Modified-Since as in the raw style.
   * `sharesDate`: as there.
   */
  modified(at: number, sharesDate?: boolean): void;
  /** Sets the status of a reply with data, and adds headers. */
  respond(chosen: ReplyOptions): void;
  /** Adds a lease that expires in `seconds`. */
  lease(id: string, seconds: number): void;
  /**
   * Adds a new or renewed token. `own`: the token of the call, to which handlers have no access.
   */
  auth(reply: AuthReply, token?: "own"): void;
  /** TTL in seconds of the requested wrapping token, if any. */
  readonly wrapTtl?: number | undefined;
  /**
   * Stores the wrapped reply before the commit, so that a secret stored nowhere else is not lost.
   * `beside`: other parts of the reply. Absent without wrapping.
   */
  wrapReply?(reply: unknown, beside?: Pick<Outcome, "warnings" | "lease" | "auth">): Promise<void>;
}
/** Ways for a handler to add to log and audit. */
interface CallerAudit {
  /**
   * Adds fields to the log event of this call, never secrets. `trace`: information that the caller
   * must get even if the reply is lost.
   */
  note(fields: Readonly<Record<string, string | number | boolean>>, trace?: string): void;
  /** Receives the audit fields of an attempt before its commit; see `ReplyEffects`. */
  draft?(fields?: Readonly<Record<string, string | number | boolean>>): void;
  /**
   * Sets the identity authenticated by an open endpoint. `share`: for an identity without a token.
   */
  setIdentity(identity: Identity, share?: AuditShare): void;
}
/** The call as handlers see it: who calls, how, and ways to add to the reply and the log. */
export interface Caller {
  readonly identity: CallerIdentity;
  readonly reply: CallerReply;
  readonly audit: CallerAudit;
  /** Client address, if the platform reports it. */
  readonly address?: string | undefined;
  /** The chain of the client in the TLS handshake, as in `Peer`. */
  readonly tlsChain?: Peer["tlsChain"];
  readonly dialect: Dialect;
  /** Whether it is a HEAD request. */
  readonly head: boolean;
  /** Path of the call below its base, with the leading slash, percent-encoded. */
  readonly path: string;
  /** Names of the members in the request. */
  readonly sentFields: ReadonlySet<string>;
  /** The endpoints of this deployment, for handlers that describe or repeat calls. */
  readonly tables: Tables;
  /** Returns user name and password of HTTP Basic (RFC 7617), unverified. */
  basic(): Basic | undefined;
  /** Returns the identity of the token at an open endpoint; undefined if invalid. */
  tokenIdentity(): Promise<Identity | undefined>;
  /**
   * Returns a path below the version prefix in the form that policies evaluate, with the members of
   * a method there.
   */
  policyTargetAt?(path: string, method?: string): Promise<PolicyTarget>;
  /**
   * Returns the deployment, for work an open endpoint does before its main change; that work is
   * audited with this call.
   */
  detached(): Deployment;
}
/** A routed call. */
export interface RoutedCall {
  readonly call: Call;
  readonly target: RouteTarget;
  readonly endpoint: AnyEndpoint;
  readonly match: RouteMatch;
  readonly requestId: string;
  /** Logs an error that occurred after the reply had begun. */
  failed(error: unknown): void;
  /** Returns the body. Rejects with `too_large` above the limit of endpoint or caller. */
  body(): Promise<Uint8Array>;
}
/** A rejected call, possibly before its endpoint was found. */
export interface RefusedCall extends Pick<RoutedCall, "call" | "requestId"> {
  readonly target?: RouteTarget | undefined;
}
/** The subject of a call: one of these, or the store of an API outside the mounts. */
export type Subject = Mount | LoginMethod | StoreContext | Deployment;

/** Where a path is routed. */
export interface RouteTarget {
  /** The subject of its endpoints. */
  readonly on: Subject;
  /**
   * Finds the endpoint of a method. `listable`: a GET of a path that can only be listed is a
   * listing. `arrived`: the undecoded path below the base, for endpoints that take its rest
   * undecoded. Throws `unsupported_path` or `unsupported_operation`.
   */
  find(method: string, listable: boolean, arrived: string): Promise<RouteMatch> | RouteMatch;
  /** Reports whether writes may have a trailing slash. */
  trims?(): Promise<boolean>;
  /** Path below its base, with the leading slash, percent-encoded. */
  readonly path: string;
  /** Path of the mount for policies, leases and logs, without surrounding slashes. */
  readonly mount: string;
  /** Type of the mount, for envelopes. */
  readonly type: string;
  /** The endpoints, if there are several mounts. */
  readonly tables?: Tables;
}
/** The endpoint of a call. */
export interface RouteMatch<On = never> {
  readonly endpoint: AnyEndpoint<On>;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** The path with parameter names in place of values. */
  readonly shape: string;
  /** Normal forms of its parameters with several spellings. */
  readonly forms?: Forms;
  /** Whether a GET is a listing, because the path can only be listed. */
  readonly lists?: true;
  /** The error, if the path only has other methods, one of whose endpoints this is. */
  readonly refusal?: Error;
}
type Members = Readonly<Record<string, unknown>>;
/** The wire format of a family of endpoints. */
export interface Style {
  readonly name: "envelope" | "plain" | "raw" | "jsonapi";
  /**
   * The envelope member that contains the declared reply, if that is never empty; by default `data`
   * or nothing.
   */
  readonly contents?: "data" | "wrap_info" | "auth";
  /** Required media type of request bodies, by method. */
  readonly accepts: Readonly<Partial<Record<string, string>>>;
  /** Member that receives the raw body as bytes. Absent: bodies are documents. */
  readonly whole?: string;
  /**
   * Error message for methods that a path does not have; such errors then use this style. Absent:
   * the API's.
   */
  readonly otherMethods?: string;
  /** Media type of replies and errors, if always the same and not that of documents. */
  readonly answers?: string;
  readonly refusesAs?: string;
  /** Status of a change without a reply; default 204. */
  readonly done?: 200;
  /** Whether unknown fields may be an error; other protocols ignore them. */
  readonly isStrict?: true;
  /** Parses the members of the request. */
  read(routed: RoutedCall): Promise<Members> | Members;
  reply(outcome: Outcome, routed: RoutedCall): Promise<Reply> | Reply;
  refuse(error: unknown, routed: RefusedCall): Promise<Reply> | Reply;
}
/** A rule about members of a request. `none` and `many` replace the error messages. */
export type Rule<K extends string> =
  | { readonly exactlyOne: readonly K[]; readonly none?: string; readonly many?: string }
  | { readonly together: readonly K[] };
/**
 * Allowed callers. `open` ignores tokens, `known` requires a valid one, and the others require
 * policies that grant the method's capability.
 */
type Access = "token" | "sudo" | "known" | "open";

/** The `input` of an endpoint's handler. */
export type Input<B extends Shape, P extends string> = Parsed<B> & AllParams<P>;

/**
 * An endpoint, from which route, validation, types, client, OpenAPI and reference are derived.
 * `On`: subject of its handler.
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
   * Method and path below the mount. `(/:name)` stands for both paths, and `:name+` may contain
   * slashes. Aliases are additional paths.
   */
  readonly at: readonly P[];
  readonly access: Access;
  readonly style: Style;
  readonly doc: string;
  readonly body: B;
  readonly rules?: readonly Rule<keyof B & string>[];
  readonly reply: R;
  /** Whether it may reply with only warnings, although a reply is declared. */
  readonly nullable?: boolean;
  /**
   * Returns the path or route that policies evaluate for a call on behalf of another, such as a dry
   * run. Absent: that of the call.
   */
  policyPathOf?(path: string): string;
  /** Status of a success with data; default 200. A handler may choose another. */
  readonly status?: 201 | 202 | 204 | 303;
  /** Limits of the body, if different from 8 MiB and 20,000 members (D 3). */
  readonly bodyLimits?: { readonly bytes: number; readonly members: number };
  /** Whether the members of `data` also appear at the top level of the reply (P 9.1.3). */
  readonly hoist?: boolean;
  /**
   * Members that clients send without effect, accepted without a warning; `config.options` denotes
   * a member of an object.
   */
  readonly ignores?: readonly string[];
  /**
   * Members that are part of the paths, which override those in the body like parameters (A 1.4).
   */
  readonly captures?: readonly string[];
  /** Whether writes to its path may have a trailing slash. */
  readonly trims?: true;
  /** Whether undeclared members are passed in `input.rest` without a warning. */
  readonly rest?: boolean;
  /**
   * Whether its only parameter, at the end of the path, is passed undecoded: base64 text, with any
   * slashes and escapes. Only for endpoints that are open to all.
   */
  readonly rawRest?: boolean;
  readonly refuses?: readonly Refusal[];
  /**
   * Members that audit events contain besides path parameters. `false`: changes are not audited.
   */
  readonly audits?: Audits | false;
  /**
   * Handles a call. Returns `undefined` for an empty reply (204 for writes, 404 for reads), and
   * null for a reply with `data: null`.
   */
  run(on: On, input: Input<B, P>, caller: Caller): Promise<Parsed<R> | RawReply | null | undefined>;
}
/** The inputs of client types besides an endpoint's members. */
export interface Answers<S extends Style, W extends Field<unknown> | undefined, More = undefined> {
  readonly style: S;
  /** As in `Endpoint`; then a client may send any member. */
  readonly rest?: More;
  /** The reply as one field, if the names of its members are data; then `reply` is empty. */
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
/** Declares an endpoint of a mount; its input and reply types follow from the declaration. */
export const endpoint = declares<Mount>();
/** Declares an endpoint of a login method. */
export const methodEndpoint = declares<LoginMethod>();
/** Declares an endpoint of `sys`, `auth/token` or `identity`, which concerns all mounts. */
export const systemEndpoint = declares<Deployment>();
/** Declares an endpoint of an API outside the mounts, which has one store. */
export const storeEndpoint = declares<StoreContext>();

/** An endpoint without its specific types. */
export interface AnyEndpoint<On = never> extends Omit<
  Endpoint<string, string, Shape, Shape>,
  "run" | "rules"
> {
  readonly rules?: readonly Rule<string>[];
  readonly whole?: Field<unknown> | undefined;
  // `never` because a handler's input is contravariant: only the dispatcher, which parsed it with
  // `body`, may call this
  run(on: On, input: never, caller: Caller): Promise<unknown>;
}
