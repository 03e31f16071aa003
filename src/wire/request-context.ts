import { fromBase64, fromUtf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { importOnce } from "../base/import-once.ts";
import { hasControlCharacter } from "../base/names.ts";
import type { AuditLogName } from "../engine/audit-records.ts";
import { type AuditAttachment, attachAudit } from "../engine/audit-attachment.ts";
import type { Identity, LogEvent, Ports } from "../engine/ports.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { requireBoolean, judgedAt } from "./access.ts";
import type { ServedApi, CanonicalPath } from "./api.ts";
import type { AuditShare } from "./audits.ts";
import type { Basic, Call, Reply } from "./call.ts";
import type {
  AnyEndpoint,
  Caller,
  Outcome,
  Responded,
  RoutedCall,
  RouteMatch,
  RouteTarget,
} from "./endpoint.ts";
import type { Input } from "./shape.ts";
import type { ReplyWrapping } from "./wrap.ts";

/** What the handler adds to the reply beside its data. */
interface ReplyState {
  readonly warnings: string[];
  lease: Outcome["lease"];
  auth: Outcome["auth"];
  modified: Outcome["modified"];
  sharesDate: Outcome["sharesDate"];
  responded: Responded;
}
/** What the log and the audit are told beside what they read of the request. */
interface AuditState {
  readonly fields: Record<string, string | number | boolean>;
  /** Fields that the attempt under way has noted. */
  draft: Readonly<Record<string, string | number | boolean>>;
  /** What the caller must learn of what was done even where the reply is lost. */
  trace?: string | undefined;
  /** Log and share of a caller that an open endpoint authenticated without a token. */
  share?: AuditShare | undefined;
  /** An open endpoint has set the identity. */
  isIdentitySet?: boolean;
  /** The refusal of a request without a valid token. */
  unauthenticated?: Error;
}
/** The state of one request on its way through the stages of `dispatch`. */
export interface RequestContext extends ServedApi {
  /** Empty where no random bytes could be had. */
  requestId: string;
  /** Unix milliseconds. */
  readonly started: number;
  /** As it arrived; with its normalized address once it is routed. */
  call: Call;
  /** Headers beside those of the reply. */
  headers: Readonly<Record<string, string>> | undefined;
  /** The request is counted against its rate limit once its members are known. */
  isRateLimitPending: boolean;
  /** The call with its normalized address, and the refusals of a doubtful one. */
  normalized: Pick<CanonicalPath, "doubt" | "slashed"> & { readonly call: Call };
  target: RouteTarget | undefined;
  match: RouteMatch | undefined;
  endpoint: AnyEndpoint | undefined;
  routed: RoutedCall | undefined;
  identity: Identity | undefined;
  input: Input;
  /** Seconds for which the reply is wanted behind a wrapping token. */
  wrapTtl: number | undefined;
  readonly effects: ReplyState;
  readonly audit: AuditState;
  /** Puts the event of the request into its first change. */
  attachment: AuditAttachment | undefined;
  result: HandlerResult | undefined;
  reply: Reply | undefined;
  /** Returns who calls; the token is looked up once, and only where it matters. */
  authenticate(): Promise<Identity | undefined>;
}
/** What the handler returned, for the stages behind it. */
interface HandlerResult {
  readonly data: unknown;
  readonly wrapping: ReplyWrapping | undefined;
  /** Adds the reply to the cache of public replies. */
  readonly cacheReply: ((reply: Reply) => void) | undefined;
}

const noInput: Input = { input: {}, sent: new Set(), members: {}, ignored: [] };
/** Returns the state of a request that has just arrived. */
export function newRequest(served: ServedApi, call: Call): RequestContext {
  let identity: Promise<Identity | undefined> | undefined;
  // all members from the start: objects that grow on the way cost a tenth of a read
  const request: RequestContext = {
    deployment: served.deployment,
    api: served.api,
    requestId: "",
    started: served.deployment.ports.now(),
    call,
    headers: undefined,
    isRateLimitPending: false,
    normalized: { call, doubt: undefined, slashed: undefined },
    target: undefined,
    match: undefined,
    endpoint: undefined,
    routed: undefined,
    identity: undefined,
    input: noInput,
    wrapTtl: undefined,
    attachment: undefined,
    result: undefined,
    reply: undefined,
    effects: {
      warnings: [],
      lease: undefined,
      auth: undefined,
      modified: undefined,
      sharesDate: undefined,
      responded: {},
    },
    audit: { fields: {}, draft: {} },
    authenticate: () => (identity ??= served.api.identify(served.deployment, request.call)),
  };
  return request;
}
/** Returns what the route stage has found. Throws a TypeError before it. */
export function routedRequest({ match, routed }: RequestContext) {
  if (!match || !routed) throw new TypeError("the request is not routed yet");
  return { match, routed };
}
/** Returns the caller that a request is authorized for. Throws a TypeError before it is. */
export function callerIdentity({ identity }: RequestContext): Identity {
  if (!identity) throw new TypeError("the request is not authorized yet");
  return identity;
}

/** Returns what a handler is told of its call, and what it may add to the reply and the log. */
export function callerOf(
  request: RequestContext,
  identity: Identity,
  about: Pick<Caller, "sentFields" | "wrapTtl" | "tables" | "detached" | "wrapReply">,
): Caller {
  const { call, target, effects, audit } = request;
  return {
    id: identity.id,
    path: target?.path ?? call.path,
    policies: identity.policies ?? [],
    entity: identity.entity,
    expires: identity.expires,
    accessor: identity.accessor,
    token: identity.token,
    dialect: call.dialect,
    // no accessors: decisions copy a caller, and V8 takes 5 microseconds for an object that has any
    address: call.peer?.address,
    tlsChain: call.peer?.tlsChain,
    head: call.head === true,
    can: (capability, path, forms) => requireBoolean(identity.can(capability, path, forms)),
    basic: () => basicIn(call.header("authorization")),
    setIdentity: (identity, share) => {
      request.identity = identity;
      Object.assign(audit, { share, isIdentitySet: true });
    },
    judgedAt: (path, method) => judgedAt(request, path, method),
    tokenIdentity: async () => (request.identity = await request.authenticate()),
    ...(identity.derive ? { derive: identity.derive } : {}),
    // a decision that is made again gives its warnings again
    warn: (warning) => void (effects.warnings.includes(warning) || effects.warnings.push(warning)),
    note: (fields, trace) => {
      Object.assign(audit.fields, fields);
      audit.trace = trace ?? audit.trace;
    },
    draft: (fields) => void (audit.draft = fields ? { ...audit.draft, ...fields } : {}),
    modified: (at, sharesDate) => {
      [effects.modified, effects.sharesDate] = [at, sharesDate];
    },
    respond: (chosen) => void (effects.responded = { ...effects.responded, ...chosen }),
    lease: (id, seconds) => void (effects.lease = { id, seconds }),
    auth: (reply, token) =>
      void (effects.auth = token ? { ...reply, client_token: call.token ?? "" } : reply),
    ...about,
  };
}

/** Counts an answered call. */
export function countRequest(
  { deployment: { ports }, endpoint, started }: RequestContext,
  reply: Reply,
  failure: unknown,
): void {
  const { meter } = ports;
  if (!meter) return;
  try {
    meter.request({
      endpoint: endpoint?.id ?? "none",
      status: reply.status,
      ms: ports.now() - started,
      refusal: failure instanceof CaError ? failure.code : undefined,
    });
    reply.count?.(meter);
  } catch {
    // the call is done, and its response must not depend on its being counted
  }
}

/** Logs an answered call whose status the log wants. */
export function logRequest(request: RequestContext, status: number, failure: unknown): void {
  const { ports } = request.deployment;
  if (!ports.log || status < (ports.logFrom ?? 0)) return;
  const mount = request.target?.mount ?? request.api.mount;
  const { endpoint, identity, call, audit, started, requestId } = request;
  const address = call.peer?.address;
  sendEvent(ports, () => ({
    endpoint: endpoint?.id ?? "none",
    status,
    time: started,
    ms: ports.now() - started,
    request: requestId,
    ...(address === undefined ? {} : { address }),
    ...(mount === undefined ? {} : { mount }),
    ...(identity ? { caller: identity.id } : {}),
    ...(identity?.accessor === undefined ? {} : { accessor: identity.accessor }),
    ...(identity?.entity === undefined ? {} : { entity: identity.entity.id }),
    ...(failure instanceof CaError
      ? { refusal: failure.code }
      : failure === undefined
        ? {}
        : { cause: failure }),
    fields: { method: call.method, dialect: call.dialect.name, ...audit.fields },
  }));
}

/** Logs an event; a log that throws must not take the reply away: what was issued is issued. */
function sendEvent(ports: Ports, event: () => LogEvent): void {
  try {
    ports.log?.(event());
  } catch {
    // nobody is left to tell
  }
}

/** Loaded with the first event. */
const run = importOnce(() => import("./audited-run.ts"));

/** Whether events are stored: unless a deployment says no. */
const isOn = ({ features }: StoreContext): boolean => features["audit"] !== false;

/**
 * What puts the event of a call into the batch of its first change; undefined where none is to be
 * stored. Public reads mend what they read, and nobody asked for that.
 */
export function auditOf(
  request: RequestContext,
  input: Readonly<Record<string, unknown>>,
): AuditAttachment | undefined {
  const { endpoint, call, deployment } = request;
  const reads = call.method === "GET" || call.method === "LIST";
  if (!endpoint || endpoint.audits === false || (reads && endpoint.access === "open"))
    return undefined;
  if (!isOn(deployment.sys)) return undefined;
  // a change that is tried again takes one of the share
  let log: AuditLogName | undefined;
  return attachAudit(async () => {
    const { entryOf, logOf } = await run();
    log ??= logOf(request);
    return entryOf(request, input, log);
  }, endpoint.audits?.jobs);
}

/** Stores the refusal of a valid token; counts one of an anonymous caller. Never throws. */
export async function auditRefusal(request: RequestContext, failure: unknown): Promise<void> {
  try {
    if (failure instanceof CaError && isOn(request.deployment.sys))
      await (await run()).storeRefusal(request, failure);
  } catch {
    // The caller gets the refusal anyway.
  }
}

/** Longest header that is looked at. */
const maxHeaderLength = 8192;
/** Sent, and not to be read: they are nobody's. */
const nobody: Basic = { name: "", password: "" };

/**
 * User name and password in the header `Authorization`; empty ones where it is Basic and cannot be
 * read, undefined where it is something else.
 */
export function basicIn(header: string | null): Basic | undefined {
  const [, sent] = /^basic(?: +(.*))?$/i.exec(header ?? "") ?? [];
  if (header === null || !/^basic(?: |$)/i.test(header)) return undefined;
  const bytes = header.length > maxHeaderLength ? undefined : fromBase64((sent ?? "").trim());
  if (!bytes) return nobody;
  let text;
  try {
    text = fromUtf8(bytes);
  } catch {
    return nobody;
  }
  const colon = text.indexOf(":");
  if (colon < 0 || hasControlCharacter(text)) return nobody;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
