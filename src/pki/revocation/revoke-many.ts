import { fromHex } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { below, isIntact, keys, type CertRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { stored } from "../../engine/stored.ts";
import { certificateEnd } from "../../x509/certificate.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { deltasLater } from "./crl-delta-jobs.ts";
import { listId } from "./crl-list.ts";
import { concernedLists } from "./crl-living.ts";
import { buildLater } from "./crl-rebuild.ts";
import { isPast, joined, revokedRow, revoking, type Change } from "./revocation.ts";

/** What became of certificates that were to be revoked together: keys of their rows. */
export interface Outcomes {
  readonly revoked: readonly string[];
  readonly alreadyRevoked: readonly string[];
  /** Ended, so that they are not put on a list (B 1.1 rule 2). */
  readonly expired: readonly string[];
  /** Certificates of issuers of the mount, which are revoked another way. */
  readonly issuers: readonly string[];
  /** The lists that now have entries which they do not show yet. */
  readonly lists: readonly string[];
}

/** Serial numbers of the issuers of a mount, in hexadecimal. */
export const issuerSerials = (config: Snapshot): ReadonlySet<string> =>
  new Set([...config.issuers.values()].map((row) => serialKey(certificateOf(row).serial)));

/**
 * Revokes stored certificates in one batch, with the jobs for their lists: all of them or none.
 * `certs`: keys of their rows, some hundred at the most. What is gone or damaged is passed over.
 */
export const revokeMany = (
  ca: Mount,
  certs: readonly string[],
  reason: number | undefined,
): Promise<Outcomes> =>
  ca.decide(async (config) => {
    const now = ca.ports.now();
    const issuers = issuerSerials(config);
    const serials = certs.map((key) => key.slice(below.certs.length));
    const rows = await ca.store.get([
      ...certs,
      ...serials.map((serial) => keys.revoked(fromHex(serial))),
    ]);
    const outcomes = { revoked: [], alreadyRevoked: [], expired: [], issuers: [] } as Record<
      "revoked" | "alreadyRevoked" | "expired" | "issuers",
      string[]
    >;
    const changes: Change[] = [];
    const groups = new Map<string, CertRow>();
    for (const [i, key] of certs.entries()) {
      const [row, serial = ""] = [rows[i], serials[i]];
      const cert = row && stored.cert(row.value);
      if (!row || !cert || !isIntact(cert)) continue;
      const notAfter = certificateEnd(cert.der);
      const outcome = rows[certs.length + i]
        ? "alreadyRevoked"
        : issuers.has(serial)
          ? "issuers"
          : isPast(config, notAfter, now)
            ? "expired"
            : "revoked";
      outcomes[outcome].push(key);
      if (outcome !== "revoked") continue;
      const revoked = revokedRow(cert, now, reason);
      changes.push(
        { expect: [[key, row.rev]], put: [], append: [] },
        revoking({ serial: fromHex(serial), notAfter }, revoked),
      );
      groups.set(listId(cert.crl_set, cert.shard), cert);
    }
    const reply = { ...outcomes, lists: await listsOf(ca, config, groups.values()) };
    if (changes.length === 0) return { reply };
    const { put, ...change } = joined(changes);
    const jobs = config.crl.auto_rebuild
      ? deltasLater(config, reply.lists, now)
      : reply.lists.map((list) => buildLater(list, now));
    return { reply, batch: { ...change, put: [...put, ...jobs] } };
  });

async function listsOf(
  ca: Mount,
  config: Snapshot,
  groups: Iterable<CertRow>,
): Promise<readonly string[]> {
  if (config.crl.disable) return [];
  const lists = await Promise.all([...groups].map((one) => concernedLists(ca, config, one)));
  return [...new Set(lists.flat())];
}
