import { crlConfig } from "../rows/settings.ts";
import {
  issuersById,
  respondersById,
  rowPrefixes,
  isIntact,
  keys,
  type CertRow,
  storedPki,
} from "../rows/records.ts";
import { mergeBatches } from "../../engine/merge-batches.ts";
import { fromHex } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/store-context.ts";
import { withEvents } from "../../events/raise.ts";
import { certificateEnd } from "../../x509/certificate.ts";
import { revokedEvents } from "../issuer/certificate-events.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { responderCertificate } from "../issuer/stored-certificate.ts";
import { deltaJobs, buildJob } from "../crl/crl-schedule.ts";
import { crlIdOf } from "../crl/crl-set.ts";
import { affectedCrls } from "../crl/active-crls.ts";
import {
  expectCertificate,
  isTooOldToRevoke,
  revokedRow,
  revokeChange,
  type RevocationChange,
} from "./revocation.ts";

/** The outcomes of revoking several certificates: the keys of their rows, by outcome. */
export interface RevocationOutcomes {
  readonly revoked: readonly string[];
  readonly alreadyRevoked: readonly string[];
  /** Expired certificates, which are not revoked (B 1.1 rule 2). */
  readonly expired: readonly string[];
  /** Certificates of the mount's issuers, which a separate endpoint revokes. */
  readonly issuers: readonly string[];
  /** Certificates of current OCSP responders. */
  readonly responders: readonly string[];
  /** Certificates that were altered in storage. */
  readonly damaged: readonly string[];
  /** IDs of the CRLs that have new, unpublished entries. */
  readonly crlIds: readonly string[];
}

/**
 * Returns the certificates that the mount itself needs, by hexadecimal serial number: those of its
 * issuers and OCSP responders. Revocation by search must skip them.
 */
export function ownSerials(config: Snapshot): ReadonlyMap<string, "issuers" | "responders"> {
  const own = new Map<string, "issuers" | "responders">();
  for (const row of config.get(respondersById).values()) {
    const certificate = responderCertificate(row);
    if (certificate) own.set(serialKey(certificate.serial), "responders");
  }
  for (const row of config.get(issuersById).values())
    own.set(serialKey(certificateOf(row).serial), "issuers");
  return own;
}

/** A certificate to revoke, and the revision of its row. */
interface RevocableCertificate {
  readonly cert: CertRow;
  readonly notAfter: number;
  readonly serial: Uint8Array;
  readonly rev: number;
}

/**
 * Classifies certificates by outcome, and returns those to revoke. Skips keys without a stored
 * certificate.
 */
async function classify(mount: Mount, config: Snapshot, certs: readonly string[]) {
  const own = ownSerials(config);
  const serials = certs.map((key) => key.slice(rowPrefixes.certs.length));
  const rows = await mount.store.get([
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
        (isTooOldToRevoke(config, notAfter, mount.ports.now()) ? "expired" : "revoked"));
    outcomes[outcome].push(key);
    if (outcome === "revoked") due.push({ cert, notAfter, serial: fromHex(serial), rev: row.rev });
  }
  return { outcomes, due };
}

/**
 * Returns the outcomes that revoking stored certificates would have. `certs` contains the keys of
 * their rows.
 */
export async function classifyMany(
  mount: Mount,
  certs: readonly string[],
): Promise<RevocationOutcomes> {
  const { outcomes } = await classify(mount, await mount.config(), certs);
  return { ...outcomes, crlIds: [] };
}

/**
 * Revokes stored certificates and schedules the builds of their CRLs, in one batch for each
 * partition. `certs` contains the keys of their rows, a few hundred at most; keys without a stored
 * certificate are skipped.
 */
export async function revokeMany(
  mount: Mount,
  certs: readonly string[],
  reason: number | undefined,
): Promise<RevocationOutcomes> {
  const parts: RevocationOutcomes[] = [];
  let remaining = certs;
  do {
    const revoked = await Promise.all(
      certsByPartition(mount, remaining).map((some) =>
        mount.decide((config) => revokeSome(mount, config, some, reason)),
      ),
    );
    parts.push(...revoked.map(({ outcomes }) => outcomes));
    remaining = revoked.flatMap(({ left }) => left);
  } while (remaining.length > 0);
  const [only] = parts;
  return only && parts.length === 1 ? only : joinOutcomes(certs, parts);
}

/**
 * Groups certificate keys by the partition that stores their revocations. Returns one group if the
 * mount has one partition, even if there are no keys.
 */
function certsByPartition(
  { store: { placement } }: Mount,
  certs: readonly string[],
): readonly (readonly string[])[] {
  const groups = new Map<unknown, string[]>(certs.length === 0 ? [[undefined, []]] : []);
  for (const key of certs) {
    const revoked = rowPrefixes.revoked + key.slice(rowPrefixes.certs.length);
    const place = placement?.placeOf(revoked);
    const group = groups.get(place) ?? [];
    group.push(key);
    groups.set(place, group);
  }
  return [...groups.values()];
}

/** The outcomes of one batch, and the keys of certificates that are still to be revoked. */
interface PartOutcomes {
  readonly outcomes: RevocationOutcomes;
  readonly left: readonly string[];
}
/**
 * Revokes the certificates whose revocations belong in the same partition as that of the first one.
 */
async function revokeSome(
  mount: Mount,
  config: Snapshot,
  certs: readonly string[],
  reason: number | undefined,
): Promise<Decision<PartOutcomes>> {
  // the mount may have got more partitions since the certificates were grouped
  const [some = [], ...others] = certsByPartition(mount, certs);
  const now = mount.ports.now();
  const { outcomes, due } = await classify(mount, config, some);
  const changes: RevocationChange[] = [];
  for (const { cert, notAfter, serial, rev } of due)
    changes.push(
      { expect: expectCertificate(mount, serial, rev), put: [], append: [] },
      await revokeChange(mount, config, { serial, notAfter }, revokedRow(cert, now, reason)),
    );
  const groups = new Map(due.map(({ cert }) => [crlIdOf(cert.crl_set, cert.shard), cert]));
  const crlIds = await affectedCrlsOf(mount, config, groups.values());
  const reply = { outcomes: { ...outcomes, crlIds }, left: others.flat() };
  if (changes.length === 0) return { reply };
  const { put, ...change } = mergeBatches(...changes);
  const jobs = config.get(crlConfig).auto_rebuild
    ? deltaJobs(config, crlIds, now)
    : crlIds.map((crlId) => buildJob(crlId, now));
  const done = () => mount.ports.meter?.count("revoked", [mount.name], due.length);
  const events = due.map(({ cert }) => ({ cert, at: now, reason }));
  return withEvents(
    { reply, batch: { ...change, put: [...put, ...jobs] }, done },
    await revokedEvents(mount, config, events),
  );
}

/** Joins the outcomes of several batches, in the order of `certs`. */
function joinOutcomes(
  certs: readonly string[],
  parts: readonly RevocationOutcomes[],
): RevocationOutcomes {
  const joined = (outcome: Exclude<keyof RevocationOutcomes, "crlIds">): readonly string[] => {
    const found = new Set(parts.flatMap((part) => part[outcome]));
    return certs.filter((key) => found.has(key));
  };
  return {
    revoked: joined("revoked"),
    alreadyRevoked: joined("alreadyRevoked"),
    expired: joined("expired"),
    issuers: joined("issuers"),
    responders: joined("responders"),
    damaged: joined("damaged"),
    crlIds: [...new Set(parts.flatMap(({ crlIds }) => crlIds))],
  };
}

const noOutcomes = (): Record<Exclude<keyof RevocationOutcomes, "crlIds">, string[]> => ({
  revoked: [],
  alreadyRevoked: [],
  expired: [],
  issuers: [],
  responders: [],
  damaged: [],
});

async function affectedCrlsOf(
  mount: Mount,
  config: Snapshot,
  groups: Iterable<CertRow>,
): Promise<readonly string[]> {
  if (config.get(crlConfig).disable) return [];
  const crlIds = await Promise.all([...groups].map((one) => affectedCrls(mount, config, one)));
  return [...new Set(crlIds.flat())];
}
