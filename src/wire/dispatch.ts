import { CaError } from "../base/errors.ts";
import { uuid } from "../base/ids.ts";
import { parseBoolean } from "../base/parse-boolean.ts";
import type { StoreContext } from "../engine/store-context.ts";
import {
  anonymous,
  authorize as authorizeCaller,
  capabilityOf,
  isGranted,
  isOpen,
  toPolicyPath,
  leadsNowhere,
  permissionDenied,
  requireBoolean,
} from "./access.ts";
import type { Api, ServedApi } from "./api.ts";
import type { Call, Reply } from "./call.ts";
import type { Outcome, RoutedCall, RouteMatch, Subject } from "./endpoint.ts";
import { type CachedReply, replyCacher } from "./reply-cache.ts";
import {
  attachmentOf,
  auditRefusal,
  callerOf,
  countRequest,
  logRequest,
  newRequest,
  type RequestContext,
} from "./request-context.ts";
import { bodyReader, printReply, readInput } from "./shape.ts";

/**
 * The stages of a request, in order. Each may throw. `routing` finds the endpoint, and `handling`
 * produces the response, which is wrapped if requested.
 */
const stages: {
  readonly routing: readonly ((request: RequestContext) => Promise<void> | void)[];
  readonly handling: readonly ((
    request: RequestContext,
    routed: RoutedCall,
  ) => Promise<void> | void)[];
} = {
  routing: [authenticateFirst, normalizeAddress, rateLimit, route],
  handling: [authorize, parseInput, rateLimitByInput, authorizeParameters, runHandler, renderReply],
};

/** Responds to a call and logs it. Never rejects. */
export async function dispatch(served: ServedApi, call: Call): Promise<Reply> {
  const request = newRequest(served, call);
  let failure: unknown;
  try {
    request.requestId = uuid(served.deployment.ports.random);
    request.headers = served.api.headers?.(call, request.requestId);
    for (const stage of stages.routing) {
      const pending = stage(request);
      if (pending) await pending;
    }
    if (!request.routed) throw new TypeError("no routing stage found an endpoint");
    for (const stage of stages.handling) {
      const pending = stage(request, request.routed);
      if (pending) await pending;
    }
    if (request.attachment) request.attachment.isEnded = true;
  } catch (error) {
    failure = await refuse(request, error);
  }
  const { reply, headers } = request;
  if (!reply) throw new TypeError("no handling stage produced a response");
  countRequest(request, reply, failure);
  logRequest(request, reply.status, failure);
  return headers ? { ...reply, headers: { ...headers, ...reply.headers } } : reply;
}
/** Sets the error response for a request that a stage rejected. Returns the error to log. */
async function refuse(request: RequestContext, error: unknown): Promise<unknown> {
  let failure = error;
  try {
    // also counts a request that was rejected before its rate limit was checked
    await rateLimitByInput(request);
  } catch (limited) {
    failure = limited;
  }
  if (request.attachment) request.attachment.isEnded = true;
  await auditRefusal(request, failure);
  request.reply = await (request.endpoint?.style ?? request.api.style).refuse(failure, request);
  return failure;
}

/** Logs and counts a call for which a cached response is sent. */
export function repeat(
  served: ServedApi,
  call: Call,
  { reply, endpoint, target }: CachedReply,
): Reply {
  const request = newRequest(served, call);
  Object.assign(request, { endpoint, target, identity: anonymous });
  request.requestId = uuid(served.deployment.ports.random);
  logRequest(request, reply.status, undefined);
  return reply;
}

/**
 * Authenticates the caller and applies its rate limit before routing, for APIs that hide paths from
 * anonymous callers.
 */
function authenticateFirst(request: RequestContext): Promise<void> | void {
  if (request.api.authenticatesFirst?.(request.call.path)) return authenticateEarly(request);
}
async function authenticateEarly(request: RequestContext): Promise<void> {
  const { api, deployment, call } = request;
  request.identity = await request.authenticate();
  const allowance = api.rateLimitCaller?.(deployment, call, request.identity);
  request.headers = { ...request.headers, ...allowance?.headers };
  if (allowance?.refusal) throw allowance.refusal;
  if (!request.identity && api.hidesPath?.(call.path)) throw unauthenticated(request);
}
/** Imports the wrapping code on first use, because few calls request wrapping. */
const wrap = () => import("./wrap.ts");
const unauthenticated = (request: RequestContext): Error =>
  (request.audit.unauthenticated = request.api.unauthenticated(request.call));

function normalizeAddress(request: RequestContext): void {
  const { call, api } = request;
  const { method, path, doubt, slashed } = api.address(call);
  const isNormal = method === call.method && path === call.path;
  request.normalized = { call: isNormal ? call : { ...call, method, path }, doubt, slashed };
}

/** Applies the rate limit of the request's path, or postpones that until the body is parsed. */
function rateLimit(
  request: RequestContext,
  call: Call = request.normalized.call,
  input?: Readonly<Record<string, unknown>>,
): Promise<void> | void {
  const pending = request.api.rateLimit?.(request.deployment, call, input);
  if (pending) return applyAllowance(request, pending);
}
async function applyAllowance(
  request: RequestContext,
  pending: NonNullable<ReturnType<NonNullable<Api["rateLimit"]>>>,
): Promise<void> {
  const allowance = await pending;
  if (allowance === undefined) return;
  if (allowance === "later") request.isRateLimitPending = true;
  else {
    request.headers = { ...request.headers, ...allowance.headers };
    if (allowance.refusal) throw allowance.refusal;
  }
}
function rateLimitByInput(request: RequestContext): Promise<void> | void {
  if (!request.isRateLimitPending) return;
  request.isRateLimitPending = false;
  return rateLimit(request, request.call, request.input.input);
}

/** Finds the endpoint of a call, and loads it if necessary. */
async function route(request: RequestContext): Promise<void> {
  const { api, deployment, call: arrivedCall } = request;
  const { call, doubt, slashed } = request.normalized;
  const { query } = arrivedCall;
  let match: RouteMatch;
  try {
    const target = (request.target = await api.resolveTarget(deployment, call));
    const arrived = arrivedCall.path.slice(call.path.length - target.path.length);
    match =
      api.help && query.size > 0 && asksHelp(arrivedCall)
        ? await api.help(target, arrived)
        : // `list=false` does not request a listing
          await target.find(call.method, query.size === 0 || !query.get("list"), arrived);
    const { endpoint } = match;
    if (slashed && !endpoint.trims && !(await target.trims?.())) throw slashed;
    // keeps the path as received, so that no response cached for another spelling is used
    if (endpoint.rawRest) request.call = { ...call, path: arrivedCall.path };
    else if (doubt) throw doubt;
    else request.call = match.lists ? { ...call, method: "LIST" } : call;
    request.match = match;
    request.endpoint = endpoint;
    request.routed = {
      call: request.call,
      target,
      endpoint,
      match,
      requestId: request.requestId,
      failed: (error) => logRequest(request, 500, error),
      body: bodyReader(request.call, endpoint, request.authenticate),
    };
  } catch (error) {
    throw doubt ?? slashed ?? (await concealed(request, call, error));
  }
  if (match.refusal) throw match.refusal;
}
/** Reports whether a call requests help on its path (P 9.1.1). */
const asksHelp = ({ method, query }: Call): boolean =>
  method === "GET" && parseBoolean(query.get("help") ?? "") === true;
/**
 * Returns the error for a path that does not exist. Callers without permission, including anonymous
 * callers, do not learn that it does not exist, unless the path or one of its methods is open.
 */
async function concealed(
  request: RequestContext,
  { method, path }: Call,
  error: unknown,
): Promise<unknown> {
  const { target } = request;
  const policyPath = request.api.policyPath?.(path);
  if (policyPath === undefined || !leadsNowhere(error)) return error;
  if (target && (await isOpen(target, error))) return error;
  const identity = (request.identity = await request.authenticate());
  if (!identity) return unauthenticated(request);
  return isGranted(identity, method, { path: policyPath }) ? error : permissionDenied();
}

/**
 * Authenticates the caller and requires that its policies grant the request. An open endpoint
 * accepts every caller.
 */
async function authorize(request: RequestContext, routed: RoutedCall): Promise<void> {
  const { call, endpoint, target, match } = routed;
  if (endpoint.access === "open") {
    request.identity ??= call.identity ?? anonymous;
    return;
  }
  const identity = await request.authenticate();
  if (!identity) throw unauthenticated(request);
  request.identity = identity;
  authorizeCaller(identity, match, call, target);
}

async function parseInput(request: RequestContext, routed: RoutedCall): Promise<void> {
  const { wrapTtl, head } = routed.call;
  // checked before the handler runs, so that nothing is issued that cannot be wrapped as requested
  request.wrapTtl =
    wrapTtl === undefined || head ? undefined : (await wrap()).parseWrapTtl(wrapTtl);
  request.input = await readInput(routed, routed.match.params);
}

/**
 * Requires that the caller's policies allow the request parameters and the requested wrapping (P
 * 9.5.1). Throws `forbidden` otherwise.
 */
function authorizeParameters(request: RequestContext, routed: RoutedCall): void {
  const { input, wrapTtl, identity = anonymous } = request;
  const { call, endpoint, match, target } = routed;
  const { access, body: declared } = endpoint;
  if (!identity.permits || access === "known" || access === "open") return;
  const accessRequest = {
    ...toPolicyPath(match, target),
    capability: capabilityOf(call.method),
    declared,
    parameters: input.members,
    wrapTtl,
  };
  if (!requireBoolean(identity.permits(accessRequest))) throw permissionDenied();
}

/** Returns the store context that belongs to an endpoint's subject. */
const storeContextOf = (on: Subject): StoreContext =>
  "commit" in on ? on : "decide" in on ? on.storeContext : on.sys;
/** Reports whether a result without data means that the resource does not exist. */
const isAbsent = ({ call, endpoint }: RoutedCall): boolean =>
  (call.method === "GET" || call.method === "LIST") &&
  endpoint.refuses?.includes("not_found") === true;

/**
 * Runs the handler with a subject for this call only, whose first change also stores the audit
 * event of the call.
 */
async function runHandler(request: RequestContext, routed: RoutedCall): Promise<void> {
  const { target, endpoint } = routed;
  const { effects, wrapTtl, identity = anonymous } = request;
  const { input, ignored } = request.input;
  const attachment = (request.attachment = attachmentOf(request));
  const subject = attachment ? target.on.forCall(attachment) : target.on;
  const wrapping =
    wrapTtl === undefined
      ? undefined
      : (await wrap()).replyWrapping({
          routed,
          input,
          ttl: wrapTtl,
          sys: subject.sys,
          effects,
          ignored,
        });
  const caller = callerOf(request, identity, wrapping?.wrapReply);
  // created before the handler runs, so that a concurrent change makes the response stale
  const cacheReply = replyCacher(routed, input);
  // `never`: routing guarantees the subject, and the endpoint's own declaration parsed the input
  const [on, own] = [subject as never, input as never];
  const data = await endpoint.run(on, own, caller);
  if (data === undefined && effects.warnings.length === 0 && isAbsent(routed))
    throw new CaError("not_found", "");
  if (attachment && !attachment.isDelivered && endpoint.audits && endpoint.audits.always)
    await storeContextOf(subject).commit({ log: [] });
  request.result = { data, wrapping, cacheReply };
}

/** Formats the handler's result as a response in the dialect of the call. */
async function renderReply(request: RequestContext, routed: RoutedCall): Promise<void> {
  const { audit, authenticate, effects, input } = request;
  const { data, wrapping, cacheReply } = request.result;
  const { endpoint, call } = routed;
  const { warnings, lease, auth, modified, sharesDate, responded } = effects;
  const outcome: Outcome = {
    data: printReply(endpoint.reply, data, input.input, call.dialect),
    warnings: data === undefined ? warnings : [...input.ignored, ...warnings],
    lease,
    auth,
    modified,
    sharesDate,
    status: endpoint.status ?? 200,
    ...responded,
  };
  const reply = await endpoint.style.reply(outcome, routed);
  cacheReply?.(reply);
  request.reply = wrapping
    ? await (
        await wrap()
      ).wrapRendered(
        wrapping,
        { data, outcome, trace: audit.trace, fields: audit.fields, authenticate },
        reply,
      )
    : reply;
}
