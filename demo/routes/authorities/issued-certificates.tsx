import type { JSX } from "preact";
import { searchCerts, writeRole } from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import { isForbidden, unknownCall } from "../../api/transport.ts";
import { canSign, type Authority } from "../../api/issuer.ts";
import { rolesOf } from "../../api/issuer-uses.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { LifeBadge } from "../../ui/life-state.tsx";
import { Card, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { changes } from "../../lib/changes.ts";
import type { NamedRole } from "../../lib/role.ts";
import { describe } from "../../lib/role-text.ts";
import { address } from "../../lib/route.ts";
import { filtersOf, issuersIn, searchPage, type Page } from "../../api/inventory-search.ts";
import { useLoad, type Loaded } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { date, distance } from "../../lib/time-text.ts";

/** Number of certificates to list in the view of a CA. */
const shown = 5;

/** The roles for which a CA signs, with links to the issue form. */
export function RolesOf({
  one,
  of,
}: {
  one: Authority;
  of: Loaded<readonly NamedRole[]>;
}): JSX.Element | null {
  // if the token may not list roles, omit this card
  if (of.error && isForbidden(of.error)) return null;
  return (
    <Card
      title="Roles that use this CA"
      end={
        canSign(one) && (
          <ButtonLink
            tiny
            icon="plus"
            lacks={missingPermission(writeRole, { name: "any-role" })}
            to={address("roles", "new", { signer: one.record.issuer_id })}
          >
            New role
          </ButtonLink>
        )
      }
    >
      <Ready from={of}>
        {(all) => {
          const mine = rolesOf(one, all);
          return mine.length === 0 ? (
            <p class="pad muted">No role uses this authority.</p>
          ) : (
            <ul class="list">
              {mine.map(([name, role]) => (
                <li key={name}>
                  <div>
                    <a href={address("roles", name)}>{name}</a>
                    <p class="small muted">{describe(role)}</p>
                  </div>
                  {canSign(one) && (
                    <ButtonLink tiny to={address("issue", name)} label={`Issue with role ${name}`}>
                      Issue
                    </ButtonLink>
                  )}
                </li>
              ))}
            </ul>
          );
        }}
      </Ready>
    </Card>
  );
}

/** Returns some valid certificates that a CA has issued, excluding its own certificate. */
async function readPage({ record, view }: Authority, all: readonly Authority[]): Promise<Page> {
  const page = await searchPage(
    filtersOf(new URLSearchParams({ issuer: record.issuer_id, status: "valid" })),
    "",
    { issuers: issuersIn(all), now: new Date() },
    shown + 1,
  );
  const rows = page.rows.filter(({ serial }) => serial !== view.serial);
  return {
    ...page,
    rows: rows.slice(0, shown),
    cursor: rows.length > shown ? "more" : page.cursor,
  };
}

/** Some valid certificates that a CA has issued, and a link to all. */
export function CertificatesOf({
  one,
  all,
}: {
  one: Authority;
  all: readonly Authority[];
}): JSX.Element | null {
  const { issuer_id: id } = one.record;
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => readPage(one, all), [turn, id]);
  const now = new Date();
  // On a server that cannot search, every certificate would have to be read.
  if (result.error && unknownCall(result.error)) return null;
  if (missingPermission(searchCerts) !== "") return null;
  return (
    <Card
      title="Valid certificates from this CA"
      end={
        <a class="small" href={address("certificates", "", { issuer: id })}>
          Show all
        </a>
      }
    >
      <Ready from={result}>
        {({ rows, cursor }) =>
          rows.length === 0 ? (
            <p class="pad muted">No valid certificates.</p>
          ) : (
            <>
              <table class="table cards" aria-label="Valid certificates from this CA">
                <Columns of={["Name", "Expires"]} />
                <tbody>
                  {rows.map(({ serial, title, state, ends, role }) => (
                    <OpenRow key={serial} to={address("certificates", serial)}>
                      <td>
                        <a href={address("certificates", serial)}>{title}</a>
                        {role && <span class="sub">{role}</span>}
                      </td>
                      <td class="nowrap">
                        {state === "valid" ? date(ends) : <LifeBadge of={state} />}
                        <span class="sub">{distance(ends, now)}</span>
                      </td>
                    </OpenRow>
                  ))}
                </tbody>
              </table>
              {cursor !== "" && <footer>There are more.</footer>}
            </>
          )
        }
      </Ready>
    </Card>
  );
}
