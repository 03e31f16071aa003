import { importOnce } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import type { CertRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { raiseEvents, type RaisedEvents } from "../../events/raise.ts";

/** Loads the code for event data, which is only needed if events have a recipient. */
const about = importOnce(() => import("./certificate-data.ts"));

/** A certificate, its issuer and its role, for an event. */
export type EventCertificate = Pick<CertRow, "der" | "issuer" | "role">;
/** A certificate that is being revoked, for an event. */
export interface EventRevocation {
  readonly cert: EventCertificate;
  /** Time of the revocation, Unix milliseconds. */
  readonly at: number;
  /** CRLReason of RFC 5280 section 5.3.1. */
  readonly reason?: number | undefined;
}

/** Prepares the event about a new certificate. Returns undefined if events have no recipient. */
export const issuedEvents = (
  mount: Mount,
  config: Snapshot,
  cert: EventCertificate,
): Promise<RaisedEvents> | undefined =>
  raiseEvents(mount, config, async () => [(await about()).issuedEvent(config, cert)]);

/** Prepares the events about revocations. Returns undefined if events have no recipient. */
export const revokedEvents = (
  mount: Mount,
  config: Snapshot,
  revocations: readonly EventRevocation[],
): Promise<RaisedEvents> | undefined =>
  raiseEvents(mount, config, async () => {
    const { revokedEvent } = await about();
    return revocations.map((one) => revokedEvent(config, one));
  });
