import type { JSX } from "preact";
import { useState } from "preact/hooks";
import * as pki from "../pki.ts";
import { ButtonLink } from "../parts/button.tsx";
import { Empty, Head, Ready } from "../parts/page.tsx";
import { address, open, route } from "../route.ts";
import { fresh } from "../rolefields.ts";
import { issuerTitles } from "../search.ts";
import { useLoad, useStore } from "../store.ts";
import { plain } from "../words.ts";
import { describe, keyOf, longest } from "./issue.tsx";
import { RoleEditor } from "./roleeditor.tsx";
import { Try, type Named } from "./tryname.tsx";

/** Names of issuers by id. */
type Titles = ReadonlyMap<string, string>;
const nobody: Titles = new Map();

/** The roles of the mount, one of them in the editor, and whether a name would be allowed by each. */
export function Roles(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const turn = useStore(pki.changes, (value) => value.turn);
  const roles = useLoad(async () => Promise.all((await pki.roleNames()).map(async (name): Promise<Named> => [name, await pki.role(name)])), [turn]);
  const issuers = useLoad(issuerTitles, [turn]).value?.names ?? nobody;
  const [draft, setDraft] = useState<pki.Role>();
  const edited = roles.value?.find(([name]) => name === id);
  return (
    <>
      <Head
        title="Roles"
        about="A role says which names it signs, for how long and for what use. Try a name before anybody needs it."
        actions={
          <ButtonLink kind="primary" icon="plus" to={address("roles", "new")}>
            New role
          </ButtonLink>
        }
      />
      <Ready from={roles}>
        {(all) => (
          <div class="split">
            <div class="stack">
              {all.length === 0 && id !== "new" && (
                <div class="card">
                  <Empty text="A role says which names may be signed, for how long and for what use.">
                    <ButtonLink kind="primary" to={address("roles", "new")}>
                      Make a role
                    </ButtonLink>
                  </Empty>
                </div>
              )}
              {all.length > 0 && <RoleTable all={all} issuers={issuers} />}
              {id === "new" && !edited && <RoleEditor key="new" name="" role={fresh} taken={all.map(([name]) => name)} issuers={issuers} edited={setDraft} />}
              {edited && <RoleEditor key={edited[0]} name={edited[0]} role={edited[1]} taken={[]} issuers={issuers} edited={setDraft} />}
              {id !== "" && id !== "new" && !edited && (
                <div class="card">
                  <Empty text="This mount has no such role." />
                </div>
              )}
            </div>
            {(all.length > 0 || draft) && (
              <aside class="sticky" aria-label="Try a name">
                <Try all={all} draft={draft} of={edited ? id : ""} />
              </aside>
            )}
          </div>
        )}
      </Ready>
    </>
  );
}

function RoleTable({ all, issuers }: { all: readonly Named[]; issuers: Titles }): JSX.Element {
  return (
    <section class="card" aria-label="All roles">
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Role</th>
            <th scope="col">Lifetime</th>
            <th scope="col" class="mid-only">
              Key
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map(([name, role]) => (
            <tr key={name} class="open" onClick={() => open(address("roles", name))}>
              <td class="full">
                <a href={address("roles", name)}>{name}</a>
                <span class="sub">{describe(role)}</span>
              </td>
              <td>{longest(role)}</td>
              <td class="mid-only nowrap">
                {keyOf(role)}
                <span class="sub">{issuers.get(plain(role["issuer_ref"])) ?? plain(role["issuer_ref"], "default")}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
