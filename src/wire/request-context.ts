import { fromBase64, fromUtf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { importOnce } from "../base/memo.ts";
import { hasControlCharacter } from "../base/names.ts";
import type { AuditFields, AuditLogName } from "../engine/audit-records.ts";
import type { Identity, LogEvent, Ports } from "../engine/ports.ts";
import { AuditAttachment } from "../engine/store-context.ts";
import { isRequestAllowed, policyTargetAt, requireBoolean } from "./access.ts";
import type { ServedApi, CanonicalPath } from "./api.ts";
import type { AuditShare } from "./audits.ts";
import type { Basic, Call, Reply } from "./call.ts";
import type {
  AnyEndpoint,
  Caller,
  CallerReply,
  Outcome,
  Responded,
  RoutedCall,
  RouteMatch,
  RouteTarget,
  Tables,
} from "./endpoint.ts";
import type { Input } from "./shape.ts";
import type { ReplyWrapping } from "./wrap.ts";

/** Parts of the response that the handler has added, other than data. */
interface ReplyState {
  readonly warnings: string[];
  lease: Outcome["lease"];
  auth: Outcome["auth"];
  modified: Outcome["modified"];
  sharesDate: Outcome["sharesDate"];
  responded: Responded;
}
/** Data that the handler has added to the log event and the audit event. */
interface AuditState {
  readonly fields: Record<string, string | number | boolean>;
  /** The audit fields of the current attempt. */
  draft: AuditFields;
  /**
   * Description of what the call issued. If the response cannot be delivered, the error contains
   * it.
   */
  trace?: string | undefined;
  /** The audit quota of a caller that an open endpoint authenticated without a token. */
  share?: AuditShare | undefined;
  /** Whether an open endpoint has set the identity. */
  isIdentitySet?: boolean;
  /** The error for a request without a valid token. */
  unauthenticated?: Error;
}
/** The state of a request on its way through the stages of `dispatch`. */
export interface RequestContext extends ServedApi {
  /** ID of the request. Empty if no random bytes were available. */
  requestId: string;
  /** Time of arrival in Unix ms. */
  readonly started: number;
  /** The call as received. After routing, it has the canonical path. */
  call: Call;
  /** Headers to send in addition to those of the reply. */
  headers: Readonly<Record<string, string>> | undefined;
  /** Whether the rate limit must be applied once the request members are known. */
  isRateLimitPending: boolean;
  /** The call with its canonical path, and errors with which to reject that path. */
  normalized: Pick<CanonicalPath, "doubt" | "slashed"> & { readonly call: Call };
  target: RouteTarget | undefined;
  match: RouteMatch | undefined;
  endpoint: AnyEndpoint | undefined;
  routed: RoutedCall | undefined;
  identity: Identity | undefined;
  input: Input;
  /** TTL of the requested wrapping token in seconds. */
  wrapTtl: number | undefined;
  readonly effects: ReplyState;
  readonly audit: AuditState;
  /** Stores the audit event of the request with its first change. */
  attachment: AuditAttachment | undefined;
  result: HandlerResult;
  reply: Reply | undefined;
  /** Returns the identity of the caller, which is looked up once, on first use. */
  authenticate(): Promise<Identity | undefined>;
}
/** The result of the handler, for the stages after it. */
interface HandlerResult {
  readonly data: unknown;
  readonly wrapping: ReplyWrapping | undefined;
  /** Adds the response to the response cache. */
  readonly cacheReply: ((reply: Reply) => void) | undefined;
}

const noResult: HandlerResult = { data: undefined, wrapping: undefined, cacheReply: undefined };
const none = { endpoints: [] } as const;
const noTables: Tables = {
  mounts: {},
  methods: {},
  sys: none,
  auth: none,
  identity: none,
  cubbyhole: none,
};
const noInput: Input = { input: {}, sent: new Set(), members: {}, ignored: [] };
/** Returns the context of a new request. */
export function newRequest(served: ServedApi, call: Call): RequestContext {
  let identity: Promise<Identity | undefined> | undefined;
  // sets all members from the start, because adding them later was measured to cost a tenth of a
  // read
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
    result: noResult,
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
/** Returns the caller for a handler, with functions that add to the response and the log. */
export function callerOf(
  request: RequestContext,
  identity: Identity,
  wrapReply: CallerReply["wrapReply"],
): Caller {
  const { call, target, deployment, input } = request;
  // has no accessor properties, because handlers copy this object, which takes V8 5 microseconds if
  // it has any
  return {
    identity: {
      id: identity.id,
      policies: identity.policies ?? [],
      entity: identity.entity,
      expires: identity.expires,
      accessor: identity.accessor,
      token: identity.token,
      can: (capability, path, forms) => requireBoolean(identity.can(capability, path, forms)),
      allows: (other) => isRequestAllowed(identity, other),
      derive: identity.derive,
    },
    reply: replyOf(request, wrapReply),
    audit: auditOf(request),
    address: call.peer?.address,
    tlsChain: call.peer?.tlsChain,
    dialect: call.dialect,
    head: call.head === true,
    path: target?.path ?? call.path,
    sentFields: input.sent,
    tables: target?.tables ?? noTables,
    basic: () => basicIn(call.headers.get("authorization")),
    tokenIdentity: async () => (request.identity = await request.authenticate()),
    policyTargetAt: (path, method) => policyTargetAt(request, path, method),
    detached: () => {
      const attachment = attachmentOf(request);
      return attachment ? deployment.forCall(attachment) : deployment;
    },
  };
}
function replyOf(
  { effects, call, wrapTtl }: RequestContext,
  wrapReply: CallerReply["wrapReply"],
): CallerReply {
  return {
    // a decision that runs again adds the same warning again
    warn: (warning) => void (effects.warnings.includes(warning) || effects.warnings.push(warning)),
    modified: (at, sharesDate) => {
      [effects.modified, effects.sharesDate] = [at, sharesDate];
    },
    respond: (chosen) => void (effects.responded = { ...effects.responded, ...chosen }),
    lease: (id, seconds) => void (effects.lease = { id, seconds }),
    auth: (reply, token) =>
      void (effects.auth = token ? { ...reply, client_token: call.token ?? "" } : reply),
    wrapTtl,
    ...(wrapReply ? { wrapReply } : {}),
  };
}
function auditOf(request: RequestContext): Caller["audit"] {
  const { audit } = request;
  return {
    note: (fields, trace) => {
      Object.assign(audit.fields, fields);
      audit.trace = trace ?? audit.trace;
    },
    draft: (fields) => void (audit.draft = fields ? { ...audit.draft, ...fields } : {}),
    setIdentity: (identity, share) => {
      request.identity = identity;
      Object.assign(audit, { share, isIdentitySet: true });
    },
  };
}

/** Counts a call after its response was produced. */
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
    // ignored, because the call is done, and its response must not depend on metrics
  }
}

/** Logs a call after its response was produced, if the log level includes its status. */
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

/**
 * Logs an event. Ignores an error of the log, so that the response is still sent, because the
 * change may already be committed.
 */
function sendEvent(ports: Ports, event: () => LogEvent): void {
  try {
    ports.log?.(event());
  } catch {
    // there is nowhere to report this error
  }
}

/** Imports the auditing code when the first event is stored. */
const run = importOnce(() => import("./audited-run.ts"));

/**
 * Returns the attachment that stores a call's audit event with its change, or undefined if no event
 * is stored. Repairs during public reads are not audited, but logins by GET are.
 */
export function attachmentOf(request: RequestContext): AuditAttachment | undefined {
  const { endpoint, call, deployment } = request;
  const reads = call.method === "GET" || call.method === "LIST";
  // events are stored unless the deployment disables them
  const isOff = deployment.sys.features["audit"] === false;
  if (isOff || !endpoint || endpoint.audits === false) return undefined;
  // a login that a provider's redirect finishes is a GET
  if (reads && endpoint.access === "open" && !endpoint.audits?.always) return undefined;
  // the log is chosen once, so that a retried change counts only once against the rate limit
  let log: AuditLogName | undefined;
  return new AuditAttachment(async () => {
    const { entryOf, logOf } = await run();
    log ??= logOf(request);
    return entryOf(request, log);
  }, endpoint.audits?.jobs);
}

/**
 * Stores the rejection of an authenticated caller, and only counts the rejection of an anonymous
 * caller. Never throws.
 */
export async function auditRefusal(request: RequestContext, failure: unknown): Promise<void> {
  try {
    if (failure instanceof CaError && request.deployment.sys.features["audit"] !== false)
      await (await run()).storeRefusal(request, failure);
  } catch {
    // the caller receives the rejection in any case
  }
}

/** Maximum length of the Authorization header. */
const maxHeaderLength = 8192;
/** The credentials for a malformed header. */
const noCredentials: Basic = { name: "", password: "" };

/**
 * Parses the credentials of HTTP Basic authentication in an Authorization header. Returns empty
 * credentials if the header is malformed, and undefined for other schemes.
 */
function basicIn(header: string | null): Basic | undefined {
  const [, sent] = /^basic(?: +(.*))?$/i.exec(header ?? "") ?? [];
  if (header === null || !/^basic(?: |$)/i.test(header)) return undefined;
  const bytes = header.length > maxHeaderLength ? undefined : fromBase64((sent ?? "").trim());
  if (!bytes) return noCredentials;
  let text;
  try {
    text = fromUtf8(bytes);
  } catch {
    return noCredentials;
  }
  const colon = text.indexOf(":");
  if (colon < 0 || hasControlCharacter(text)) return noCredentials;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
