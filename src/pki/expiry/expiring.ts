import {
  issuersById,
  respondersById,
  keys,
  rowPrefixes,
  storedPki,
  type CertRow,
} from "../rows/records.ts";
import { storesEvents, raiseEvents } from "../../events/raise.ts";
import { rfc3339 } from "../../base/duration.ts";
import { serialKey, serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowReader } from "../../engine/row-reader.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { eventListener } from "../../events/event-listener.ts";
import type { NewEvent } from "../../events/event-table.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { nameValues } from "../../x509/name.ts";
import { nameOid } from "../../x509/oid.ts";
import { certificateData } from "../issuer/certificate-data.ts";
import { activeIssuers, hasSuccessor } from "../issuer/issuer-expiry.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { responderCertificate } from "../issuer/stored-certificate.ts";
import { readableCertificate } from "./readable-certificate.ts";
import { replacementFinder } from "./replacement.ts";

/**
 * Days before expiry at which an event is raised, the latest event first, and the number of seconds
 * in a day.
 */
const [thresholds, day] = [[1, 7, 30] as const, 86_400];
/**
 * Seconds by which the lifetime of a certificate must exceed a threshold for that threshold to
 * raise an event.
 */
const slack = 3600;
/** Maximum number of certificates to check per step and threshold. */
const perStep = 200;

/**
 * The last certificate that was checked for a threshold: its expiry (Unix seconds) and the key of
 * its row.
 */
type Position = readonly [notAfter: number, key: string];
/** Progress of the events about a mount's certificates and issuers. */
interface ExpiryRow {
  /** Positions by threshold in days. */
  readonly positions: Readonly<Record<string, Position>>;
  /** By issuer, the last threshold (in days) for which an event was raised. */
  readonly issuers: Readonly<Record<string, number>>;
}
const rowKey = "eventexpiry";
const storedExpiry = rowReader<ExpiryRow>({ positions: {}, issuers: {} });
/** A key that sorts after the keys of all certificates. */
const afterCerts = "cert0";

/**
 * Raises the next events about certificates and issuers of a mount that expire soon. Stores the
 * events and the progress in one batch, so that concurrent runs raise each event once. Returns
 * whether the mount is done.
 */
export async function raiseExpiring(mount: Mount): Promise<boolean> {
  const config = await mount.config();
  // a new mount might not store events yet
  if (!config.get(storesEvents) && !eventListener(mount.storeContext)) return true;
  const [row] = await mount.store.get([rowKey]);
  const before = storedExpiry(row?.value);
  const now = Math.floor(mount.ports.now() / 1000);
  const issuers = expiringIssuers(config, before.issuers, now);
  const certificates = await expiringCertificates(mount, config, before.positions, now);
  const next: ExpiryRow = { positions: certificates.positions, issuers: issuers.raised };
  const events = await raiseEvents(mount, config, async () => [
    ...issuers.events,
    ...certificates.events,
  ]);
  const done = await mount.storeContext.commit({
    expect: [[rowKey, row?.rev ?? null]],
    put: [[rowKey, next]],
    ...(events && events.log.length > 0 ? { log: events.log } : {}),
  });
  if (done) events?.announce();
  return done !== undefined && !certificates.more;
}

/** Returns the events for issuers that crossed a threshold since the last run. */
function expiringIssuers(config: Snapshot, before: ExpiryRow["issuers"], now: number) {
  const events: NewEvent[] = [];
  const raised: Record<string, number> = {};
  const active = activeIssuers(config);
  for (const row of active) {
    const certificate = certificateOf(row);
    const { notAfter, notBefore, serial, subject } = certificate;
    const days = thresholds.find((one) => notAfter - now <= one * day);
    const last = before[row.id];
    if (last !== undefined) raised[row.id] = last;
    if (days === undefined || notAfter <= now || hasSuccessor(certificate, active)) continue;
    if (days >= (last ?? Infinity) || notAfter - notBefore <= days * day + slack) continue;
    raised[row.id] = days;
    events.push({
      type: "sealwright.issuer.expiring",
      subject: row.id,
      data: {
        mount: config.mount.path,
        issuer_id: row.id,
        issuer_name: row.name,
        common_name: nameValues(subject, nameOid.commonName)[0] ?? "",
        serial_number: serialText(serial),
        not_after: rfc3339(notAfter),
        days,
      },
    });
  }
  return { events, raised };
}

/** An intact stored certificate, with its parsed form. */
interface CheckedCertificate {
  readonly key: string;
  readonly cert: CertRow;
  readonly certificate: Certificate;
}

/** Returns the events for certificates that crossed a threshold since the last run. */
async function expiringCertificates(
  mount: Mount,
  config: Snapshot,
  before: ExpiryRow["positions"],
  now: number,
) {
  const events: NewEvent[] = [];
  const positions: Record<string, Position> = {};
  let more = false;
  for (const [at, days] of thresholds.entries()) {
    const to = now + days * day;
    // if a certificate crossed several thresholds at once, only the nearest to expiry counts
    const nearer = now + (thresholds[at - 1] ?? 0) * day;
    // a threshold that was crossed before the first run raises no event
    const last = before[days] ?? [to, afterCerts];
    const by = {
      name: "not_after",
      to,
      ...(last[0] > nearer ? { from: last[0], after: last } : { from: nearer + 1 }),
    };
    const rows = await mount.store.list(rowPrefixes.certs, { by, limit: perStep });
    const read = rows.flatMap(([key, { value }]): readonly CheckedCertificate[] => {
      const cert = storedPki.cert(value);
      const certificate = readableCertificate(cert);
      return certificate ? [{ key, cert, certificate }] : [];
    });
    events.push(...(await certificateEvents(mount, config, read, days)));
    // a position needs an intact row, because the expiry in a damaged row cannot be read
    const end = rows.length === perStep ? read.at(-1) : undefined;
    more ||= end !== undefined;
    positions[days] = end
      ? [end.certificate.notAfter, end.key]
      : [Math.max(to, last[0]), afterCerts];
  }
  return { events, positions, more };
}

/**
 * Returns the events for those certificates that are not revoked or replaced, and whose lifetime is
 * long enough for the threshold.
 */
async function certificateEvents(
  mount: Mount,
  config: Snapshot,
  read: readonly CheckedCertificate[],
  days: number,
): Promise<readonly NewEvent[]> {
  const own = ownCertificates(config);
  const due = read.filter(
    ({ certificate: { notBefore, notAfter, serial } }) =>
      notAfter - notBefore > days * day + slack && !own.has(serialKey(serial)),
  );
  if (due.length === 0) return [];
  const revoked = await mount.store.get(
    due.map(({ certificate }) => keys.revoked(certificate.serial)),
  );
  const isReplaced = replacementFinder(mount.store);
  const events: NewEvent[] = [];
  for (const [at, { cert, certificate }] of due.entries()) {
    if (revoked[at] || (await isReplaced(certificate))) continue;
    const data = { ...certificateData(config, cert, certificate), days };
    events.push({ type: "sealwright.certificate.expiring", subject: data.serial_number, data });
  }
  return events;
}

/**
 * Returns the serial numbers of issuers, which have separate events, and of OCSP responders, which
 * are renewed automatically.
 */
function ownCertificates(config: Snapshot): ReadonlySet<string> {
  const issuers = [...config.get(issuersById).values()].map(certificateOf);
  const responders: readonly (Certificate | undefined)[] = [
    ...config.get(respondersById).values(),
  ].map(responderCertificate);
  return new Set(
    [...issuers, ...responders].flatMap((one) => (one ? [serialKey(one.serial)] : [])),
  );
}
