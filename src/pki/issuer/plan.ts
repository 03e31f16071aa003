import { algorithmIdentifier } from "../../x509/algorithm.ts";
import { authorityInfoAccess } from "../../x509/info-access.ts";
import { authorityKeyIdentifier } from "../../x509/key-identifiers.ts";
import { basicConstraints } from "../../x509/basic-constraints.ts";
import { certificatePolicies } from "../../x509/policies.ts";
import { crlDistributionPoints, freshestCrl } from "../../x509/distribution-points.ts";
import { encodedOnce, type Extension } from "../../x509/extension.ts";
import { extKeyUsage, keyUsage, type KeyUsage } from "../../x509/usage.ts";
import { nameConstraints } from "../../x509/name-constraints.ts";
import type { Profile } from "../request/template.ts";
import type { Signing } from "./authority.ts";
import { assertPlan } from "./invariants.ts";
import { listAddresses, shardOf } from "./shards.ts";

/**
 * All of a certificate that no request changes, asserted and encoded once: what is made by it adds
 * the serial number and its own `Particulars`.
 */
export interface IssuingPlan extends Signing {
  readonly profile: Profile;
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Uint8Array;
  /** The extensions in the order of A 6.4, parted where each certificate has one of its own. */
  readonly extensions: {
    readonly beforeKeyId: readonly Extension[];
    readonly beforeNames: readonly Extension[];
    readonly afterNames: readonly Extension[];
    /** Where lists are, for a certificate of this serial number. */
    readonly points: (serial: Uint8Array) => readonly Extension[];
    /** Policies with qualifiers stand behind everything, other names too. */
    readonly last: readonly Extension[];
  };
}

/**
 * Compiles a plan. Throws `constraint` when everything that is made by it would break a rule of RFC
 * 5280.
 */
export function planOf(profile: Profile, signing: Signing): IssuingPlan {
  const { authority, scheme, urls, shards = 0 } = signing;
  assertPlan({ ...profile, authority, scheme });
  const { basicConstraints: basic, constraints, policies = [] } = profile;
  const isQualified = policies.some((policy) => typeof policy !== "string");
  const policy = certificatePolicies(policies);
  return {
    profile,
    authority,
    scheme,
    urls,
    shards,
    algorithm: algorithmIdentifier(scheme),
    extensions: {
      beforeKeyId: given(
        // names come from keyUsageName, so they are of the table
        keyUsage(profile.keyUsage as readonly KeyUsage[]),
        extKeyUsage(profile.extKeyUsage),
        basic && basicConstraints(basic.ca, basic.pathLength),
      ),
      beforeNames: given(
        authority.keyId && authorityKeyIdentifier(authority.keyId),
        authorityInfoAccess(urls.ocsp_servers, urls.issuing_certificates),
      ),
      afterNames: given(
        isQualified ? undefined : policy,
        constraints && nameConstraints(constraints),
      ),
      points: pointsOf(signing),
      last: given(isQualified ? policy : undefined),
    },
  };
}
/** The points of each shard are encoded when the first certificate names it. */
function pointsOf(signing: Signing): (serial: Uint8Array) => readonly Extension[] {
  const points = (shard?: string) => {
    const { crl_distribution_points: lists, delta_crl_distribution_points: deltas } = signing.urls;
    return given(
      crlDistributionPoints(listAddresses(lists, shard)),
      freshestCrl(listAddresses(deltas, shard)),
    );
  };
  if (shardOf(noOctets, signing) === undefined) {
    const whole = points();
    return () => whole;
  }
  const made = new Map<string, readonly Extension[]>();
  return (serial) => {
    const shard = shardOf(serial, signing) ?? "";
    const known = made.get(shard) ?? points(shard);
    made.set(shard, known);
    return known;
  };
}
const noOctets = new Uint8Array();
const given = (...extensions: readonly (Extension | undefined)[]): readonly Extension[] =>
  extensions.filter((extension) => extension !== undefined).map(encodedOnce);
