import type { ListAuditEventsInput, ListAuditEventsReply } from "../../../src/client/sys.ts";
import { listing } from "../../api/call.ts";
import { readCertBatch } from "../../api/endpoints/pki.ts";
import { listAuditEvents } from "../../api/endpoints/sys.ts";
import { issuerNames } from "../../api/issuer-names.ts";
import { listedIssuers } from "../../api/issuers.ts";
import { missingPermission } from "../../api/permissions.ts";
import { certificates } from "../../api/certificates.ts";
import { readCertificate } from "../../lib/x509/decode.ts";
import { bareHex } from "../../lib/hex-text.ts";
import { day } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";

/** An event of the audit log: a request that changed something or was rejected. */
export type AuditEvent = ListAuditEventsReply["key_info"][string];

/** The filters of the audit log view. */
export interface AuditFilters {
  /** The kind of event: `change`, `refusal`, or empty for both. */
  readonly kind: string;
  /** The name of the caller. */
  readonly caller: string;
  /** A substring of the path or of the endpoint's name. */
  readonly what: string;
  /**
   * A name or a serial number in the details. Only complete names match, because the server
   * compares hashes.
   */
  readonly name: string;
  /** A day in UTC, such as `2026-11-28`. */
  readonly day: string;
}

/** A page of events, newest first, with the cursor of the next page. */
export interface AuditPage {
  readonly events: readonly (AuditEvent & { readonly id: string })[];
  /** The cursor; empty if there are no older events. */
  readonly cursor: string;
}

/** Reports whether an event matches the filters. */
export const passesAuditFilters = (
  event: AuditEvent,
  { kind, caller, what }: Pick<AuditFilters, "kind" | "caller" | "what">,
): boolean =>
  (kind === "" || (kind === "refusal") === (event.refusal !== undefined)) &&
  (event.caller ?? "").toLowerCase().includes(caller.trim().toLowerCase()) &&
  `${event.endpoint} ${event.method} ${event.mount}${event.path}`
    .toLowerCase()
    .includes(what.trim().toLowerCase());

/** Converts a name to its form in events, where serial numbers have no colons. */
const nameOf = (text: string): string =>
  /^(?:[0-9a-f]{2}:){7,}[0-9a-f]{2}$/i.test(text.trim()) ? bareHex(text) : text.trim();

const pageSize = 100;
type Kind = NonNullable<ListAuditEventsInput["kind"]>;
const isKind = (kind: string): kind is Kind => kind === "change" || kind === "refusal";

/** Returns the request fields that select a day. The ID of an event begins with its time. */
function rangeOf(text: string): { readonly since?: number; readonly after?: string } {
  const begin = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(begin)
    ? {}
    : { since: begin / 1000, after: String(begin + day).padStart(13, "0") };
}

/** Reads a page of events, newest first. */
export async function events(
  { kind, name, day: shown }: AuditFilters,
  cursor: string,
): Promise<AuditPage> {
  const { since, after } = rangeOf(shown);
  const { keys, info } = await listing(listAuditEvents, {
    limit: pageSize,
    kind: isKind(kind) ? kind : undefined,
    name: nameOf(name) || undefined,
    since,
    after: cursor || after,
  });
  return {
    events: keys.flatMap((id) => {
      const event = info[id];
      return event ? [{ ...event, id }] : [];
    }),
    cursor: keys.length < pageSize ? "" : (keys.at(-1) ?? ""),
  };
}

/** Maximum number of certificates that the server returns at once. */
const maxCertificates = 1000;

/**
 * Returns the names of stored certificates by hexadecimal serial number. Returns none if the token
 * may not read them.
 */
export async function certificateTitles(
  serials: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (serials.length === 0 || missingPermission(readCertBatch) !== "") return new Map();
  const details = await certificates(serials.slice(0, maxCertificates)).catch(() => ({}));
  const titles = await Promise.all(
    Object.entries(details).map(async ([serial, pem]) => {
      const view = pem === null ? undefined : await readCertificate(pem).catch(() => undefined);
      return view ? [[serial, view.title] as const] : [];
    }),
  );
  return new Map(titles.flat());
}

/**
 * Returns the names of the issuers with these IDs: the API name, or the common name of an issuer
 * without one. Omits other references, such as `default`.
 */
export async function issuerTitles(
  references: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (references.length === 0) return new Map();
  const { info } = await listedIssuers();
  const named = references.flatMap((id) => {
    const listed = info[id];
    return listed === undefined ? [] : [[id, listed] as const];
  });
  const unnamed = await issuerNames(
    Object.fromEntries(named.filter(([, { issuer_name: name }]) => name === "")),
  );
  return new Map(
    named.map(([id, { issuer_name: name }]) => [id, visible(name) || (unnamed.get(id) ?? id)]),
  );
}
