import { mergeBatches } from "../../engine/merge-batches.ts";
import { fromHex } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { below, isIntact, keys, type CertRow, storedPki } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { certificateEnd } from "../../x509/certificate.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { responderCertificate } from "../issuer/stored-certificate.ts";
import { deltaJobs, buildJob } from "../crl/crl-schedule.ts";
import { crlId } from "../crl/crl-set.ts";
import { affectedCrls } from "../crl/active-crls.ts";
import { isTooOldToRevoke, revokedRow, revokeChange, type RevocationChange } from "./revocation.ts";

/** What became of certificates that were to be revoked together: keys of their rows. */
export interface RevocationOutcomes {
  readonly revoked: readonly string[];
  readonly alreadyRevoked: readonly string[];
  /** Ended, so that they are not put on a list (B 1.1 rule 2). */
  readonly expired: readonly string[];
  /** Certificates of issuers of the mount, which are revoked another way. */
  readonly issuers: readonly string[];
  /** Certificates by which OCSP answers are signed now. */
  readonly responders: readonly string[];
  /** Their bytes were altered in the storage. */
  readonly damaged: readonly string[];
  /** The lists that now have entries which they do not show yet. */
  readonly lists: readonly string[];
}

/**
 * Certificates that a mount itself needs, by serial number in hexadecimal: those of its issuers and
 * of their OCSP responders. Nobody means them who revokes what a search finds.
 */
export function ownSerials(config: Snapshot): ReadonlyMap<string, "issuers" | "responders"> {
  const own = new Map<string, "issuers" | "responders">();
  for (const row of config.responders.values()) {
    const certificate = responderCertificate(row);
    if (certificate) own.set(serialKey(certificate.serial), "responders");
  }
  for (const row of config.issuers.values())
    own.set(serialKey(certificateOf(row).serial), "issuers");
  return own;
}

/** A certificate that is to be revoked, and the revision of its row. */
interface RevocableCertificate {
  readonly cert: CertRow;
  readonly notAfter: number;
  readonly serial: Uint8Array;
  readonly seen: readonly [key: string, rev: number];
}

/** What would become of certificates, and those to be revoked. What is gone is passed over. */
async function classify(ca: Mount, config: Snapshot, certs: readonly string[]) {
  const own = ownSerials(config);
  const serials = certs.map((key) => key.slice(below.certs.length));
  const rows = await ca.store.get([
    ...certs,
    ...serials.map((serial) => keys.revoked(fromHex(serial))),
  ]);
  const outcomes = noOutcomes();
  const due: RevocableCertificate[] = [];
  for (const [i, key] of certs.entries()) {
    const [row, serial = ""] = [rows[i], serials[i]];
    const cert = row && storedPki.cert(row.value);
    if (!row || !cert) continue;
    if (!isIntact(cert)) {
      outcomes.damaged.push(key);
      continue;
    }
    const notAfter = certificateEnd(cert.der);
    const outcome = rows[certs.length + i]
      ? "alreadyRevoked"
      : (own.get(serial) ??
        (isTooOldToRevoke(config, notAfter, ca.ports.now()) ? "expired" : "revoked"));
    outcomes[outcome].push(key);
    if (outcome === "revoked")
      due.push({ cert, notAfter, serial: fromHex(serial), seen: [key, row.rev] });
  }
  return { outcomes, due };
}

/** What would become of stored certificates if they were revoked together. `certs`: as below. */
export async function classifyMany(
  ca: Mount,
  certs: readonly string[],
): Promise<RevocationOutcomes> {
  const { outcomes } = await classify(ca, await ca.config(), certs);
  return { ...outcomes, lists: [] };
}

/**
 * Revokes stored certificates in one batch, with the jobs for their lists: all of them or none.
 * `certs`: keys of their rows, some hundred at the most. What is gone is passed over.
 */
export const revokeMany = (
  ca: Mount,
  certs: readonly string[],
  reason: number | undefined,
): Promise<RevocationOutcomes> =>
  ca.decide(async (config) => {
    const now = ca.ports.now();
    const { outcomes, due } = await classify(ca, config, certs);
    const changes = due.flatMap(({ cert, notAfter, serial, seen }): readonly RevocationChange[] => [
      { expect: [seen], put: [], append: [] },
      revokeChange({ serial, notAfter }, revokedRow(cert, now, reason)),
    ]);
    const groups = new Map(due.map(({ cert }) => [crlId(cert.crl_set, cert.shard), cert]));
    const reply = { ...outcomes, lists: await affectedCrlsOf(ca, config, groups.values()) };
    if (changes.length === 0) return { reply };
    const { put, ...change } = mergeBatches(...changes);
    const jobs = config.crl.auto_rebuild
      ? deltaJobs(config, reply.lists, now)
      : reply.lists.map((list) => buildJob(list, now));
    const done = () => ca.ports.meter?.count("revoked", [ca.name], due.length);
    return { reply, batch: { ...change, put: [...put, ...jobs] }, done };
  });

const noOutcomes = (): Record<Exclude<keyof RevocationOutcomes, "lists">, string[]> => ({
  revoked: [],
  alreadyRevoked: [],
  expired: [],
  issuers: [],
  responders: [],
  damaged: [],
});

async function affectedCrlsOf(
  ca: Mount,
  config: Snapshot,
  groups: Iterable<CertRow>,
): Promise<readonly string[]> {
  if (config.crl.disable) return [];
  const lists = await Promise.all([...groups].map((one) => affectedCrls(ca, config, one)));
  return [...new Set(lists.flat())];
}
