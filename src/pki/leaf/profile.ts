import { keyAlgorithms } from "../../algorithms/table.ts";
import type { Scheme } from "../../engine/ports.ts";
import { memoize } from "../../base/memo.ts";
import {
  extKeyUsageOid,
  extKeyUsageOrder,
  isForbiddenUsage,
  isForCas,
  keyUsageName,
} from "../../x509/usage.ts";
import { policiesOf } from "../request/policies.ts";
import type { Profile } from "../request/template.ts";
import type { Role } from "./role.ts";

/**
 * The fields of a leaf certificate that its role determines, and the signature options for an RSA
 * issuer.
 */
export interface LeafProfile extends Profile {
  readonly signature: { readonly bits: number; readonly pss: boolean };
  /**
   * The signature scheme to use instead of the one that `signature` selects. It must fit the
   * issuer's key.
   */
  readonly scheme?: Scheme;
  /** True for the profile of a role, false for the profile of a single request. */
  readonly isRoles: boolean;
}

/** Returns the profile of a role, computed once for each loaded role. */
export const profileOf = memoize((role: Role): LeafProfile => ({
  kind: "leaf",
  signature: { bits: role.signature_bits, pss: role.use_pss },
  isRoles: true,
  keyUsage: role.key_usage
    .map(keyUsageName)
    .filter((usage) => usage !== undefined)
    .filter((usage) => !isForCas(usage) && !isForbiddenBy(role, usage)),
  extKeyUsage: extKeyUsages(role),
  policies: policiesOf(role.policy_identifiers),
  ...(role.basic_constraints_valid_for_non_ca ? { basicConstraints: { ca: false } } : {}),
}));

/** Reports whether certificates for keys of the role's type must not have the key usage. */
export const isForbiddenBy = ({ key_type: type }: Pick<Role, "key_type">, usage: string): boolean =>
  keyAlgorithms.some((algorithm) => algorithm.type === type && isForbiddenUsage(algorithm, usage));

/**
 * Returns the extended key usages of a role as OIDs: those from flags and names in their fixed
 * order, then `ext_key_usage_oids` in the order of the role.
 */
export function extKeyUsages(role: Role): readonly string[] {
  const flags = [
    ...(role.server_flag ? ["ServerAuth"] : []),
    ...(role.client_flag ? ["ClientAuth"] : []),
    ...(role.code_signing_flag ? ["CodeSigning"] : []),
    ...(role.email_protection_flag ? ["EmailProtection"] : []),
  ];
  const named = extKeyUsageOrder([
    ...flags,
    ...role.ext_key_usage.filter((name) => extKeyUsageOid(name) !== undefined),
  ]);
  return [...new Set([...named, ...role.ext_key_usage_oids.filter(Boolean)])];
}
