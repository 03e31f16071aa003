import { CaError } from "../base/errors.ts";
import { uuid } from "../base/ids.ts";
import type { Identity, LogEvent, Ports } from "../engine/ports.ts";
import { admit } from "./access.ts";
import { printPrivateKey, type Dialect } from "./dialect.ts";
import { wrapTtl } from "../engine/wrapped.ts";
import type { AnyEndpoint, Call, Caller, Outcome, Reply, Rule, Tables } from "./endpoint.ts";
import type { Shape } from "./field.ts";
import type { Router } from "./route.ts";
import { envelope } from "./style.ts";
import { keeperOf, replyWrapped, type Kept, type Subject } from "./wrap.ts";

/** Where a call goes: what it works on, the routes, and the call's path below its base. */
export interface Target<On> {
  readonly ca: On;
  readonly router: Router<On>;
  /** From the slash on, percent-encoded. */
  readonly path: string;
  /** The mount, for policies, leases and logs; without slashes at its ends. */
  readonly mount: string;
  /** What can be called where this is one call of several. */
  readonly tables?: Tables;
}
const noTables: Tables = { mount: [], sys: [], auth: [] };

/** What one call collects on its way. */
interface Collected {
  readonly warnings: string[];
  lease: Outcome["lease"];
  modified: Outcome["modified"];
  fields: Record<string, string | number | boolean>;
}

/**
 * Answers one call: finds the endpoint, admits, reads, checks, runs, renders, and sends one log
 * event. Never throws.
 */
export async function dispatch<On extends Subject>(
  target: Target<On>,
  asked: Call,
): Promise<Reply> {
  const { ports } = target.ca;
  const started = ports.now();
  const collected: Collected = { warnings: [], lease: undefined, modified: undefined, fields: {} };
  let endpoint: AnyEndpoint<On> | undefined;
  let identity: Identity | undefined;
  let failure: unknown;
  let reply: Reply;
  let call = asked;
  try {
    // `list=false` says that no list is wanted
    const match = await target.router(call.method, target.path, !call.query.get("list"));
    if (match.lists) call = { ...call, method: "LIST" };
    endpoint = match.endpoint;
    identity = await admit(ports, endpoint, call, policyPath(endpoint, target));
    // before anything runs: what cannot be wrapped as it was asked must not be issued either
    const ttl = call.wrapTtl === undefined ? undefined : wrapTtl(call.wrapTtl);
    const { input, sent, ignored } = readInput(endpoint, call, match.params);
    const wanted = ttl === undefined ? undefined : { target, call, endpoint, input, ttl };
    const kept: Kept = {};
    const caller = callerOf(call, identity, collected, {
      sent,
      wrapTtl: ttl,
      tables: target.tables ?? noTables,
    });
    const keep =
      wanted &&
      keeperOf(wanted, kept, () => ({
        warnings: [...ignored, ...collected.warnings],
        lease: collected.lease,
      }));
    // `never`: this is the one place that knows the input was parsed by this endpoint's own
    // declaration
    const data = await endpoint.run(target.ca, input as never, keep ? { ...caller, keep } : caller);
    const warnings = data === undefined ? collected.warnings : [...ignored, ...collected.warnings];
    const { lease, modified } = collected;
    const outcome = {
      data: printed(endpoint.reply, data, input, call.dialect),
      warnings,
      lease,
      modified,
    };
    const requestId = uuid(ports.random);
    reply = endpoint.style.reply(outcome, call, endpoint, requestId);
    if (wanted)
      reply = await replyWrapped(
        wanted,
        kept,
        { requestId, data, outcome, note: collected.fields },
        reply,
      );
  } catch (error) {
    failure = error;
    reply = refused((endpoint?.style ?? envelope).refuse(error, call), error);
  }
  if (ports.log)
    log(
      ports,
      eventOf(
        endpoint,
        target.mount,
        identity,
        call,
        reply.status,
        ports.now() - started,
        failure,
        collected.fields,
      ),
    );
  return reply;
}

/**
 * The path that policies speak of. A dry run needs what the real path needs, so it asks under that
 * path.
 */
function policyPath(
  endpoint: AnyEndpoint,
  { mount, path }: Pick<Target<unknown>, "mount" | "path">,
): string {
  const asked =
    endpoint.asks === undefined
      ? path
      : path.replace(`/explain/${endpoint.asks}`, `/${endpoint.asks}`);
  return `${mount}${asked}`;
}

function eventOf(
  endpoint: AnyEndpoint | undefined,
  mount: string | undefined,
  identity: Identity | undefined,
  call: Call,
  status: number,
  ms: number,
  failure: unknown,
  fields: LogEvent["fields"],
): LogEvent {
  return {
    endpoint: endpoint?.id ?? "none",
    status,
    ms,
    ...(mount === undefined ? {} : { mount }),
    ...(identity ? { caller: identity.id } : {}),
    ...(failure instanceof CaError
      ? { refusal: failure.code }
      : failure === undefined
        ? {}
        : { cause: failure }),
    fields: { method: call.method, dialect: call.dialect.name, ...fields },
  };
}

type About = Pick<Caller, "sent" | "wrapTtl" | "tables">;
function callerOf(call: Call, identity: Identity, collected: Collected, about: About): Caller {
  return {
    id: identity.id,
    policies: identity.policies ?? [],
    entity: identity.entity,
    expires: identity.expires,
    dialect: call.dialect,
    can: (capability, path) => identity.can(capability, path),
    // a decision that is made again gives its warnings again
    warn: (warning) =>
      void (collected.warnings.includes(warning) || collected.warnings.push(warning)),
    note: (fields) => void Object.assign(collected.fields, fields),
    modified: (at) => void (collected.modified = at),
    lease: (id, seconds) => void (collected.lease = { id, seconds }),
    ...about,
  };
}
interface Parsed {
  readonly input: Readonly<Record<string, unknown>>;
  readonly sent: ReadonlySet<string>;
  /** What clients are told of members that had no effect; not on empty replies. */
  readonly ignored: readonly string[];
}
/** A shape prepared for many calls. */
interface Prepared {
  readonly fields: readonly (readonly [name: string, field: Shape[string], position: number])[];
  readonly byName: ReadonlyMap<
    string,
    readonly [name: string, field: Shape[string], position: number]
  >;
  readonly required: readonly (readonly [name: string, field: Shape[string], position: number])[];
  /** What fields that are not sent and need not be give. */
  readonly defaults: Readonly<Record<string, unknown>>;
}
const prepared = new WeakMap<Shape, Prepared>();
function preparedOf(shape: Shape): Prepared {
  let found = prepared.get(shape);
  if (!found) {
    const fields = Object.entries(shape).map(
      ([name, field], position) => [name, field, position] as const,
    );
    const required = fields.filter(([, field]) => field.required);
    const defaults = Object.fromEntries(
      fields.flatMap(([name, field]) =>
        field.required ? [] : [[name, field.parse(undefined, name)]],
      ),
    );
    found = {
      fields,
      byName: new Map(fields.map((entry) => [entry[0], entry])),
      required,
      defaults,
    };
    prepared.set(shape, found);
  }
  return found;
}
/**
 * The declared members, read in the order of their declaration: the first that does not fit is what
 * the caller is told of.
 */
function readMembers(
  shape: Shape,
  members: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const { byName, required, defaults } = preparedOf(shape);
  const wanted = new Set(required);
  for (const name of names) {
    const entry = byName.get(name);
    if (entry) wanted.add(entry);
  }
  const input: Record<string, unknown> = { ...defaults };
  for (const [name, field] of [...wanted].sort(([, , a], [, , b]) => a - b))
    input[name] = field.parse(Object.hasOwn(members, name) ? members[name] : undefined, name);
  return input;
}
/** Parses the declared members and lays the path's parameters over them. */
function readInput(
  endpoint: AnyEndpoint,
  call: Call,
  params: Readonly<Record<string, string>>,
): Parsed {
  const members = endpoint.style.read(call);
  const names = Object.keys(members);
  const input = readMembers(endpoint.body, members, names);
  const sent = new Set(names);
  for (const rule of endpoint.rules ?? []) obey(rule, sent);
  Object.assign(input, params);
  const ignored: string[] = [];
  const captured = (name: string) =>
    Object.hasOwn(params, name) || endpoint.captures?.includes(name) === true;
  const unknown = names
    .filter(
      (name) =>
        !Object.hasOwn(endpoint.body, name) && !captured(name) && !endpoint.ignores?.includes(name),
    )
    .sort();
  if (endpoint.rest) {
    input["rest"] = Object.fromEntries(unknown.map((name) => [name, members[name]]));
    return { input, sent, ignored };
  }
  if (unknown.length)
    ignored.push(`Endpoint ignored these unrecognized parameters: [${namesOf(unknown)}]`);
  const replaced = names.filter(captured);
  if (replaced.length)
    ignored.push(
      `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${replaced.join(" ")}]`,
    );
  return { input, sent, ignored };
}
/** Names as a warning tells them: whoever sends thousands knows what they are. */
const [mostTold, longestTold] = [100, 256];
const namesOf = (names: readonly string[]): string =>
  [
    ...names
      .slice(0, mostTold)
      .map((name) => (name.length > longestTold ? `${name.slice(0, longestTold)}…` : name)),
    ...(names.length > mostTold ? ["…"] : []),
  ].join(" ");

function obey(rule: Rule<string>, sent: ReadonlySet<string>): void {
  const names = "exactlyOne" in rule ? rule.exactlyOne : rule.together;
  const given = names.filter((name) => sent.has(name)).length;
  if ("together" in rule) {
    if (given !== 0 && given !== names.length)
      throw new CaError("malformed", `set all or none of ${names.join(", ")}`);
  } else if (given === 0)
    throw new CaError("malformed", rule.none ?? `set one of ${names.join(", ")}`);
  else if (given > 1)
    throw new CaError("malformed", rule.many ?? `set only one of ${names.join(", ")}`);
}

/** The reply as the dialect prints it. */
export function printed(
  shape: Shape,
  data: unknown,
  input: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): unknown {
  if (typeof data !== "object" || data === null || ArrayBuffer.isView(data)) return data;
  // handlers answer plain objects whose members are those of `reply`
  const members = data as Record<string, unknown>;
  let out = members;
  for (const [name, field] of preparedOf(shape).fields) {
    if (!field.print || members[name] === undefined) continue;
    if (out === members) out = { ...members };
    out[name] = field.print(members[name], dialect);
  }
  return "private_key" in out ? printPrivateKey(out, input, dialect) : out;
}

const refused = (reply: Reply, error: unknown): Reply =>
  error instanceof CaError ? { ...reply, refusal: error.code } : reply;

/** The reply to a call that reaches no engine; with `ports` it is logged. */
export function refuseOutside(error: unknown, call: Call, ports?: Ports): Reply {
  const reply = refused(envelope.refuse(error, call), error);
  if (ports) log(ports, eventOf(undefined, undefined, undefined, call, reply.status, 0, error, {}));
  return reply;
}

/** Whoever listens must not take a reply away from its caller: what was issued is issued. */
function log(ports: Ports, event: LogEvent): void {
  try {
    ports.log?.(event);
  } catch {
    // there is nobody left to tell
  }
}
