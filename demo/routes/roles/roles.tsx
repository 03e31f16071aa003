import { missingPermission } from "../../api/permissions.ts";
import { listRoles, writeRole } from "../../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { authorities } from "../../api/issuer-tree.ts";
import { lazy } from "../../ui/lazy.tsx";
import { changes } from "../../lib/changes.ts";
import type { Role, NamedRole } from "../../lib/role.ts";
import * as roleCalls from "../../api/roles.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Choice, Filter } from "../../ui/field.tsx";
import { TermText } from "../../ui/term.tsx";
import { Back, Empty, Head, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { address, route } from "../../lib/route.ts";
import { fresh } from "./fields.ts";
import { presets } from "../../lib/role-presets.ts";
import { signerForNew, signerOf, useSigners, type Signers } from "../../api/role-issuers.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { toText } from "../../lib/to-text.ts";
import { describe, keyOf, lifetimes } from "../../lib/role-text.ts";
import { NoRoles } from "../../ui/no-roles.tsx";
import type { EditorProps } from "./role-editor.tsx";

const Try = lazy(async () => (await import("./try-name.tsx")).Try);

// loaded on demand, because the list is used more often than the editor
const RoleEditor = lazy<EditorProps>(async () => (await import("./role-editor.tsx")).RoleEditor);

/**
 * The list of the mount's roles, or the editor for the role that the URL specifies, with a card
 * that checks which roles would allow a name.
 */
export function Roles(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const turn = useStore(changes, (value) => value.turn);
  const roles = useLoad(readableRoles, [turn]);
  const issuers = useSigners();
  const [draft, setDraft] = useState<Role>();
  const edited = roles.value?.find(([name]) => name === id);
  return (
    <>
      {id === "" ? <ListHead isEmpty={roles.value?.length === 0} /> : <EditorHead id={id} />}
      <Ready from={roles}>
        {(all) => (
          <div class="split">
            {id === "" && <RoleTable all={all} issuers={issuers} />}
            {edited && (
              <RoleEditor
                key={id}
                name={id}
                role={edited[1]}
                names={[]}
                issuers={issuers}
                edited={setDraft}
              />
            )}
            {id === "new" && !edited && (
              <NewRole names={all.map(([name]) => name)} issuers={issuers} edited={setDraft} />
            )}
            {id !== "" && id !== "new" && !edited && (
              <div class="card">
                <Empty text="This mount has no such role." />
              </div>
            )}
            {(all.length > 0 || draft) && (
              <aside class="sticky tried" aria-label="Try a name">
                <Try all={all} draft={draft} of={edited ? id : ""} />
              </aside>
            )}
          </div>
        )}
      </Ready>
    </>
  );
}

/**
 * Returns the roles, or those that the token's policies mention if the token may not list the
 * roles.
 */
async function readableRoles(): Promise<readonly NamedRole[]> {
  if (missingPermission(listRoles) === "") return roleCalls.roles();
  const names = await roleCalls.usableRoles();
  // also include a role that only the URL specifies
  const { id } = route.get();
  const all = names.includes(id) || id === "" || id === "new" ? names : [...names, id];
  return Promise.all(all.map((name) => roleCalls.readableRole(name)));
}

/** The editor for a new role. Its initial values stay the same even if the issuers change. */
function NewRole(props: Omit<EditorProps, "name" | "role">): JSX.Element | null {
  const [role, setRole] = useState<Role>();
  const query = useStore(route, (value) => value.query);
  useEffect(() => {
    const signer = query.get("signer") ?? "";
    const initial = { ...fresh, ...presets.find(({ id }) => id === query.get("for"))?.fields };
    authorities().then(
      (all) => {
        const named = all.some(({ record }) => record.issuer_id === signer);
        setRole({ ...initial, issuer_ref: named ? signer : signerForNew(all) });
      },
      () => setRole(initial),
    );
  }, []);
  return role ? <RoleEditor name="" role={role} {...props} /> : null;
}

/**
 * The title of the list. If the list is empty, its placeholder has the explanation and the button
 * instead.
 */
function ListHead({ isEmpty }: { isEmpty: boolean }): JSX.Element {
  return (
    <Head
      title="Roles"
      about={!isEmpty && <TermText of="role" />}
      actions={
        !isEmpty && (
          <ButtonLink
            kind="primary"
            icon="plus"
            lacks={missingPermission(writeRole, { name: "any-role" })}
            to={address("roles", "new")}
          >
            New role
          </ButtonLink>
        )
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
        actions={
          id !== "new" && <ButtonLink to={address("issue", id)}>Issue certificate</ButtonLink>
        }
      />
    </>
  );
}

/**
 * Maximum number of roles that are shown without a filter, and maximum number of rows until the
 * user expands the list.
 */
const many = 12;
const maxRows = 100;

type Order = "name" | "lifetime" | "issuer";
const orders: readonly (readonly [Order, string])[] = [
  ["name", "Name"],
  ["lifetime", "Shortest lifetime"],
  ["issuer", "Authority"],
];

/**
 * Returns the roles whose name or description contains a text, sorted. Roles with equal sort keys
 * are sorted by name.
 */
function sortedRoles(all: readonly NamedRole[], text: string, by: Order): readonly NamedRole[] {
  const words = text.trim().toLowerCase();
  const matches = all.filter(([name, role]) =>
    `${name} ${describe(role)}`.toLowerCase().includes(words),
  );
  if (by === "name") return matches;
  if (by === "issuer")
    return matches.toSorted(([, a], [, b]) =>
      toText(a.issuer_ref, "default").localeCompare(toText(b.issuer_ref, "default")),
    );
  // if a role sets no lifetime, the mount's maximum applies
  const lifetime = ({ ttl, max_ttl }: Role): number =>
    Number(ttl) || Number(max_ttl) || Number.MAX_SAFE_INTEGER;
  return matches.toSorted(([, a], [, b]) => lifetime(a) - lifetime(b));
}

function RoleTable({ all, issuers }: { all: readonly NamedRole[]; issuers: Signers }): JSX.Element {
  const [text, setText] = useState("");
  const [by, order] = useState<Order>("name");
  const [isWhole, showAll] = useState(false);
  if (all.length === 0) return <NoRoles />;
  const matches = sortedRoles(all, text, by);
  const shown = isWhole ? matches : matches.slice(0, maxRows);
  return (
    <div class="card">
      {all.length > many && (
        <div class="filters">
          <Filter label="Filter by name or content" value={text} change={setText} />
          <Choice label="Sort by" value={by} change={order} options={orders} />
          <span class="small muted" role="status">
            {matches.length === all.length ? all.length : `${matches.length} of ${all.length}`}{" "}
            roles
          </span>
        </div>
      )}
      {matches.length === 0 ? (
        <Empty text="No matching roles." />
      ) : (
        <table class="table cards roles" aria-label="Roles">
          <Columns of={["Role", "Lifetime", ["Key", "mid-only"]]} />
          <tbody>
            {shown.map((one) => (
              <RoleRow key={one[0]} of={one} issuers={issuers} />
            ))}
          </tbody>
        </table>
      )}
      {shown.length < matches.length && (
        <footer>
          <Button tiny press={() => showAll(true)}>
            Show all {matches.length}
          </Button>
        </footer>
      )}
    </div>
  );
}

function RoleRow({ of: [name, role], issuers }: { of: NamedRole; issuers: Signers }): JSX.Element {
  const to = address("roles", name);
  const isRead = Object.keys(role).length > 0;
  const [first, then] = lifetimes(role);
  return (
    <OpenRow to={to}>
      <td class="full">
        <a href={to}>{name}</a>
        <span class="sub">{isRead ? describe(role) : "Your token cannot read this role."}</span>
      </td>
      <td>
        {isRead && first}
        <span class="sub">{isRead && then}</span>
      </td>
      <td class="mid-only nowrap">
        {isRead && keyOf(role)}
        <span class="sub">{isRead && signerOf(issuers, toText(role.issuer_ref, "default"))}</span>
      </td>
    </OpenRow>
  );
}
