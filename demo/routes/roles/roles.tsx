import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { authorities } from "../../api/issuer-tree.ts";
import { lazy } from "../../ui/lazy.tsx";
import * as pki from "../../api/pki.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { TermText } from "../../ui/term.tsx";
import { Back, Empty, Head, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { address, route } from "../../lib/route.ts";
import { fresh } from "./fields.ts";
import { presets } from "../../lib/role-presets.ts";
import { signerForNew, signerOf, useSigners, type Signers } from "../../api/role-issuers.ts";
import { useLoad, useStore } from "../../lib/store.ts";
import { plain } from "../../lib/format.ts";
import { describe, keyOf, lifetimes } from "../../lib/role-text.ts";
import { NoRoles } from "../../ui/no-roles.tsx";
import type { EditorProps } from "./role-editor.tsx";

const Try = lazy(async () => (await import("./try-name.tsx")).Try);

// Loaded on demand: the list is used more often than the editor.
const RoleEditor = lazy<EditorProps>(async () => (await import("./role-editor.tsx")).RoleEditor);

/**
 * The roles of the mount, or one of them in the editor, with a check whether each would allow a
 * name.
 */
export function Roles(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const turn = useStore(pki.changes, (value) => value.turn);
  const roles = useLoad(pki.roles, [turn]);
  const issuers = useSigners();
  const [draft, setDraft] = useState<pki.Role>();
  const edited = roles.value?.find(([name]) => name === id);
  return (
    <>
      {id === "" ? <ListHead /> : <EditorHead id={id} />}
      <Ready from={roles}>
        {(all) => (
          <div class="split">
            {id === "" && <RoleTable all={all} issuers={issuers} />}
            {edited && (
              <RoleEditor
                key={id}
                name={id}
                role={edited[1]}
                taken={[]}
                issuers={issuers}
                edited={setDraft}
              />
            )}
            {id === "new" && !edited && (
              <NewRole taken={all.map(([name]) => name)} issuers={issuers} edited={setDraft} />
            )}
            {id !== "" && id !== "new" && !edited && (
              <div class="card">
                <Empty text="This mount has no such role." />
              </div>
            )}
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

/** The editor of a new role; its initial values stay even if the issuers change meanwhile. */
function NewRole(props: Omit<EditorProps, "name" | "role">): JSX.Element | null {
  const [role, setRole] = useState<pki.Role>();
  const query = useStore(route, (value) => value.query);
  useEffect(() => {
    const signer = query.get("signer") ?? "";
    const made = { ...fresh, ...presets.find(({ id }) => id === query.get("for"))?.fields };
    authorities().then(
      (all) => {
        const named = all.some(({ record }) => record.issuer_id === signer);
        setRole({ ...made, issuer_ref: named ? signer : signerForNew(all) });
      },
      () => setRole(made),
    );
  }, []);
  return role ? <RoleEditor name="" role={role} {...props} /> : null;
}

function ListHead(): JSX.Element {
  return (
    <Head
      title="Roles"
      about={<TermText of="role" />}
      actions={
        <ButtonLink kind="primary" icon="plus" to={address("roles", "new")}>
          New role
        </ButtonLink>
      }
    />
  );
}

function EditorHead({ id }: { id: string }): JSX.Element {
  return (
    <>
      <Back to={address("roles")}>Roles</Back>
      <Head
        title={id === "new" ? "New role" : id}
        actions={id !== "new" && <ButtonLink to={address("issue", id)}>Issue from it</ButtonLink>}
      />
    </>
  );
}

function RoleTable({
  all,
  issuers,
}: {
  all: readonly pki.NamedRole[];
  issuers: Signers;
}): JSX.Element {
  if (all.length === 0) return <NoRoles />;
  return (
    <div class="card">
      <table class="table cards roles" aria-label="Roles">
        <Columns of={["Role", "Lifetime", ["Key", "mid-only"]]} />
        <tbody>
          {all.map(([name, role]) => {
            const [first, then] = lifetimes(role);
            return (
              <OpenRow key={name} to={address("roles", name)}>
                <td class="full">
                  <a href={address("roles", name)}>{name}</a>
                  <span class="sub">{describe(role)}</span>
                </td>
                <td>
                  {first}
                  <span class="sub">{then}</span>
                </td>
                <td class="mid-only nowrap">
                  {keyOf(role)}
                  <span class="sub">{signerOf(issuers, plain(role.issuer_ref, "default"))}</span>
                </td>
              </OpenRow>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
