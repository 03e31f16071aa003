import { isUsable } from "../lib/lifetime.ts";
import { canSign, stateOf, type Authority } from "./issuer.ts";
import type { NamedRole } from "../lib/role.ts";

type Ref = NamedRole[1]["issuer_ref"];

/** Reports whether the `issuer_ref` of a role is the ID or the API name of a CA. */
const isNamed = ({ record }: Pick<Authority, "record">, ref: Ref): boolean =>
  ref === record.issuer_id || (record.issuer_name !== "" && ref === record.issuer_name);

/** Reports whether a CA signs for roles with this `issuer_ref`: an ID, an API name or `default`. */
export const signsFor = (one: Authority, ref: Ref): boolean =>
  ref === "default" || ref === "" || ref === undefined ? one.isDefault : isNamed(one, ref);

/** Returns the roles whose `issuer_ref` is the ID or the API name of a CA. */
export const rolesNaming = (
  one: Pick<Authority, "record">,
  roles: readonly NamedRole[],
): readonly NamedRole[] => roles.filter(([, { issuer_ref: ref }]) => isNamed(one, ref));

/**
 * Returns the roles for which a CA signs, whether they reference it by ID, by name or as the
 * default.
 */
export const rolesOf = (one: Authority, all: readonly NamedRole[]): readonly NamedRole[] =>
  all.filter(([, { issuer_ref: ref }]) => signsFor(one, ref));

/** Reports whether the certificates of two CAs contain the same key. */
const sharesKey = (one: Authority, other: Authority): boolean =>
  one.view.keyPrint === other.view.keyPrint;

/** Reports whether another usable CA certificate for the same key meets a condition. */
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

/**
 * Returns the CAs issued by `one` that can sign and have no alternative path: no other certificate
 * for the key of `one` expires later, and no other CA has cross-signed them.
 */
function signersBelow(one: Authority, all: readonly Authority[]): readonly Authority[] {
  if (hasOther(one, all, ({ view }) => view.ends > one.view.ends)) return [];
  const id = one.record.issuer_id;
  // a cross-signed CA also has a path to another root
  return all.filter(
    (below) =>
      below.parent === id && canSign(below) && !hasOther(below, all, ({ parent }) => parent !== id),
  );
}

/**
 * Returns the common name of a CA without its generation number. Only the generation number differs
 * in a successor's name.
 */
const withoutNumber = ({ view }: Authority): string => view.title.replace(/(?: G)?\s*\d{1,3}$/, "");

/**
 * Returns the successor of a CA: a CA of the same kind that can sign, was created later, expires
 * later, and has the same name except for the number. Returns undefined if there is none.
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

/** The uses of a CA: whether it is the default issuer, and the roles and CAs that depend on it. */
export interface IssuerUses {
  readonly isDefault: boolean;
  readonly roles: readonly string[];
  readonly below: readonly string[];
}

/** Returns the uses of a CA. `roles` contains only the roles that the token may read. */
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
