import { missingPermission } from "../api/permissions.ts";
import { writeRole } from "../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { ButtonLink } from "./button.tsx";
import { Empty } from "./page.tsx";
import { address } from "../lib/route.ts";

/** The placeholder for an empty list of roles. */
export function NoRoles(): JSX.Element {
  return (
    <div class="card">
      <Empty text="A role defines the names, lifetimes and uses for which certificates can be issued. This mount has no roles yet.">
        <ButtonLink
          kind="primary"
          lacks={missingPermission(writeRole, { name: "any-role" })}
          to={address("roles", "new")}
        >
          Create a role
        </ButtonLink>
      </Empty>
    </div>
  );
}
