import { missingPermission } from "../../api/permissions.ts";
import { patchRole } from "../../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { lazy } from "../../ui/lazy.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { address } from "../../lib/route.ts";
import { describe, leaseNote, purposesOf } from "../../lib/role-text.ts";
import { signerOf, useSigners } from "../../api/role-issuers.ts";
import { toText } from "../../lib/to-text.ts";
import type { Role } from "../../lib/role.ts";
import type { SelectedRole } from "./roles-by-purpose.tsx";

const ByUse = lazy<SelectedRole>(async () => (await import("./roles-by-purpose.tsx")).ByUse);

/**
 * The selected role, and the names to choose from. If `isTyped`, the user can also enter another
 * name.
 */
interface RoleChoiceProps extends SelectedRole {
  readonly role: Role;
  readonly names: readonly string[];
  readonly isTyped: boolean;
}

/** The fields that select a role by its name or by the purpose of the certificate. */
export function RoleChoice(props: RoleChoiceProps): JSX.Element {
  const { names, name, role, change, isTyped } = props;
  const [opened, open] = useState(false);
  if (isTyped && names.length === 0) return <TypedRole {...props} />;
  return (
    <div class="stack close">
      <Choice
        label="Role"
        value={name}
        change={change}
        options={["", ...names]
          .filter((key) => key !== "" || name === "")
          .map((key) => [key, key || "Choose a role"] as const)}
        hint={name && <RoleHint name={name} role={role} />}
      />
      {isTyped ? (
        <details>
          <summary>Another role</summary>
          <TypedRole {...props} />
        </details>
      ) : (
        <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
          <summary>Choose by purpose</summary>
          {opened && <ByUse name={name} change={change} />}
        </details>
      )}
    </div>
  );
}

/** The field for the name of a role, for tokens that may not list roles. */
const TypedRole = ({ name, change }: SelectedRole): JSX.Element => (
  <Text
    label="Role name"
    value={name}
    change={change}
    hint="Your token cannot list the roles. Enter the name of a role that you may use."
  />
);

/**
 * A description of the role and its issuer. Renders only a note if the token may not read the role.
 */
function RoleHint({ name, role }: { name: string; role: Role }): JSX.Element | string {
  const signers = useSigners();
  if (Object.keys(role).length === 0) return "Your token cannot read this role’s settings.";
  const signer = signerOf(signers, toText(role.issuer_ref, "default"));
  const purposes = purposesOf(role).join(" and ") || "any use";
  return (
    <>
      {describe(role)} For {purposes}.{" "}
      <a href={address("roles", name)}>
        {missingPermission(patchRole, { name }) === "" ? "Change this role" : "Show this role"}
      </a>
      <br />
      {/* Wait for the names of issuers instead of showing IDs first, but reserve the height
      of the line so that nothing below moves. */}
      {signers.names.size > 0 ? `Signed by ${signer}.` : "\u00a0"} {leaseNote(role)[0]}
    </>
  );
}
