import { isUsable } from "../lib/lifetime.ts";
import { canSign, stateOf, type Authority } from "./issuer.ts";
import type { NamedRole } from "./pki.ts";

/** Returns the roles that name a CA as their issuer. */
export const rolesNaming = (
  { record }: Pick<Authority, "record">,
  roles: readonly NamedRole[],
): readonly NamedRole[] =>
  roles.filter(
    ([, { issuer_ref: ref }]) =>
      ref === record.issuer_id || (record.issuer_name !== "" && ref === record.issuer_name),
  );

/** Returns the roles that a CA signs for, under any of its names. */
export const rolesOf = (
  { record, isDefault }: Authority,
  all: readonly NamedRole[],
): readonly NamedRole[] =>
  all.filter(([, { issuer_ref: ref }]) =>
    ref === "default" || ref === "" || ref === undefined
      ? isDefault
      : ref === record.issuer_id || (ref === record.issuer_name && ref !== ""),
  );

/** Reports whether two certificates contain the same key. */
const sharesKey = (one: Authority, other: Authority): boolean =>
  one.view.keyPrint === other.view.keyPrint;

/** Reports whether the key of a CA is also in another certificate that clients accept. */
const hasOther = (
  one: Authority,
  all: readonly Authority[],
  isOther: (other: Authority) => boolean,
): boolean =>
  all.some(
    (other) =>
      other !== one &&
      sharesKey(one, other) &&
      isUsable(stateOf(other, new Date())) &&
      isOther(other),
  );

/** Returns the CAs below a CA that can sign and have no other certificate to chain to. */
function signersBelow(one: Authority, all: readonly Authority[]): readonly Authority[] {
  if (hasOther(one, all, ({ view }) => view.ends > one.view.ends)) return [];
  const id = one.record.issuer_id;
  // a cross-signed CA chains to another root as well
  return all.filter(
    (below) =>
      below.parent === id && canSign(below) && !hasOther(below, all, ({ parent }) => parent !== id),
  );
}

/** Returns the common name of a CA without its number, which differs in its successors. */
const withoutNumber = ({ view }: Authority): string => view.title.replace(/(?: G)?\s*\d{1,3}$/, "");

/**
 * Returns the CA that replaces another one: of the same kind and, apart from a number, name,
 * created and expiring later, and able to sign; undefined for none.
 */
export const successorOf = (one: Authority, all: readonly Authority[]): Authority | undefined =>
  all
    .filter(
      (other) =>
        other !== one &&
        canSign(other) &&
        !other.isBelowRevoked &&
        other.view.selfIssued === one.view.selfIssued &&
        withoutNumber(other) === withoutNumber(one) &&
        other.view.begins > one.view.begins &&
        other.view.ends > one.view.ends,
    )
    .toSorted((a, b) => b.view.begins.getTime() - a.view.begins.getTime())[0];

/** The parts of a mount that still use a CA. */
export interface IssuerUses {
  readonly isDefault: boolean;
  readonly roles: readonly string[];
  readonly below: readonly string[];
}

/** Returns the parts of a mount that still use a CA. `roles`: those that the caller may read. */
export const usesOf = (
  one: Authority,
  all: readonly Authority[],
  roles: readonly NamedRole[],
): IssuerUses => ({
  isDefault: one.isDefault,
  roles: rolesNaming(one, roles).map(([name]) => name),
  below: signersBelow(one, all).map(({ name }) => name),
});

/** Reports whether a CA is still used. */
export const isUsed = ({ isDefault, roles, below }: IssuerUses): boolean =>
  isDefault || roles.length > 0 || below.length > 0;
