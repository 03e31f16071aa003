import { CaError } from "../../base/errors.ts";
import type { AuditEvent } from "../../engine/audit-records.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { int, listOf, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { auditLogsOf, newestFirst, type AuditLog, type Numbered } from "./log.ts";

/** Seconds of a day. */
const day = 86_400;
/** Maximum and default number of days. */
const [maxDays, defaultDays] = [366, 30];

interface EventCount {
  readonly begin: number;
  readonly kind: string;
  readonly endpoint: string;
  readonly role?: string;
  readonly issuer?: string;
  readonly refusal?: string;
  count: number;
}

/** Returns the group of an event: all fields of its count but the count. */
function groupOf({ kind, event }: Numbered): Omit<EventCount, "count"> {
  const { role, issuer } = event.fields ?? {};
  return {
    begin: Math.floor(event.time / 1000 / day) * day,
    kind,
    endpoint: event.endpoint,
    ...(typeof role === "string" && { role }),
    ...(typeof issuer === "string" && { issuer }),
    ...(event.refusal !== undefined && { refusal: event.refusal }),
  };
}

/** Returns the logs that may have events of a mount; all logs if it is not a PKI mount. */
async function logsOf(ca: Deployment, mount: string): Promise<readonly AuditLog[]> {
  const logs = await auditLogsOf(ca);
  const uuid = (await ca.readMounts()).get(mount)?.uuid;
  return uuid === undefined ? logs : logs.filter(({ name }) => name === "sys" || name === uuid);
}

/**
 * Adds the events of a log since a time, Unix milliseconds. Returns the time since which the log is
 * complete.
 */
async function addEvents(
  counts: Map<string, EventCount>,
  log: AuditLog,
  { since, passes }: { readonly since: number; passes(event: AuditEvent): boolean },
): Promise<number> {
  let oldest: Numbered | undefined;
  for await (const one of newestFirst(log)) {
    if (one.event.time < since) return since;
    oldest = one;
    if (!passes(one.event)) continue;
    const group = groupOf(one);
    const key = JSON.stringify(group);
    const known = counts.get(key) ?? { ...group, count: 0 };
    known.count += 1 + (one.event.more ?? 0);
    counts.set(key, known);
  }
  // a log keeps its last events, so that the first ones are missing
  return oldest && oldest.number > 1 ? Math.max(since, oldest.event.time) : since;
}

export const countEvents = systemEndpoint({
  id: "countAuditEvents",
  at: ["GET /audit/counts"],
  access: "sudo",
  style: envelope,
  doc: "Counts stored audit events by day (UTC), endpoint, role, issuer and error code.",
  body: {
    mount: text.default("", "Count only events of this mount, by path."),
    days: int.default(defaultDays, `Number of days, including today, 1 to ${maxDays}.`),
  },
  reply: {
    since: int.required(
      "Time since which all events are counted, Unix seconds: the start of the first day, or later if older events were deleted.",
    ),
    counts: listOf({
      begin: int.required("Start of the day, Unix seconds."),
      kind: text.required("`change` or `refusal`."),
      endpoint: text.required("ID of the endpoint."),
      role: text.optional("Role of the request."),
      issuer: text.optional("ID of the issuer that signed a certificate."),
      refusal: text.optional("Error code of a refusal."),
      count: int.required("Number of events, including refusals that were only counted."),
    }).required("Counts, oldest day first."),
  },
  refuses: ["malformed"],
  run: async (ca, { mount, days }) => {
    if (days < 1 || days > maxDays)
      throw new CaError("malformed", `days must be 1 to ${maxDays}, got ${days}`);
    const today = Math.floor(ca.ports.now() / 1000 / day) * day;
    const since = (today - (days - 1) * day) * 1000;
    const at = mount.replace(/^\/|\/$/g, "");
    const passes = (event: AuditEvent): boolean => at === "" || event.mount === at;
    const counts = new Map<string, EventCount>();
    let complete = since;
    for (const log of await logsOf(ca, at))
      complete = Math.max(complete, await addEvents(counts, log, { since, passes }));
    return {
      since: Math.ceil(complete / 1000),
      counts: [...counts.values()].sort((a, b) => a.begin - b.begin),
    };
  },
});
