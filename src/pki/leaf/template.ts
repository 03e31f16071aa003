import { memo } from "../../base/memo.ts";
import { extKeyUsageOid, extKeyUsageOrder, isForCas, keyUsageName } from "../../x509/usage.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import type { LifetimeRequest } from "../issuer/validity.ts";
import type { Case } from "../request/case.ts";
import { policiesOf } from "../request/policies.ts";
import type { SigningRequest } from "../request/request.ts";
import { subjectOf, type Template } from "../request/template.ts";
import { askedOf, judgeUserIds, type NameRequest } from "./asked.ts";
import { judgeNames, readable } from "./names.ts";
import type { Role } from "./role.ts";
import { judgeValidity } from "./validity.ts";

/**
 * What a role and an issuer make of a request: all of a template but its key. Judged in the order
 * of A 8.3, where the times come before the user ids.
 */
export function judgeTemplate(
  it: Case<NameRequest & LifetimeRequest>,
  { role, issuer }: { readonly role: Role; readonly issuer: SigningIssuer },
  request?: SigningRequest,
): Omit<Template, "spki"> {
  const asked = askedOf(it, role, request);
  const names = judgeNames(it, role, asked);
  const validity = judgeValidity(it, role, issuer);
  judgeUserIds(it.judge, role, asked.userIds);
  return {
    kind: "leaf",
    // what cannot be read was refused above: only a dry run comes here with it
    subject: subjectOf(
      role,
      readable(asked.commonName),
      readable(asked.serial),
      asked.userIds.map(readable),
    ),
    names,
    ...validity,
    ...usesOf(role),
  };
}

type Uses = Pick<Template, "keyUsage" | "extKeyUsage" | "policies" | "basicConstraints">;
/** What a role says of every certificate alike, read once for each role that was loaded. */
const usesOf = memo((role: Role): Uses => ({
  keyUsage: role.key_usage
    .map(keyUsageName)
    .filter((usage) => usage !== undefined)
    .filter((usage) => !isForCas(usage)),
  extKeyUsage: extKeyUsages(role),
  policies: policiesOf(role.policy_identifiers),
  ...(role.basic_constraints_valid_for_non_ca ? { basicConstraints: { ca: false } } : {}),
}));

/** Purposes by flags and names in their fixed order, then OIDs in the order given. */
function extKeyUsages(role: Role): readonly string[] {
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
