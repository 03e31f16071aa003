import { issuersById, keys, storedPki, rowPrefixes, unlistedIndex } from "../rows/records.ts";
import { serialKey } from "../../base/ids.ts";
import { memoize } from "../../base/memo.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { CertStatus } from "../../x509/ocsp-response.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { isGeneratedHere } from "../issuer/serial.ts";
import type { Members } from "./ocsp-issuer.ts";
import { revokedOf, type RevokedSnapshot } from "./revoked-set.ts";

/**
 * A requested serial number, and the issuers to which the request refers, or undefined if the mount
 * does not have them.
 */
interface StatusQuery {
  readonly serial: Uint8Array;
  readonly members: Members | undefined;
}
/** The status of each requested certificate. */
export interface CertificateStatuses {
  readonly statuses: readonly CertStatus[];
  /** Version of the revoked set, if the statuses depend on the set alone. */
  readonly version?: number;
  /** Time of the oldest read on which the statuses depend (Unix ms). */
  readonly read: number;
}

/** Maximum length of a serial number in octets, including a leading zero octet. */
const maxSerialLength = 21;

/**
 * Returns the status of each requested certificate, in order, as of at most a second ago. Uses the
 * cached revoked set if it is complete, or else reads the rows, with the same result (D 4).
 */
export async function statusesOf(
  mount: Mount,
  config: Snapshot,
  queries: readonly StatusQuery[],
): Promise<CertificateStatuses> {
  const now = mount.ports.now();
  const revoked = await revokedOf(mount);
  const read = revoked?.checked ?? now;
  const unlisted = revoked && (await unlistedOf(mount, config));
  const statuses = await Promise.all(
    queries.map(async (one) =>
      revoked && !unlisted?.has(serialKey(one.serial))
        ? statusIn(mount, config, one, revoked)
        : undefined,
    ),
  );
  const left = queries.filter((_, i) => statuses[i] === undefined);
  if (revoked && left.length === 0)
    // no status is undefined
    return { statuses: statuses as readonly CertStatus[], version: revoked.version, read };
  const byRows = [...(await rowStatuses(mount, config, left))];
  return { statuses: statuses.map((status) => status ?? byRows.shift() ?? "unknown"), read };
}

const isPossible = ({ serial }: StatusQuery): boolean => serial.length <= maxSerialLength;
/**
 * Returns the status of a serial number that the mount did not issue: `unknown`, or `good` if an
 * issuer was imported and may have issued it elsewhere (D 4).
 */
const unissued = ({ members = [] }: StatusQuery): CertStatus =>
  members.some(({ imported, ocsp_unknown_serials }) => imported && !ocsp_unknown_serials)
    ? "good"
    : "unknown";

/**
 * Returns a status according to the revoked set, or undefined if only the rows can determine it.
 */
async function statusIn(
  mount: Mount,
  config: Snapshot,
  query: StatusQuery,
  { table }: RevokedSnapshot,
): Promise<CertStatus | undefined> {
  const [member] = query.members ?? [];
  if (!member) return "unknown";
  if (!isPossible(query)) return unissued(query);
  const entries = table.find(query.serial);
  const own = entries.find(({ set }) => isOwn(set, member.crl_set));
  if (own) return { revokedAt: own.at, reason: own.reason };
  if (entries.length > 0) return unissued(query);
  return (await isGeneratedHere(mount, config, query.serial)) ? "good" : undefined;
}
/**
 * Reports whether a revocation belongs to an issuer, given their CRL sets. A certificate of another
 * issuer with the same serial number is a different certificate.
 */
const isOwn = (set: string, own: string): boolean => set === own || set === "";

async function rowStatuses(
  mount: Mount,
  config: Snapshot,
  queries: readonly StatusQuery[],
): Promise<readonly CertStatus[]> {
  const rowKeys = queries.flatMap(keysOf);
  const rows = rowKeys.length === 0 ? [] : await mount.store.get(rowKeys);
  const byKey = new Map(rowKeys.map((key, i) => [key, rows[i]]));
  return Promise.all(queries.map((one) => rowStatus(mount, config, one, (key) => byKey.get(key))));
}
function keysOf(one: StatusQuery): readonly string[] {
  const [member] = one.members ?? [];
  if (!member || !isPossible(one)) return [];
  const { serial } = one;
  return [keys.revoked(serial), keys.listedIssuer(member.crl_set, serial), keys.cert(serial)];
}

async function rowStatus(
  mount: Mount,
  config: Snapshot,
  query: StatusQuery,
  rowOf: (key: string) => Row | undefined,
): Promise<CertStatus> {
  const [member] = query.members ?? [];
  if (!member) return "unknown";
  if (!isPossible(query)) return unissued(query);
  const { serial } = query;
  const set = member.crl_set;
  const row = rowOf(keys.revoked(serial));
  const revoked = row && storedPki.revoked(row.value);
  if (revoked && isOwn(revoked.crl_set, set)) return revokedAt(revoked.at, revoked.reason);
  const listed = rowOf(keys.listedIssuer(set, serial));
  if (listed) return revokedAt(storedCrl.listedIssuer(listed.value).at);
  if (revoked) return unissued(query);
  if (await isGeneratedHere(mount, config, serial)) return "good";
  const cert = rowOf(keys.cert(serial));
  return cert && storedPki.cert(cert.value).crl_set === set ? "good" : unissued(query);
}
const revokedAt = (at: number, reason = 0): CertStatus => ({
  revokedAt: Math.floor(at / 1000),
  reason,
});

/**
 * Cache of unlisted serial numbers, per configuration, which changes with every revocation or
 * deletion of an issuer.
 */
const cachedUnlisted = memoize<Snapshot, readonly [], { serials?: ReadonlySet<string> }>(
  () => ({}),
);

/**
 * Returns the hexadecimal serial numbers of revocations that may have no CRL entry: those of
 * revoked issuers, in particular self-signed ones, which are on no CRL.
 */
async function unlistedOf(mount: Mount, config: Snapshot): Promise<ReadonlySet<string>> {
  const cached = cachedUnlisted(config);
  if (cached.serials) return cached.serials;
  const rows = await mount.store.list(rowPrefixes.revoked, {
    by: { name: unlistedIndex },
    values: false,
  });
  const serials = new Set(rows.map(([key]) => key.slice(rowPrefixes.revoked.length)));
  for (const row of config.get(issuersById).values())
    if (row.revoked !== undefined) serials.add(serialKey(certificateOf(row).serial));
  cached.serials = serials;
  return serials;
}
