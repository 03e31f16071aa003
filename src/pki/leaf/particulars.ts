import type { SigningIssuer } from "../issuer/issuer.ts";
import type { LifetimeRequest } from "../issuer/validity.ts";
import type { Case } from "../request/case.ts";
import type { SigningRequest } from "../request/request.ts";
import { subjectOf, type Particulars } from "../request/template.ts";
import { askedOf, judgeUserIds, type NameRequest } from "./asked.ts";
import { judgeNames, readable } from "./names.ts";
import type { Role } from "./role.ts";
import { judgeValidity } from "./validity.ts";

/**
 * What a role and an issuer let a request have of its own in a certificate: all but its key. Judged
 * in the order of A 8.3, where the times come before the user ids.
 */
export function judgeParticulars(
  it: Case<NameRequest & LifetimeRequest>,
  { role, issuer }: { readonly role: Role; readonly issuer: SigningIssuer },
  request?: SigningRequest,
): Omit<Particulars, "spki"> {
  const asked = askedOf(it, role, request);
  const names = judgeNames(it, role, asked);
  const validity = judgeValidity(it, role, issuer);
  judgeUserIds(it.judge, role, asked.userIds);
  return {
    // what cannot be read was refused above: only a dry run comes here with it
    subject: subjectOf(
      role,
      readable(asked.commonName),
      readable(asked.serial),
      asked.userIds.map(readable),
    ),
    names,
    ...validity,
  };
}
