import { list } from "../../api/transport.ts";
import type { AuditEvent } from "../../../src/engine/audit-records.ts";

/** Which events are shown. */
export interface AuditFilters {
  /** `change`, `refusal`, or empty for both. */
  readonly kind: string;
  /** The caller. */
  readonly caller: string;
  /** Part of what was asked for: path or name of the endpoint. */
  readonly what: string;
}

/** Some events, newest first, and where older ones begin. */
export interface AuditPage {
  readonly events: readonly (AuditEvent & { readonly id: string })[];
  /** Empty at the end. */
  readonly cursor: string;
}

/** Whether an event passes what is filtered here. */
export const passesAuditFilters = (
  event: AuditEvent,
  { kind, caller, what }: AuditFilters,
): boolean =>
  (kind === "" || (kind === "refusal") === (event.refusal !== undefined)) &&
  (event.caller ?? "").toLowerCase().includes(caller.trim().toLowerCase()) &&
  `${event.endpoint} ${event.method} ${event.mount}${event.path}`
    .toLowerCase()
    .includes(what.trim().toLowerCase());

/** Events before a place, the newest first. */
export async function events({ kind }: AuditFilters, cursor: string): Promise<AuditPage> {
  const query = new URLSearchParams({
    limit: "100",
    ...(kind && { kind }),
    ...(cursor && { after: cursor }),
  });
  const { keys, info } = await list<AuditEvent>(`sys/audit/events?${query.toString()}`);
  return {
    events: keys.flatMap((id) => {
      const event = info[id];
      return event ? [{ ...event, id }] : [];
    }),
    cursor: keys.length < 100 ? "" : (keys.at(-1) ?? ""),
  };
}
