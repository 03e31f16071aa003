import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { int, listOf, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { countsOf, day, type EventGroup } from "./chunk-counts.ts";
import { auditLogsOf, type AuditLog } from "./log.ts";

/** Maximum and default numbers of days. */
const [maxDays, defaultDays] = [366, 30];

/**
 * Returns the logs that may contain events of a mount, or all logs if there is no mount at that
 * path.
 */
async function logsOf(deployment: Deployment, mount: string): Promise<readonly AuditLog[]> {
  const logs = await auditLogsOf(deployment);
  const uuid = (await deployment.readMounts()).get(mount)?.uuid;
  return uuid === undefined
    ? logs
    : logs.filter(({ context }) => context === "sys" || context === uuid);
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
      "Time from which on all events are counted, Unix seconds. It is the start of the first day, or later if older events were deleted.",
    ),
    counts: listOf({
      begin: int.required("Start of the day, Unix seconds."),
      kind: text.required("`change` or `refusal`."),
      endpoint: text.required("ID of the endpoint."),
      role: text.optional("Role of the request."),
      issuer: text.optional("ID of the issuer that signed a certificate."),
      refusal: text.optional("Error code of a refusal."),
      count: int.required("Number of events, including refusals that were counted but not stored."),
    }).required("Counts, oldest day first."),
  },
  refuses: ["malformed"],
  run: async (deployment, { mount, days }) => {
    if (days < 1 || days > maxDays)
      throw new CaError("malformed", `days must be 1 to ${maxDays}, got ${days}`);
    const today = Math.floor(deployment.ports.now() / 1000 / day) * day;
    const since = today - (days - 1) * day;
    const at = mount.replace(/^\/|\/$/g, "");
    const counts = new Map<string, EventGroup & { count: number }>();
    let complete = since;
    for (const log of await logsOf(deployment, at)) {
      const stored = await countsOf(log);
      for (const { mount: of, group, count } of stored.counts) {
        if (group.begin < since || (at !== "" && of !== at)) continue;
        const key = JSON.stringify(group);
        counts.set(key, { ...group, count: (counts.get(key)?.count ?? 0) + count });
      }
      // a log retains only its latest events, so earlier events are missing
      const { oldest } = stored;
      if (oldest && oldest.number > log.start + 1)
        complete = Math.max(complete, oldest.event.time / 1000);
    }
    return {
      since: Math.ceil(complete),
      counts: [...counts.values()].sort((a, b) => a.begin - b.begin),
    };
  },
});
