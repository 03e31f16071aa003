import { CaError } from "../../base/errors.ts";
import { auditHash } from "../../engine/audit-key.ts";
import {
  auditKindOf,
  auditKinds,
  auditLogNames,
  type AuditEvent,
} from "../../engine/audit-records.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { int, list, map, records, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { auditLogsOf, idOf, newestFirst, type AuditLog, type Numbered } from "./log.ts";

/** Maximum and default numbers of events per page. */
const [maxEvents, defaultEvents] = [1000, 100];
/** Maximum time difference between events that are stored out of order (ms). */
const disorder = 10_000;

interface EventFilter {
  readonly after: string;
  readonly limit: number;
  /** Start of the requested period (Unix ms). */
  readonly since: number;
  passes(event: Numbered): boolean;
}
/** Returns the newest matching events of a log. */
async function newestMatches(log: AuditLog, { after, limit, since, passes }: EventFilter) {
  const matches: Numbered[] = [];
  // events before this time cannot be among the newest matches
  let enough = since - disorder;
  for await (const one of newestFirst(log)) {
    if (one.event.time < enough) break;
    if (one.event.time < since || (after !== "" && idOf(one) >= after) || !passes(one)) continue;
    matches.push(one);
    if (matches.length === limit) enough = Math.max(enough, one.event.time - disorder);
  }
  return matches;
}

/**
 * Reports whether a detail of an event equals one of the given values or is a list that contains
 * one of them.
 */
const hasValue = ({ fields = {} }: AuditEvent, values: readonly string[]): boolean =>
  Object.values(fields).some((field) =>
    values.some((value) => (Array.isArray(field) ? field.includes(value) : field === value)),
  );

export const listEvents = systemEndpoint({
  id: "listAuditEvents",
  at: ["LIST /audit/events"],
  access: "sudo",
  style: envelope,
  doc: "Lists changes, and denied requests with a valid token, in all mounts, newest first. Each log of each store retains its last 10,000 events.",
  body: {
    after: text.default(
      "",
      "Return only events before the event with this ID: the last ID of the previous page.",
    ),
    limit: int.default(defaultEvents, `Maximum number of events to return, at most ${maxEvents}.`),
    kind: text.default("", "`change` or `refusal`; both by default.", ["", "change", "refusal"]),
    log: text.default(
      "",
      "Return only events of this log: `change` (changes made with a credential), `frequent` or `overflow` (changes beyond a caller's share), `own` (a token's changes to itself), `acme` (ACME accounts with an external account binding), `public` (ACME accounts without one), `anonymous` (other changes), `refusal` or `acme_refusal`.",
      ["", ...auditLogNames],
    ),
    caller: text.default("", "Return only events of this caller."),
    name: text.default(
      "",
      "Return only events with this value in their details, such as a serial number without colons, or a name as in the request or in the issued certificate. Names are compared by their hashes.",
    ),
    accessor: text.default("", "Return only events of the token with this accessor."),
    endpoint: text.default("", "Return only events of this endpoint, by ID."),
    mount: text.default("", "Return only events of this mount, by path."),
    since: int.default(0, "Return only events since this time, Unix seconds."),
  },
  reply: {
    keys: list.required("Event IDs, newest first."),
    key_info: records({
      kind: text.required("`change` or `refusal`."),
      log: text.required("Log of the event."),
      time: int.required("Time at which the event was stored, Unix milliseconds."),
      request: text.required("Request ID, as in the response and the log."),
      endpoint: text.required("ID of the endpoint."),
      method: text.required("HTTP method."),
      mount: text.required("Path of the mount."),
      path: text.required("Path under the mount, with parameter names."),
      caller: text.optional("Caller; absent for a request that needs no token."),
      accessor: text.optional("Accessor of the caller's token."),
      entity: text.optional("ID of the caller's entity."),
      address: text.optional("Client address, if known."),
      status: int.optional("HTTP status of a refusal."),
      refusal: text.optional("Error code of a refusal."),
      more: int.optional(
        "Number of earlier rejected requests of the same caller that were not stored.",
      ),
      fields: map.optional(
        "Details of the request and its result. Names are hashed; POST sys/audit-hash hashes a name to compare.",
      ),
      number: int.required(
        "Sequence number of the event in its log and store. A gap means that an event is missing.",
      ),
      store: text.required("`sys`, `vars`, or the UUID of the mount."),
    }).required("Events by ID."),
  },
  refuses: ["malformed", "not_found"],
  run: async (deployment, input) => {
    const { after, kind, caller, accessor, endpoint, mount, since } = input;
    if (kind !== "" && !auditKinds.some((one) => one === kind))
      throw new CaError("malformed", "kind must be change or refusal");
    if (input.log !== "" && !auditLogNames.some((name) => name === input.log))
      throw new CaError("malformed", `log must be one of ${auditLogNames.join(", ")}`);
    if (input.limit < 0) throw new CaError("malformed", "limit must not be negative");
    const limit = Math.min(input.limit || defaultEvents, maxEvents);
    const at = mount.replace(/^\/|\/$/g, "");
    const values =
      input.name === "" ? [] : [input.name, await auditHash(deployment.sys, input.name)];
    const passes = ({ event }: Numbered): boolean =>
      (caller === "" || event.caller === caller) &&
      (accessor === "" || event.accessor === accessor) &&
      (endpoint === "" || event.endpoint === endpoint) &&
      (at === "" || event.mount === at) &&
      (values.length === 0 || hasValue(event, values));
    const filter = { after, limit, since: since * 1000, passes };
    const matches: Numbered[] = [];
    for (const log of await auditLogsOf(deployment))
      if (
        (kind === "" || auditKindOf(log.log) === kind) &&
        (input.log === "" || log.log === input.log)
      )
        matches.push(...(await newestMatches(log, filter)));
    const page = matches
      .map((one) => [idOf(one), one] as const)
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .slice(0, limit);
    if (page.length === 0) throw new CaError("not_found", "");
    return {
      keys: page.map(([id]) => id),
      key_info: Object.fromEntries(
        page.map(([id, { event, ...position }]) => [id, { ...event, ...position }]),
      ),
    };
  },
});
