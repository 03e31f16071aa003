import type { JSX } from "preact";
import { writeRole } from "../../api/endpoints/pki.ts";
import { canSign, type Authority } from "../../api/issuer.ts";
import { rolesOf, successorOf } from "../../api/issuer-uses.ts";
import { maySignAuthorities } from "../../api/path-length.ts";
import { missingPermission } from "../../api/permissions.ts";
import type { NamedRole } from "../../lib/role.ts";
import { address } from "../../lib/route.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Note } from "../../ui/page.tsx";

/** The next step after creating an issuing CA: creating a role that uses it. */
export function FirstRole({
  one,
  all,
  of,
}: {
  one: Authority;
  all: readonly Authority[];
  /** The roles of the mount; undefined while they are not known. */
  of: readonly NamedRole[] | undefined;
}): JSX.Element | null {
  if (!of || !canSign(one) || maySignAuthorities(one) || successorOf(one, all)) return null;
  if (rolesOf(one, of).length > 0 || missingPermission(writeRole, { name: "any-role" }))
    return null;
  return (
    <Note>
      <b>Next: a role</b>
      <p class="small">A role defines which certificates this CA signs.</p>
      <div class="actions from-start">
        <ButtonLink tiny to={address("roles", "new", { signer: one.record.issuer_id })}>
          Create a role
        </ButtonLink>
      </div>
    </Note>
  );
}
