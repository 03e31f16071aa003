import { fromBase64, fromUtf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { importOnce } from "../base/import-once.ts";
import { hasControlCharacter } from "../base/names.ts";
import type { AuditLogName } from "../engine/audit-records.ts";
import { type Carrier, carrierOf } from "../engine/carrier.ts";
import type { Identity, LogEvent, Ports } from "../engine/ports.ts";
import type { Unit } from "../engine/unit.ts";
import { decided, judgedAt } from "./access.ts";
import type { Served } from "./api.ts";
import type { AuditShare } from "./audits.ts";
import type { Basic, Call, Reply } from "./call.ts";
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

/** Loaded with the first event. */
const run = importOnce(() => import("./audited-run.ts"));

/** Whether events are stored: unless a deployment says no. */
const isOn = ({ features }: Unit): boolean => features["audit"] !== false;

/**
 * What puts the event of a call into the batch of its first change; undefined where none is to be
 * stored. Public reads mend what they read, and nobody asked for that.
 */
export function auditOf(
  visit: Visit,
  input: Readonly<Record<string, unknown>>,
): Carrier | undefined {
  const { endpoint, call, deployment } = visit;
  const reads = call.method === "GET" || call.method === "LIST";
  if (!endpoint || endpoint.audits === false || (reads && endpoint.access === "open"))
    return undefined;
  if (!isOn(deployment.sys)) return undefined;
  // a change that is tried again takes one of the share
  let log: AuditLogName | undefined;
  return carrierOf(async () => {
    const { entryOf, logOf } = await run();
    log ??= logOf(visit);
    return entryOf(visit, input, log);
  }, endpoint.audits?.jobs);
}

/** Stores the refusal of a valid token; counts one of an anonymous caller. Never throws. */
export async function auditRefusal(visit: Visit, failure: unknown): Promise<void> {
  try {
    if (failure instanceof CaError && isOn(visit.deployment.sys))
      await (await run()).storeRefusal(visit, failure);
  } catch {
    // The caller gets the refusal anyway.
  }
}

/** Longest header that is looked at. */
const longest = 8192;
/** Sent, and not to be read: they are nobody's. */
const nobody: Basic = { name: "", password: "" };

/**
 * User name and password in the header `Authorization`; empty ones where it is Basic and cannot be
 * read, undefined where it is something else.
 */
export function basicIn(header: string | null): Basic | undefined {
  const [, sent] = /^basic(?: +(.*))?$/i.exec(header ?? "") ?? [];
  if (header === null || !/^basic(?: |$)/i.test(header)) return undefined;
  const bytes = header.length > longest ? undefined : fromBase64((sent ?? "").trim());
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
