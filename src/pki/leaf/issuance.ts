import { crlConfig } from "../rows/settings.ts";
import { serialKey, serialText, uuid } from "../../base/ids.ts";
import { goDuration } from "../../base/duration.ts";
import { leaseEndJob } from "../../engine/lease-jobs.ts";
import { digitIn } from "../../engine/placement.ts";
import { belowLeases, leaseEntry } from "../../engine/lease-records.ts";
import type { Mount } from "../../engine/mount.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { acmeBelow } from "../../acme/rows/prefixes.ts";
import { certEntry, keys, type IssuerRow, type MetadataRow } from "../rows/records.ts";
import { withEvents } from "../../events/raise.ts";
import { issuedEvents } from "../issuer/certificate-events.ts";
import { expectUnused, newSerial } from "../issuer/serial.ts";
import { certify, planOf, type IssuingPlan } from "../issuer/certify.ts";
import { certificateOutput, type NewKey } from "../issuer/output.ts";
import { retainCrl, type CrlRetention, retainFirst, shardWith } from "../issuer/crl-retention.ts";
import { type IssuanceContext, checkRule } from "../request/rule-checker.ts";
import { templateNames } from "../request/template.ts";
import type { ApprovedLeaf, Metadata } from "./leaf.ts";
import { noteSerial } from "../request/format.ts";
import { memoize } from "../../base/memo.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { chainRows, type SigningIssuer } from "../issuer/issuer.ts";
import { urlsFor } from "../issuer/urls.ts";
import { schemeFor } from "../request/scheme.ts";
import type { LeafProfile } from "./profile.ts";
import { CaError } from "../../base/errors.ts";
import { fromBase64 } from "../../base/bytes.ts";
import type { Role } from "./role.ts";

type LeafContext = Omit<IssuanceContext<{ readonly remove_roots_from_chain: boolean }>, "checker">;
type SigningContext = Pick<IssuanceContext<unknown>, "mount" | "config" | "caller">;

/**
 * Signs an approved leaf certificate. Returns the response, and the batch that stores the
 * certificate and its lease, if any.
 */
export async function issueLeaf(it: LeafContext, leaf: ApprovedLeaf, key?: NewKey) {
  const { caller, input } = it;
  const { issuer, own, format } = leaf;
  const { serial, der, chain, ...change } = await signLeaf(it, leaf, { leases: true });
  const reply = await certificateOutput({
    der,
    serial,
    notAfter: own.notAfter,
    issuer: issuer.row,
    chain,
    format,
    dialect: caller.dialect,
    removeRoots: input.remove_roots_from_chain,
    ...(key ? { key } : {}),
  });
  if (key) await caller.reply.wrapReply?.(reply);
  return { reply, ...change };
}

/**
 * Signs an approved leaf certificate, with a new serial number unless an external policy chose one.
 * Returns the certificate, the chain of its issuer, and the batch that stores the certificate,
 * unless the role has `no_store`. With `leases`, the certificate gets a lease if its rules require
 * one.
 */
export async function signLeaf(
  { mount, config, caller }: SigningContext,
  leaf: ApprovedLeaf,
  { leases = false } = {},
) {
  const { issuer, profile, own } = leaf;
  const beside = leaf.acme
    ? `${acmeBelow.orders}${leaf.acme.order}`
    : leaf.renews && keys.cert(leaf.renews);
  const place = beside === undefined ? "any" : { beside };
  const serial = leaf.serial ?? (await newSerial(mount, config, place));
  const { issuing, chain } = planFor(config, issuer, profile);
  const signed = await certify(issuing, own, serial);
  const names = templateNames(own);
  noteSerial(caller, serialText(serial), { issuer: issuer.row.id, role: leaf.role, names });
  const shard = shardWith(serial, issuing, own);
  const retention = retainCrl(mount, config, {
    set: issuer.row.crl_set,
    shard,
    notAfter: own.notAfter,
    addresses: issuing.urls.crl_distribution_points,
    unstored: leaf.rules.no_store,
  });
  const need = await retainFirst(mount, retention);
  const done = (): void => {
    need.done?.();
    mount.ports.meter?.count("issued", [mount.name]);
  };
  const { notAfter } = own;
  const lease = leases
    ? leaseFor({ mount, config, caller }, { ...leaf, serial, notAfter })
    : undefined;
  return signed.inChange(async (der) => {
    const name = names[0] ?? "";
    const batch = batchFor(leaf, { mount, serial, der, shard, need, name, lease });
    const cert = { der, issuer: issuer.row.id, role: leaf.role };
    const change = { serial, der, chain, ...(batch && { batch }), done };
    return withEvents(change, await issuedEvents(mount, config, cert));
  });
}

/** A new lease: its ID without the mount's path, and its rows. */
interface NewLease {
  readonly id: string;
  readonly put: NonNullable<Batch["put"]>;
}
/** The values from which a lease is derived. */
interface LeaseFields extends Pick<ApprovedLeaf, "rules" | "path"> {
  readonly serial: Uint8Array;
  /** notAfter, Unix seconds. */
  readonly notAfter: number;
}
/**
 * Adds a lease to the response if the rules require one. The lease expires with the certificate, or
 * earlier if the mount's maximum is shorter (A 1.7, D 2, Leases). Returns the ID of the lease
 * without the mount's path, and the lease's rows, for the batch that stores the certificate.
 */
export function leaseFor(
  { mount, config, caller }: SigningContext,
  { rules, path, serial, notAfter }: LeaseFields,
): NewLease | undefined {
  if (!rules.generate_lease || rules.no_store) return undefined;
  const issued = mount.ports.now();
  const now = Math.floor(issued / 1000);
  const left = Math.max(0, notAfter - now);
  const { max } = effectiveTtls(config.mount);
  if (left > max)
    caller.reply.warn(
      `The lease expires before the certificate, after ${goDuration(max)}, which is the maximum of the mount.`,
    );
  const below = leasePath(mount, path, serial);
  const seconds = Math.min(left, max);
  caller.reply.lease(`${config.mount.path}/${below}`, seconds);
  const expires = now + seconds;
  const token = caller.identity.accessor;
  const row = { serial: serialKey(serial), issued, expires, not_after: notAfter };
  const put = [
    leaseEntry(below, { ...row, ...(token === undefined ? {} : { token }) }),
    leaseEndJob(expires, issued),
  ];
  return { id: below, put };
}

/**
 * Returns the path of a new lease. In a partitioned mount, the path places the lease in the
 * partition of its certificate.
 */
function leasePath(
  { ports, store: { placement } }: Mount,
  path: string,
  serial: Uint8Array,
): string {
  for (;;) {
    const below = `${path}/${uuid(ports.random)}`;
    if (!placement) return below;
    const start = below.slice(0, -1);
    const certificate = placement.placeOf(keys.cert(serial));
    const digit = digitIn(placement, certificate, (last) => belowLeases + start + last);
    if (digit !== undefined) return start + digit;
  }
}

/** A signed leaf certificate, with the values that its batch needs. */
interface SignedLeaf {
  readonly mount: Mount;
  readonly serial: Uint8Array;
  readonly der: Uint8Array;
  readonly shard: string | undefined;
  readonly need: CrlRetention;
  /** The name under which a search finds the certificate. */
  readonly name: string;
  readonly lease: NewLease | undefined;
}
/**
 * Returns the batch that stores a certificate and its metadata, on the condition that the serial
 * number is unused. Returns undefined if nothing is to be stored.
 */
function batchFor(
  { issuer, own, role, rules, metadata, acme, serial: reserved }: ApprovedLeaf,
  { mount, serial, der, shard, need, name, lease }: SignedLeaf,
): Batch | undefined {
  const { id, crl_set } = issuer.row;
  const { notBefore, notAfter } = own;
  const beside = [
    ...need.put,
    ...(lease?.put ?? []),
    ...(metadata === undefined
      ? []
      : [metadataRow(serial, { issuer: id, role, notAfter, metadata })]),
  ];
  if (rules.no_store) return beside.length === 0 ? undefined : { put: beside };
  const row = {
    der,
    issuer: id,
    crl_set,
    role,
    ...(shard !== undefined && { shard }),
    ...(acme && { acme }),
    ...(lease && { lease: lease.id }),
  };
  return {
    expect: reserved ? expectUnused(mount, reserved) : [[keys.cert(serial), null]],
    put: [certEntry(serial, row, { notBefore, notAfter, name }), ...beside],
  };
}

/** The signing inputs that all leaf certificates of one profile and issuer share. */
interface LeafPlan {
  readonly issuing: IssuingPlan;
  /** The issuer's chain, starting with the issuer. */
  readonly chain: readonly IssuerRow[];
}

/**
 * Maximum number of cached plans. There is a limit because callers choose the combinations of role
 * and issuer.
 */
const maxPlans = 1000;
const plansOf = memoize(() => ({
  kept: new Map<LeafProfile, Map<SigningIssuer, LeafPlan>>(),
  count: 0,
}));

/**
 * Returns the signing plan for a profile and an issuer. Plans for the profiles of roles are
 * compiled once per configuration, others for each request.
 */
export function planFor(config: Snapshot, issuer: SigningIssuer, profile: LeafProfile): LeafPlan {
  if (!profile.isRoles) return compilePlan(config, issuer, profile);
  const plans = plansOf(config);
  const cached = plans.kept.get(profile)?.get(issuer);
  if (cached) return cached;
  if (plans.count === maxPlans) {
    plans.kept.clear();
    plans.count = 0;
  }
  const plan = compilePlan(config, issuer, profile);
  const ofProfile = plans.kept.get(profile) ?? new Map<SigningIssuer, LeafPlan>();
  plans.kept.set(profile, ofProfile.set(issuer, plan));
  plans.count++;
  return plan;
}

function compilePlan(config: Snapshot, issuer: SigningIssuer, profile: LeafProfile): LeafPlan {
  const { bits, pss } = profile.signature;
  const issuing = planOf(profile, {
    authority: issuer,
    scheme: profile.scheme ?? schemeFor(issuer.publicKey, bits, pss),
    urls: urlsFor(config, issuer.row),
    shards: config.get(crlConfig).shards,
  });
  return { issuing, chain: chainRows(config, issuer.row) };
}

/**
 * Returns the metadata in a request, sent as `cert_metadata` or `metadata` (A 10). If present,
 * checks it as one rule. Throws `malformed` for metadata that is not base64 or that the role does
 * not store.
 */
export function checkMetadata(
  {
    input,
    checker,
  }: Pick<
    IssuanceContext<{
      readonly metadata?: string | undefined;
      readonly cert_metadata?: string | undefined;
    }>,
    "input" | "checker"
  >,
  { no_store_metadata: refused }: Pick<Role, "no_store_metadata">,
): Metadata {
  const value = input.cert_metadata ?? input.metadata;
  if (value === undefined) return undefined;
  return checkRule(
    checker,
    { rule: "no_store_metadata", input: "metadata" },
    () => acceptedMetadata(value, refused),
    () => undefined,
  );
}
function acceptedMetadata(value: string, refused: boolean): Metadata {
  if (refused && value !== "")
    throw new CaError(
      "malformed",
      "metadata was sent, but the role does not store it (no_store_metadata)",
    );
  if (fromBase64(value) === undefined)
    throw new CaError("malformed", "metadata must be empty or base64");
  return refused ? undefined : value;
}

/** Returns the row that stores the metadata of a certificate. */
const metadataRow = (
  serial: Uint8Array,
  {
    metadata,
    notAfter,
    ...of
  }: Pick<MetadataRow, "issuer" | "role"> & {
    readonly notAfter: number;
    readonly metadata: string;
  },
): readonly [string, MetadataRow] => [
  keys.metadata(serial),
  { ...of, not_after: notAfter, ...(metadata === "" ? {} : { value: metadata }) },
];
