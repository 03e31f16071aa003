import { CaError } from "../base/errors.ts";
import type { Identity, LogEvent, Ports } from "../engine/ports.ts";
import { decided } from "./access.ts";
import type { Served } from "./api.ts";
import type { AuditShare } from "./audits.ts";
import { basicIn } from "./basic.ts";
import type { Call, Reply } from "./call.ts";
import { judgedAt } from "./judged-path.ts";
import type { AnyEndpoint, Caller, Found, Outcome, Place, Responded } from "./endpoint.ts";

/** What one call collects on its way. */
export interface Visit extends Served {
  /** Empty where none could be drawn. */
  requestId: string;
  /** Unix milliseconds. */
  readonly started: number;
  call: Call;
  place?: Place;
  endpoint?: AnyEndpoint;
  identity?: Identity | undefined;
  /** Headers beside those of the reply. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** It is counted once it is known what it says. */
  uncounted?: boolean;
  readonly warnings: string[];
  lease: Outcome["lease"];
  auth: Outcome["auth"];
  modified: Outcome["modified"];
  sharesDate: Outcome["sharesDate"];
  responded: Responded;
  readonly fields: Record<string, string | number | boolean>;
  /** What the attempt under way has noted. */
  draft: Readonly<Record<string, string | number | boolean>>;
  found?: Found;
  /** An open endpoint has found out who calls. */
  isKnown?: boolean;
  /** Where the events of that caller go, unless they go where those of tokens do. */
  share?: AuditShare | undefined;
  /** The refusal of a call without a valid token. */
  stranger?: Error;
  /** What its caller must learn of what was done even where the reply is lost. */
  trace?: string | undefined;
  /** Who calls; asked once, and only where it matters. */
  who(): Promise<Identity | undefined>;
}

/** Begins to answer a call. */
export function visitOf(served: Served, call: Call): Visit {
  const { ports } = served.deployment;
  let asked: Promise<Identity | undefined> | undefined;
  const visit: Visit = {
    ...served,
    requestId: "",
    started: ports.now(),
    call,
    warnings: [],
    lease: undefined,
    auth: undefined,
    modified: undefined,
    sharesDate: undefined,
    responded: {},
    fields: {},
    draft: {},
    who: () => (asked ??= served.api.identify(served.deployment, visit.call)),
  };
  return visit;
}

/** What a handler is given of its call. */
export function callerOf(
  visit: Visit,
  identity: Identity,
  about: Pick<Caller, "sent" | "wrapTtl" | "tables" | "apart">,
): Caller {
  const { call, place } = visit;
  return {
    id: identity.id,
    path: place?.path ?? call.path,
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
    can: (capability, path, forms) => decided(identity.can(capability, path, forms)),
    basic: () => basicIn(call.header("authorization")),
    become: (identity, share) => void Object.assign(visit, { identity, share, isKnown: true }),
    judgedAt: (path, method) => judgedAt(visit, path, method),
    holder: async () => (visit.identity = await visit.who()),
    ...(identity.derive ? { derive: identity.derive } : {}),
    // a decision that is made again gives its warnings again
    warn: (warning) => void (visit.warnings.includes(warning) || visit.warnings.push(warning)),
    note: (fields, trace) => {
      Object.assign(visit.fields, fields);
      visit.trace = trace ?? visit.trace;
    },
    draft: (fields) => void (visit.draft = fields ? { ...visit.draft, ...fields } : {}),
    modified: (at, sharesDate) => {
      [visit.modified, visit.sharesDate] = [at, sharesDate];
    },
    respond: (chosen) => void (visit.responded = { ...visit.responded, ...chosen }),
    lease: (id, seconds) => void (visit.lease = { id, seconds }),
    auth: (reply, token) =>
      void (visit.auth = token ? { ...reply, client_token: call.token ?? "" } : reply),
    ...about,
  };
}

/** Counts an answered call. */
export function countRequest(
  { deployment: { ports }, endpoint, started }: Visit,
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
export function logVisit(visit: Visit, status: number, failure: unknown): void {
  const { ports } = visit.deployment;
  if (!ports.log || status < (ports.logFrom ?? 0)) return;
  const mount = visit.place?.mount ?? visit.api.mount;
  const { endpoint, identity, call, fields, started, requestId } = visit;
  const address = call.peer?.address;
  tell(ports, () => ({
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
    fields: { method: call.method, dialect: call.dialect.name, ...fields },
  }));
}

/** Whoever listens must not take a reply away from its caller: what was issued is issued. */
function tell(ports: Ports, event: () => LogEvent): void {
  try {
    ports.log?.(event());
  } catch {
    // there is nobody left to tell
  }
}
