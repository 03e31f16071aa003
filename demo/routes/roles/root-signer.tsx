import type { JSX } from "preact";
import { authorities } from "../../api/issuer-tree.ts";
import { signsFor } from "../../api/issuer-uses.ts";
import { caBelowRoot } from "../../api/role-issuers.ts";
import type { Role } from "../../lib/role.ts";
import { toText } from "../../lib/to-text.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { Note } from "../../ui/page.tsx";
import { changesOf, withValue, type Values } from "./role-values.ts";

/**
 * The warning shown if a new or changed role selects a root as its issuer although there is an
 * issuing CA below the root.
 */
export function RootSigner({
  isNew,
  role,
  values,
  change,
}: {
  isNew: boolean;
  role: Role;
  values: Values;
  change: (values: Values) => void;
}): JSX.Element | null {
  if (!isNew && changesOf(values, role)["issuer_ref"] === undefined) return null;
  return (
    <Warning
      signer={toText(values["issuer_ref"], "default")}
      use={(id) => change(withValue(values, "issuer_ref", id, role))}
    />
  );
}

function Warning({
  signer,
  use,
}: {
  /** The role’s issuer: an ID, a name or `default`. */
  signer: string;
  use: (id: string) => void;
}): JSX.Element | null {
  const all = useLoad(authorities, []).value ?? [];
  const root = all.find((one) => signsFor(one, signer));
  const below = caBelowRoot(root, all);
  if (!root || !below) return null;
  return (
    <Note tone="warn" icon="warn">
      <b>The root {root.name} would sign for this role</b>
      <p class="small">The root’s key can be kept offline if an issuing CA signs instead.</p>
      <div class="actions from-start">
        <Button tiny press={() => use(below.record.issuer_id)}>
          Sign with {below.name}
        </Button>
      </div>
    </Note>
  );
}
