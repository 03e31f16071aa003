import type { JSX } from "preact";
import * as pki from "../../api/endpoints/pki.ts";
import { mayCallAny, namesPermitted } from "../../api/permissions.ts";
import { address } from "../../lib/route.ts";
import { visible } from "../../lib/visible-text.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";

/** Maximum number of roles that get their own button. */
const maxRoles = 5;

/**
 * The card with links for a token with limited permissions. Set `hasPrimary` if its first button is
 * the primary button of the view.
 */
export function Permitted({ hasPrimary }: { hasPrimary: boolean }): JSX.Element {
  const issues = mayCallAny([pki.issue, pki.sign]);
  const roles = namesPermitted(pki.issue, pki.sign).slice(0, maxRoles);
  return (
    <Card title="You can">
      <div class="pad stack">
        <div class="actions">
          {issues && (
            <ButtonLink
              kind={hasPrimary ? "primary" : ""}
              icon="issue"
              to={address("issue", roles[0])}
            >
              {roles[0] === undefined
                ? "Issue a certificate"
                : `Issue with role ${visible(roles[0])}`}
            </ButtonLink>
          )}
          {roles.slice(1).map((role) => (
            <ButtonLink key={role} to={address("issue", role)}>
              Issue with role {visible(role)}
            </ButtonLink>
          ))}
          {mayCallAny([pki.searchCerts, pki.listCerts]) && (
            <ButtonLink to={address("certificates")}>Find certificates</ButtonLink>
          )}
          {mayCallAny([pki.newEab]) && (
            <ButtonLink to={address("acme")}>Create ACME EAB keys</ButtonLink>
          )}
          <ButtonLink to={address("inspect")}>Inspect a certificate</ButtonLink>
        </div>
        <p class="small muted">
          Your token has limited permissions. <a href={address("access")}>See all permissions</a>
        </p>
      </div>
    </Card>
  );
}
