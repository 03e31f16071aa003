import type { Refusal } from "../base/errors.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Method as LoginMethod } from "../engine/methods.ts";
import type { Mount } from "../engine/mount.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { TokenFacts } from "../engine/identity.ts";
import type { Entity, Identity, JudgedRequest } from "../engine/ports.ts";
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
/** The endpoints of mounts, or of login methods, of one type, or of what is no mount. */
export type MountEndpoints<On = Mount> = EndpointTable<AnyEndpoint<On>>;
/** All endpoints: those of mounts and of login methods by their type. */
export interface Tables {
  readonly mounts: Readonly<Record<string, MountEndpoints>>;
  readonly methods: Readonly<Record<string, MountEndpoints<LoginMethod>>>;
  readonly sys: MountEndpoints<Deployment>;
  readonly auth: MountEndpoints<Deployment>;
  readonly identity: MountEndpoints<Deployment>;
  readonly cubbyhole: MountEndpoints<Deployment>;
  beside?(): Promise<readonly Group<AnyEndpoint>[]>;
}
/** Who calls, and what the caller's token permits. */
export interface CallerIdentity {
  readonly id: string;
  readonly policies: readonly string[];
  readonly entity: Entity | undefined;
  /** When the token expires, Unix milliseconds; absent: never. */
  readonly expires?: number | undefined;
  /** Accessor of the token; absent where the token store has none. */
  readonly accessor?: string | undefined;
  /** Facts of the token; absent where it is not of the token store. */
  readonly token?: TokenFacts | undefined;
  /** Address of the client, as the platform reports it; absent where it does not. */
  readonly address?: string | undefined;
  /** The chain that the client showed in the TLS handshake, as in `Peer`. */
  readonly tlsChain?: Peer["tlsChain"];
  readonly can: Identity["can"];
  /** Returns the AES-GCM key of a purpose that only the token yields; absent where it has none. */
  derive?: NonNullable<Identity["derive"]>;
  /** Returns user name and password of HTTP Basic (RFC 7617), not verified. */
  basic(): Basic | undefined;
  /** Returns the holder of the token for an open endpoint; undefined where it is not valid. */
  tokenIdentity(): Promise<Identity | undefined>;
  /** Returns how policies judge a path below the version prefix, and a method's members there. */
  judgedAt?(path: string, method?: string): Promise<JudgedRequest>;
}
/** What a handler adds to the reply beside its data. */
export interface CallerReply {
  warn(warning: string): void;
  /**
   * Sets when the data last changed, Unix milliseconds: compared with If-Modified-Since as in the
   * raw style. `sharesDate`: as there.
   */
  modified(at: number, sharesDate?: boolean): void;
  /** Sets the status of a reply that has data, and adds headers. */
  respond(chosen: ReplyOptions): void;
  /** Adds a lease that expires in `seconds`. */
  lease(id: string, seconds: number): void;
  /** Adds a token that was made or renewed. `own`: the token of the call, which no handler has. */
  auth(reply: AuthReply, token?: "own"): void;
  /** Seconds for which the reply is wanted behind a wrapping token; absent: as it is. */
  readonly wrapTtl?: number | undefined;
  /**
   * Puts the reply behind its wrapping token before the commit, so that a secret which is stored
   * nowhere else is not lost. `beside`: further parts of the reply. Absent without wrapping.
   */
  wrapReply?(reply: unknown, beside?: Pick<Outcome, "warnings" | "lease" | "auth">): Promise<void>;
}
/** What a handler tells the log and the audit. */
export interface CallerAudit {
  /**
   * Adds fields to the log event of this call. Never secrets. `trace`: what the caller must learn
   * even where the reply is lost.
   */
  note(fields: Readonly<Record<string, string | number | boolean>>, trace?: string): void;
  /** Receives what an attempt notes before its commit; see `Voice`. */
  draft?(fields?: Readonly<Record<string, string | number | boolean>>): void;
  /** Sets the caller that an open endpoint has authenticated. `share`: where it has no token. */
  setIdentity(identity: Identity, share?: AuditShare): void;
  /**
   * Returns the deployment for work that an open endpoint does before its main change; that work is
   * audited with this call.
   */
  detached(): Deployment;
}
/** The caller's identity, the call, and ways to add to the reply and the log. */
export interface Caller extends CallerIdentity, CallerReply, CallerAudit {
  readonly dialect: Dialect;
  /** Reports whether only the headers of the reply are wanted. */
  readonly head: boolean;
  /** The path of the call below its base, from the slash on, percent-encoded. */
  readonly path: string;
  /** The endpoints of this deployment, for handlers that describe or repeat calls. */
  readonly tables: Tables;
  /** Names of the members that the request carried. */
  readonly sentFields: ReadonlySet<string>;
}
/** A call whose endpoint is found. */
export interface RoutedCall {
  readonly call: Call;
  readonly target: RouteTarget;
  readonly endpoint: AnyEndpoint;
  readonly requestId: string;
  /** Tells the log of what failed after the reply had begun. */
  failed(error: unknown): void;
  /** Returns the body. Rejects with `too_large` above what endpoint or caller may send. */
  body(): Promise<Uint8Array>;
}
/** A call on its way to a refusal, which may come before its endpoint is found. */
export interface RefusedCall extends Pick<RoutedCall, "call" | "requestId"> {
  readonly target?: RouteTarget | undefined;
}
/** What a call works on: one of these, or the store of an API beside the mounts. */
export type Subject = Mount | LoginMethod | StoreContext | Deployment;

/** Where a path is routed. */
export interface RouteTarget {
  /** What the handlers of the endpoints work on that it finds. */
  readonly on: Subject;
  /**
   * Finds the endpoint of a method. `listable`: a GET of a path that only lists is its listing.
   * `arrived`: the path below the base as it came, for endpoints that take the rest of it so.
   * Throws `unsupported_path` or `unsupported_operation`.
   */
  find(method: string, listable: boolean, arrived: string): Promise<RouteMatch>;
  /** Whether a write to a path with a slash at its end is one to the path without it. */
  trims?(): Promise<boolean>;
  /** The path below its base, from the slash on, percent-encoded. */
  readonly path: string;
  /** The mount, for policies, leases and logs; without slashes at its ends. */
  readonly mount: string;
  /** Type of the mount, as envelopes tell it. */
  readonly type: string;
  /** What can be called where this is one place of several. */
  readonly tables?: Tables;
}
/** The endpoint of a call. */
export interface RouteMatch<On = never> {
  readonly endpoint: AnyEndpoint<On>;
  /** The path's parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The path as its route spells it: names of parameters stand for their values. */
  readonly shape: string;
  /** Parameters of such paths that have several spellings. */
  readonly forms?: Forms;
  /** A plain GET that is a listing, because the path has nothing else to read. */
  readonly lists?: true;
  /** The path has other methods only: the endpoint of one of them refuses. */
  readonly refusal?: Error;
}
type Members = Readonly<Record<string, unknown>>;
/** How a family of endpoints looks on the wire. */
export interface Style {
  readonly name: "envelope" | "plain" | "raw" | "jsonapi";
  /**
   * The envelope's member that the declared reply stands in, where it is never empty; `data`, or
   * nothing at all, unless said.
   */
  readonly holds?: "data" | "wrap_info" | "auth";
  /** Media type of the bodies of a method; none is demanded of a method that has none here. */
  readonly accepts: Readonly<Partial<Record<string, string>>>;
  /** The member that is the body itself, bytes; absent: bodies are documents of members. */
  readonly whole?: string;
  /**
   * What a method is told that a path does not have: such a call is then refused as this style
   * refuses. Absent: as the API does.
   */
  readonly otherMethods?: string;
  /** Media type of replies, and of refusals, where it is one for all and not that of documents. */
  readonly answers?: string;
  readonly refusesAs?: string;
  /** Status of a change that has nothing to say; 204 unless said. */
  readonly done?: 200;
  /** The members of the request's body. */
  read(routed: RoutedCall): Promise<Members> | Members;
  reply(outcome: Outcome, routed: RoutedCall): Promise<Reply> | Reply;
  refuse(error: unknown, routed: RefusedCall): Promise<Reply> | Reply;
}
/**
 * What the members that were sent must keep among each other; `none` and `many` replace the texts
 * of refusals.
 */
export type Rule<K extends string> =
  | { readonly exactlyOne: readonly K[]; readonly none?: string; readonly many?: string }
  | { readonly together: readonly K[] };
/**
 * Who may call. `open` ignores tokens; `known` needs a valid one; the others need one whose
 * policies grant the method's capability.
 */
export type Access = "token" | "sudo" | "known" | "open";

/** What an endpoint's handler gets as `input`. */
export type Input<B extends Shape, P extends string> = Parsed<B> & AllParams<P>;

/**
 * One endpoint: route, validation, types, client, OpenAPI and reference are derived from it. `On`:
 * what its handler works on.
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
   * Method and path below the mount; `(/:name)` spells both paths, `:name+` takes slashes too.
   * Twins are further spellings.
   */
  readonly at: readonly P[];
  readonly access: Access;
  readonly style: Style;
  readonly doc: string;
  readonly body: B;
  readonly rules?: readonly Rule<keyof B & string>[];
  readonly reply: R;
  /** May answer no data but warnings instead, although a reply is declared. */
  readonly nullable?: boolean;
  /**
   * Returns the path, or its route, that policies judge below the mount for a call that stands for
   * another, such as a dry run; absent: that of the call.
   */
  policyPathOf?(path: string): string;
  /** Status of a success with data; 200 unless said. A handler may choose another. */
  readonly status?: 201 | 202 | 204;
  /** How large bodies may be, where that is not 8 MiB and 20,000 members (D 3). */
  readonly takes?: { readonly bytes: number; readonly members: number };
  /** The members of `data` stand at the top level of the answer too (P 9.1.3). */
  readonly hoist?: boolean;
  /** Members that clients send and that mean nothing here: accepted without a warning. */
  readonly ignores?: readonly string[];
  /** Members that the paths spell out: the path replaces them like any parameter (A 1.4). */
  readonly captures?: readonly string[];
  /** A write to its path with a slash at the end is one to the path without it. */
  readonly trims?: true;
  /** Members that are not declared arrive in `input.rest` and draw no warning. */
  readonly rest?: boolean;
  /**
   * The one parameter of its paths, at their end, is given as it arrived: base64 text, whatever
   * slashes and escapes are in it. Only an endpoint that is open to all may take that.
   */
  readonly rawRest?: boolean;
  readonly refuses?: readonly Refusal[];
  /**
   * Members that the audit tells of a request which changed something, beside the parameters of the
   * path. `false`: nothing that it changes is worth an event.
   */
  readonly audits?: Audits | false;
  /**
   * Answers `undefined` for an empty reply (204 on writes, 404 on reads), null for one with `data:
   * null`.
   */
  run(on: On, input: Input<B, P>, caller: Caller): Promise<Parsed<R> | RawReply | null | undefined>;
}
/** What the types of a client depend on beside an endpoint's members. */
export interface Answers<S extends Style, W extends Field<unknown> | undefined, More = undefined> {
  readonly style: S;
  /** As in `Endpoint`: a client may then send any member. */
  readonly rest?: More;
  /** The reply as one field where the names of its members are data; `reply` has none then. */
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
/** Declares an endpoint of a mount; the types of its input and reply come from the declaration. */
export const endpoint = declares<Mount>();
/** Declares an endpoint of a login method. */
export const methodEndpoint = declares<LoginMethod>();
/** Declares an endpoint of `sys`, `auth/token` or `identity`, which concerns all mounts. */
export const systemEndpoint = declares<Deployment>();
/** Declares an endpoint of an API beside the mounts, which has one store. */
export const storeEndpoint = declares<StoreContext>();

/** Any endpoint, as the machinery sees it. */
export interface AnyEndpoint<On = never> extends Omit<
  Endpoint<string, string, Shape, Shape>,
  "run" | "rules"
> {
  readonly rules?: readonly Rule<string>[];
  readonly whole?: Field<unknown> | undefined;
  // `never` because a handler's input is contravariant: only the dispatcher, which parsed it by
  // `body`, may call this
  run(on: On, input: never, caller: Caller): Promise<unknown>;
}
