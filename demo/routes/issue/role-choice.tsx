import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { lazy } from "../../ui/lazy.tsx";
import { Choice } from "../../ui/field.tsx";
import { address } from "../../lib/route.ts";
import { describe, purposesOf } from "../../lib/role-text.ts";
import { signerOf, useSigners } from "../../api/role-issuers.ts";
import { plain } from "../../lib/format.ts";
import type { RoleChoiceProps } from "./roles-by-purpose.tsx";

const ByUse = lazy<RoleChoiceProps>(async () => (await import("./roles-by-purpose.tsx")).ByUse);

/** Chooses the role by its name, or by the purpose of the certificate. */
export function RoleChoice(props: RoleChoiceProps): JSX.Element {
  const { roles, name, change } = props;
  const [opened, open] = useState(false);
  const role = roles.find(([key]) => key === name)?.[1] ?? {};
  const signers = useSigners();
  const signer = signerOf(signers, plain(role.issuer_ref, "default"));
  const purposes = purposesOf(role).join(" and ") || "any use";
  return (
    <div class="stack close">
      <Choice
        label="Role"
        value={name}
        change={change}
        options={roles.map(([key]) => [key, key] as const)}
        hint={
          <>
            {describe(role)} For {purposes}. <a href={address("roles", name)}>Change this role</a>
            <br />
            {/* Shows the line only with names, not with ids at first, and reserves its height
            so that nothing below moves. */}
            {signers.names.size > 0 ? `Signed by ${signer}.` : "\u00a0"}
          </>
        }
      />
      <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
        <summary>Choose by purpose</summary>
        {opened && <ByUse {...props} />}
      </details>
    </div>
  );
}
