import { settingsAfter, type Choices, type Settings } from "../jsonapi/settings.ts";
import { documentMember, dataOf, timestamp } from "../jsonapi/document.ts";
import {
  membersOf,
  flag,
  object,
  resource,
  settingSchemas,
  text,
  toOne,
} from "../jsonapi/resource-schema.ts";
import { attributeFault, invalidError } from "../jsonapi/fault.ts";
import type { OrganizationAccess } from "../rights/organization-access.ts";
import type { OrganizationRights } from "../rights/rights.ts";

/** Defaults of the settings that have no effect (V 10). */
const defaults = {
  "collaborator-auth-policy": "password",
  "default-execution-mode": "remote",
  "session-timeout": null,
  "session-remember": null,
  "cost-estimation-enabled": false,
  "assessments-enforced": false,
  "allow-force-delete-workspaces": false,
  "aggregated-commit-status-enabled": true,
  "speculative-plan-management-enabled": true,
  "send-passing-statuses-for-untriggered-speculative-plans": false,
  "owners-team-saml-role-id": null,
  "user-tokens-enabled": true,
} as const;
const choices: Choices = {
  "collaborator-auth-policy": ["password", "two_factor_mandatory"],
  "default-execution-mode": ["remote", "local", "agent"],
  "session-timeout": "number",
  "session-remember": "number",
};
/** Maximum length of an organization's name in characters. */
export const maxNameLength = 40;
/**
 * Returns the settings after a change. Throws 422 for invalid settings. `user-tokens-enabled:
 * false` is invalid, because user tokens would keep their access although the owner believes
 * otherwise.
 */
export function organizationSettings(current: Settings, sent: Settings): Settings {
  if (sent["user-tokens-enabled"] === false)
    throw invalidError([
      attributeFault(
        "user-tokens-enabled",
        "User tokens enabled cannot be false: this server does not restrict user tokens. Remove users from the organization's teams, or delete their tokens",
      ),
    ]);
  return settingsAfter(defaults, current, sent, choices);
}
const fixed = {
  "saml-enabled": false,
  "two-factor-conformant": true,
  "is-unified": false,
} as const;

const permissionsOf = ({ own, see, manageTeams, manageWorkspaces }: OrganizationRights) => ({
  "can-update": own,
  "can-destroy": own,
  "can-access-via-teams": see,
  "can-create-team": manageTeams,
  "can-manage-users": manageTeams,
  "can-create-workspace": manageWorkspaces,
  "can-update-api-token": own,
  "can-traverse": see,
});
/** Returns an organization's resource object. */
export function organizationDocument({
  organization: row,
  rights,
}: Omit<OrganizationAccess, "teams">) {
  const self = `/api/v2/organizations/${row.name}`;
  return {
    id: row.name,
    type: "organizations",
    attributes: {
      name: row.name,
      email: row.email,
      "external-id": row.id,
      "created-at": timestamp(row.created),
      ...defaults,
      ...fixed,
      ...row.settings,
      // earlier versions stored false, which had no effect
      "user-tokens-enabled": true,
      permissions: permissionsOf(rights),
    },
    relationships: {
      "default-project": { data: { id: row.project, type: "projects" } },
      "default-agent-pool": { data: null },
      "entitlement-set": {
        data: { id: row.id, type: "entitlement-sets" },
        links: { related: `${self}/entitlement-set` },
      },
    },
    links: { self },
  };
}
/** Schema of an organization. */
export const organizationSchema = resource(
  "organizations",
  object({
    ...membersOf(["name", "email", "external-id", "created-at"], text),
    ...settingSchemas({ ...defaults, ...fixed }, choices),
    permissions: { type: "object", additionalProperties: flag },
  }),
  { "default-project": toOne("projects"), "entitlement-set": toOne("entitlement-sets") },
);
/** Reply field for one organization. */
export const oneOrganization = {
  data: documentMember<ReturnType<typeof organizationDocument>>(
    organizationSchema,
    "The organization.",
  ),
} as const;
/** The `data` member of a request document that creates or updates an organization. */
export const organizationData = dataOf("organizations", {
  name: { type: "string", maxLength: maxNameLength },
  email: { type: "string" },
});
