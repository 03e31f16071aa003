import type { ListAuditEventsInput, ListAuditEventsReply } from "../../../src/client/sys.ts";
import { listing } from "../../api/call.ts";
import { listAuditEvents } from "../../api/endpoints/sys.ts";

/** An audited request. */
export type AuditEvent = ListAuditEventsReply["key_info"][string];

/** The filters of the list. */
export interface AuditFilters {
  /** `change`, `refusal`, or empty for both. */
  readonly kind: string;
  /** The caller. */
  readonly caller: string;
  /** Part of the path, or of the endpoint's name. */
  readonly what: string;
}

/** A page of events, newest first, and the cursor of older ones. */
export interface AuditPage {
  readonly events: readonly (AuditEvent & { readonly id: string })[];
  /** Empty at the end. */
  readonly cursor: string;
}

/** Reports whether an event matches the filters. */
export const passesAuditFilters = (
  event: AuditEvent,
  { kind, caller, what }: AuditFilters,
): boolean =>
  (kind === "" || (kind === "refusal") === (event.refusal !== undefined)) &&
  (event.caller ?? "").toLowerCase().includes(caller.trim().toLowerCase()) &&
  `${event.endpoint} ${event.method} ${event.mount}${event.path}`
    .toLowerCase()
    .includes(what.trim().toLowerCase());

const pageSize = 100;
type Kind = NonNullable<ListAuditEventsInput["kind"]>;
const isKind = (kind: string): kind is Kind => kind === "change" || kind === "refusal";

/** Reads a page of events, newest first. */
export async function events({ kind }: AuditFilters, cursor: string): Promise<AuditPage> {
  const { keys, info } = await listing(listAuditEvents, {
    limit: pageSize,
    kind: isKind(kind) ? kind : undefined,
    after: cursor || undefined,
  });
  return {
    events: keys.flatMap((id) => {
      const event = info[id];
      return event ? [{ ...event, id }] : [];
    }),
    cursor: keys.length < pageSize ? "" : (keys.at(-1) ?? ""),
  };
}
