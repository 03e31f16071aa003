import type { EventType } from "./event-table.ts";

const types: Readonly<Record<EventType, true>> = {
  "sealwright.certificate.issued": true,
  "sealwright.certificate.revoked": true,
  "sealwright.certificate.expiring": true,
  "sealwright.issuer.expiring": true,
  "sealwright.crl.failed": true,
  "sealwright.acme.challenge.failed": true,
  "sealwright.backup.failed": true,
  "sealwright.test": true,
  "sealwright.events.lost": true,
};
/** The types of all events. */
export const eventTypes: readonly string[] = Object.keys(types);
