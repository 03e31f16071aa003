import type { JSX } from "preact";
import { call } from "../../api/call.ts";
import * as endpoints from "../../api/endpoints/pki.ts";
import type { Authority } from "../../api/issuer.ts";
import { rolesOf } from "../../api/issuer-uses.ts";
import { announceChange } from "../../lib/changes.ts";
import type { NamedRole } from "../../lib/role.ts";
import { Confirm } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";

/** Returns a sentence that states where clients learn that a CA is revoked. */
const publicationOf = (one: Authority, all: readonly Authority[]): string => {
  const above = all.find(({ record }) => record.issuer_id === one.parent);
  if (one.view.selfIssued)
    return "This CA is a root, so no CRL can list it: remove it from the trust stores of all clients.";
  return above
    ? `The CRL of ${above.name} lists this CA. Clients that check the CRL reject all certificates below this CA.`
    : `Its issuer ${one.view.issuerTitle} is not in this mount, so no CRL here lists this CA. Ask that issuer to revoke it too.`;
};

/** Describes how the revocation affects roles, and requests that specify no issuer. */
function issuanceAfter(one: Authority, roles: readonly NamedRole[]): string {
  const names = rolesOf(one, roles).map(([name]) => name);
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  const used =
    names.length === 0
      ? "No role uses this CA."
      : `These roles can no longer issue certificates: ${shown.join(", ")}.`;
  return one.isDefault
    ? `${used} This CA is the default, so requests that specify no issuer fail until you make another CA the default.`
    : used;
}

/** The dialog that revokes a CA after the user has typed its name. */
export function RevokeIssuer({
  one,
  all,
  roles,
  close,
}: {
  one: Authority;
  all: readonly Authority[];
  /** The roles of the mount; undefined until they are known. */
  roles: readonly NamedRole[] | undefined;
  close: () => void;
}): JSX.Element {
  const revoke = async (): Promise<void> => {
    const { warnings } = await call(endpoints.revokeIssuer, { issuer_ref: one.record.issuer_id });
    announceChange();
    close();
    notify(`${one.name} revoked`, warnings);
  };
  const consequences = [
    "This CA can never issue certificates again. This cannot be undone.",
    ...(roles ? [issuanceAfter(one, roles)] : []),
    publicationOf(one, all),
    "This CA still signs its CRL and OCSP responses. The certificates that it issued are not revoked individually.",
  ];
  return (
    <Confirm title="Revoke this CA?" close={close} name={one.name} action="Revoke" work={revoke}>
      <ul class="list dense card">
        {consequences.map((text) => (
          <li key={text}>
            <div>{text}</div>
          </li>
        ))}
      </ul>
      <p>
        To replace a CA that is not compromised, create its successor and let the old CA expire
        instead of revoking it.
      </p>
    </Confirm>
  );
}
