import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { keys } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { stored } from "../../engine/stored.ts";
import type { CertStatus } from "../../x509/ocsp-response.ts";
import { isDrawnHere } from "../issuer/serial.ts";
import type { Members } from "./ocsp-issuer.ts";

/** A serial number below issuers of this mount; `undefined`: below none that is known here. */
export interface Asked {
  readonly serial: Uint8Array;
  readonly members: Members | undefined;
}

/** The longest serial number that a certificate can have, with a zero octet for its sign. */
const longestSerial = 21;

/** The status of each certificate, in order, by the rows as they are now (D 4). */
export async function statusesOf(
  ca: Mount,
  config: Snapshot,
  asked: readonly Asked[],
): Promise<readonly CertStatus[]> {
  const held = asked.flatMap(keysOf);
  const rows = held.length === 0 ? [] : await ca.store.get(held);
  const byKey = new Map(held.map((key, i) => [key, rows[i]]));
  return Promise.all(asked.map((one) => statusOf(ca, config, one, (key) => byKey.get(key))));
}
const isPossible = ({ serial }: Asked): boolean => serial.length <= longestSerial;
function keysOf(one: Asked): readonly string[] {
  const [member] = one.members ?? [];
  if (!member || !isPossible(one)) return [];
  const { serial } = one;
  return [keys.revoked(serial), keys.listedIssuer(member.crl_set, serial), keys.cert(serial)];
}

async function statusOf(
  ca: Mount,
  config: Snapshot,
  asked: Asked,
  rowOf: (key: string) => Row | undefined,
): Promise<CertStatus> {
  const [member] = asked.members ?? [];
  if (!member) return "unknown";
  if (!isPossible(asked)) return unissued(asked);
  const { serial } = asked;
  const set = member.crl_set;
  const row = rowOf(keys.revoked(serial));
  const revoked = row && stored.revoked(row.value);
  // the same serial number below another issuer is another certificate
  if (revoked && (revoked.crl_set === set || revoked.crl_set === ""))
    return revokedAt(revoked.at, revoked.reason);
  const listed = rowOf(keys.listedIssuer(set, serial));
  if (listed) return revokedAt(stored.listedIssuer(listed.value).at);
  if (revoked) return unissued(asked);
  if (await isDrawnHere(ca, config, serial)) return "good";
  const cert = rowOf(keys.cert(serial));
  return cert && stored.cert(cert.value).crl_set === set ? "good" : unissued(asked);
}
const revokedAt = (at: number, reason = 0): CertStatus => ({
  revokedAt: Math.floor(at / 1000),
  reason,
});
/** Of an issuer that came with its key the mount does not know all that it has issued (D 4). */
const unissued = ({ members = [] }: Asked): CertStatus =>
  members.some(({ imported, ocsp_unknown_serials }) => imported && !ocsp_unknown_serials)
    ? "good"
    : "unknown";
