import type { JSX } from "preact";
import { Button } from "../../ui/button.tsx";
import { address } from "../../lib/route.ts";
import { presets, type Preset } from "../../lib/role-presets.ts";
import { sameUse, setsOf } from "../../lib/role-text.ts";
import { changes } from "../../lib/changes.ts";
import { roles } from "../../api/roles.ts";
import type { NamedRole } from "../../lib/role.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { Ready } from "../../ui/page.tsx";

/** The selected role, and a function that selects another role. */
export interface SelectedRole {
  name: string;
  change: (name: string) => void;
}

/** The purposes of certificates, each with its roles or a link to create one. */
export function ByUse(props: SelectedRole): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(roles, [turn]);
  return <Ready from={result}>{(all) => <Uses {...props} roles={all} />}</Ready>;
}

function Uses({
  roles,
  name,
  change,
}: SelectedRole & { roles: readonly NamedRole[] }): JSX.Element {
  return (
    <ul class="list dense uses">
      {presets.map((preset) => (
        <Use
          key={preset.id}
          of={preset}
          fitting={roles.filter(([, role]) => sameUse(role, preset.fields)).map(([key]) => key)}
          name={name}
          change={change}
        />
      ))}
    </ul>
  );
}

/** Maximum number of roles that are offered for a purpose. The list above contains all roles. */
const maxOffered = 3;

function Use({
  of: { id, title, about, fields },
  fitting,
  name,
  change,
}: SelectedRole & { of: Preset; fitting: readonly string[] }): JSX.Element {
  return (
    <li>
      <div>
        <b>{title}</b>
        <p class="small muted">{about}</p>
        {fitting.length === 0 && (
          <p class="small muted">A new role for this purpose sets: {setsOf(fields)}.</p>
        )}
        <div class="actions">
          {fitting.slice(0, maxOffered).map((role) => (
            <Button key={role} tiny pressed={role === name} press={() => change(role)}>
              {role}
            </Button>
          ))}
          {fitting.length === 0 && (
            <a
              href={address("roles", "new", { for: id })}
              aria-label={`Create a role for ${title.toLowerCase()}`}
            >
              Create a role
            </a>
          )}
        </div>
      </div>
    </li>
  );
}
