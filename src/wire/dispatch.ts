import { CaError } from "../base/errors.ts";
import { uuid } from "../base/ids.ts";
import { parseBoolean } from "../base/parse-boolean.ts";
import type { Carrier } from "../engine/carrier.ts";
import type { Identity } from "../engine/ports.ts";
import type { Unit } from "../engine/unit.ts";
import {
  anonymous,
  deniedCaller,
  isGranted,
  isOpen,
  judge,
  judgeSent,
  leadsNowhere,
} from "./access.ts";
import type { Served } from "./api.ts";
import {
  type Visit,
  auditOf,
  auditRefusal,
  callerOf,
  countRequest,
  logVisit,
  visitOf,
} from "./request-context.ts";
import { type Input, bodyReader, printed, readInput } from "./shape.ts";
import type { Call, Reply } from "./call.ts";
import type { Asked, Found, Outcome, Place, Subject, Tables } from "./endpoint.ts";
import { keeping, type Kept } from "./reply-cache.ts";
import { keeperOf, replyWrapped, type Wrapped, wrapTtl } from "./wrap.ts";

/**
 * Answers one call: finds the endpoint, admits, reads, checks, runs, renders, and sends one log
 * event. Never throws.
 */
export async function dispatch(served: Served, call: Call): Promise<Reply> {
  const visit = visitOf(served, call);
  let failure: unknown;
  let reply: Reply;
  try {
    visit.requestId = uuid(served.deployment.ports.random);
    visit.headers = served.api.headers?.(call, visit.requestId);
    reply = await carryOut(visit);
  } catch (error) {
    failure = error;
    await auditRefusal(visit, error);
    const refused = await (visit.endpoint?.style ?? served.api.style).refuse(error, visit);
    reply = error instanceof CaError ? { ...refused, refusal: error.code } : refused;
  }
  countRequest(visit, reply, failure);
  logVisit(visit, reply.status, failure);
  return visit.headers ? { ...reply, headers: { ...visit.headers, ...reply.headers } } : reply;
}

/** Answers a call with what was kept for it: only the log hears of it. */
export function repeat(served: Served, call: Call, { reply, endpoint, place }: Kept): Reply {
  const visit = Object.assign(visitOf(served, call), { endpoint, place, identity: anonymous });
  visit.requestId = uuid(served.deployment.ports.random);
  logVisit(visit, reply.status, undefined);
  return reply;
}

/** Where a call leads, by the one spelling of its method and path. */
interface Spelled {
  readonly call: Call;
  readonly place: Place;
  readonly found: Found;
}
async function find(visit: Visit): Promise<Spelled> {
  const { api, deployment, call } = visit;
  const { method, path, doubt, slashed } = api.address(call);
  const spelled = method === call.method && path === call.path ? call : { ...call, method, path };
  visit.uncounted = (await throttle(visit, spelled)) === "later";
  // `list=false` says that no list is wanted
  const listable = call.query.size === 0 || !call.query.get("list");
  let place: Place | undefined;
  try {
    place = await api.place(deployment, spelled);
    const arrived = call.path.slice(path.length - place.path.length);
    const found =
      api.help && asksHelp(call)
        ? await api.help(place, arrived)
        : await place.find(method, listable, arrived);
    if (slashed && !found.endpoint.trims && !(await place.trims?.())) throw slashed;
    // what was kept for one spelling must not answer another
    if (found.endpoint.rawRest) return { call: { ...spelled, path: call.path }, place, found };
    if (doubt) throw doubt;
    return { call: found.lists ? { ...spelled, method: "LIST" } : spelled, place, found };
  } catch (error) {
    throw doubt ?? slashed ?? (await concealed(visit, spelled, place, error));
  }
}

/**
 * Returns the refusal of a path that leads nowhere. A caller without rights there does not learn
 * that, nor does an anonymous one, but for paths that are open to all.
 */
async function concealed(
  visit: Visit,
  { method, path }: Call,
  place: Place | undefined,
  error: unknown,
): Promise<unknown> {
  const asked = visit.api.policyPath?.(path);
  if (asked === undefined || !leadsNowhere(error)) return error;
  if (place && (await isOpen(place, error))) return error;
  const identity = (visit.identity = await visit.who());
  if (!identity) return refusedStranger(visit);
  return isGranted(identity, method, { path: asked }) ? error : deniedCaller();
}

/** Whether a call wants to know what can be asked where it leads (P 9.1.1). */
const asksHelp = ({ method, query }: Call): boolean =>
  method === "GET" && query.size > 0 && parseBoolean(query.get("help") ?? "") === true;

/** Judges who calls before anything is told of the path. */
async function greet(visit: Visit): Promise<void> {
  const { api, deployment, call } = visit;
  visit.identity = await visit.who();
  const allowance = api.limit?.(deployment, call, visit.identity);
  visit.headers = { ...visit.headers, ...allowance?.headers };
  if (allowance?.refusal) throw allowance.refusal;
  if (!visit.identity && api.hides?.(call.path)) throw refusedStranger(visit);
}
const refusedStranger = (visit: Visit): Error => (visit.stranger = visit.api.stranger(visit.call));

/** Refuses a call above the limit that is for where it leads. */
async function throttle(
  visit: Visit,
  call: Call,
  said?: Readonly<Record<string, unknown>>,
): Promise<"later" | undefined> {
  const allowance = await visit.api.throttle?.(visit.deployment, call, said);
  if (allowance === undefined || allowance === "later") return allowance;
  visit.headers = { ...visit.headers, ...allowance.headers };
  if (allowance.refusal) throw allowance.refusal;
  return undefined;
}

/** Carries a call out; what is refused before it was counted is counted too. */
async function carryOut(visit: Visit): Promise<Reply> {
  try {
    return await carryOn(visit);
  } catch (error) {
    await countLate(visit, {});
    throw error;
  }
}
async function countLate(visit: Visit, said: Readonly<Record<string, unknown>>): Promise<void> {
  if (!visit.uncounted) return;
  visit.uncounted = false;
  await throttle(visit, visit.call, said);
}
async function carryOn(visit: Visit): Promise<Reply> {
  if (visit.api.greets?.(visit.call.path)) await greet(visit);
  const { call, place, found } = await find(visit);
  Object.assign(visit, { call, place, found, endpoint: found.endpoint });
  if (found.refusal) throw found.refusal;
  const identity = (visit.identity = await admit(visit, found, place));
  const asked: Asked = {
    call,
    place,
    endpoint: found.endpoint,
    requestId: visit.requestId,
    failed: (error) => logVisit(visit, 500, error),
    body: bodyReader(call, found.endpoint, visit.who),
  };
  // before anything runs: what cannot be wrapped as it was asked must not be issued either
  const ttl = call.wrapTtl === undefined || call.head ? undefined : wrapTtl(call.wrapTtl);
  const read = await readInput(asked, found.params);
  await countLate(visit, read.input);
  judgeSent(identity, found, asked, { parameters: read.members, wrapTtl: ttl });
  return run({ visit, identity, asked, ttl }, read);
}

/** Who may call the endpoint. An open one takes whoever comes. */
async function admit(visit: Visit, found: Found, place: Place): Promise<Identity> {
  const { call } = visit;
  if (found.endpoint.access === "open") return visit.identity ?? call.identity ?? anonymous;
  const identity = await visit.who();
  if (!identity) throw refusedStranger(visit);
  visit.identity = identity;
  judge(identity, found, call, place);
  return identity;
}

/** Whether nothing means that what is read is not there: the log is told so then. */
const isAbsent = ({ call, endpoint }: Asked): boolean =>
  (call.method === "GET" || call.method === "LIST") &&
  endpoint.refuses?.includes("not_found") === true;

const none = { endpoints: [] } as const;
const noTables: Tables = {
  mounts: {},
  methods: {},
  sys: none,
  auth: none,
  identity: none,
  cubbyhole: none,
};
/** A call that was admitted. */
interface Admitted {
  readonly visit: Visit;
  readonly identity: Identity;
  readonly asked: Asked;
  /** Seconds for which the reply is wanted behind a token. */
  readonly ttl: number | undefined;
  /** Puts its event into its first change; absent where it has none. */
  readonly audited?: Carrier | undefined;
}
/** Returns the store that an endpoint works on. */
const unitOf = (on: Subject): Unit => ("commit" in on ? on : "decide" in on ? on.unit : on.sys);
/** Has a call carried out on what it sees: its first change carries the event of it. */
async function run(admitted: Admitted, read: Input): Promise<Reply> {
  const { on } = admitted.asked.place;
  const carrier = auditOf(admitted.visit, read.input);
  try {
    return await runOn(carrier ? on.seenBy(carrier) : on, { ...admitted, audited: carrier }, read);
  } finally {
    carrier?.end();
  }
}
async function runOn(
  subject: Subject,
  { visit, identity, asked, ttl, audited }: Admitted,
  { input, sent, ignored }: Input,
): Promise<Reply> {
  const { place, endpoint, call } = asked;
  const { sys } = subject;
  const wanted = ttl === undefined ? undefined : { asked, input, ttl, sys, who: visit.who };
  const kept: Wrapped = {};
  const caller = callerOf(visit, identity, {
    sent,
    wrapTtl: ttl,
    tables: place.tables ?? noTables,
    apart: () => {
      const own = auditOf(visit, input);
      return own ? visit.deployment.seenBy(own) : visit.deployment;
    },
  });
  const keep =
    wanted &&
    keeperOf(wanted, kept, () => ({
      warnings: [...ignored, ...visit.warnings],
      lease: visit.lease,
      auth: visit.auth,
    }));
  const keepReply = keeping(asked, input);
  // `never`: the place found the endpoint, which works on nothing else, and the input was parsed by
  // the endpoint's own declaration
  const [on, own] = [subject as never, input as never];
  const data = await endpoint.run(on, own, keep ? { ...caller, keep } : caller);
  if (data === undefined && visit.warnings.length === 0 && isAbsent(asked))
    throw new CaError("not_found", "");
  if (audited && !audited.isDelivered && endpoint.audits && endpoint.audits.always)
    await unitOf(subject).commit({ log: [] });
  const outcome: Outcome = {
    data: printed(endpoint.reply, data, input, call.dialect),
    warnings: data === undefined ? visit.warnings : [...ignored, ...visit.warnings],
    lease: visit.lease,
    auth: visit.auth,
    modified: visit.modified,
    sharesDate: visit.sharesDate,
    status: endpoint.status ?? 200,
    ...visit.responded,
  };
  const reply = await endpoint.style.reply(outcome, asked);
  keepReply?.(reply);
  return wanted
    ? replyWrapped(wanted, kept, { data, outcome, trace: visit.trace, note: visit.fields }, reply)
    : reply;
}
