import { storeEndpoint } from "../../wire/endpoint.ts";
import { documentMember } from "../jsonapi/document.ts";
import { membersOf, flag, object, resource } from "../jsonapi/resource-schema.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { organizationAccess } from "../rights/organization-access.ts";

const features = {
  teams: true,
  operations: true,
  agents: false,
  "state-storage": false,
  "private-module-registry": false,
  "policy-enforcement": false,
  sentinel: false,
  "cost-estimation": false,
  "run-tasks": false,
  "audit-logging": false,
  sso: false,
  "vcs-integrations": false,
  "usage-reporting": false,
  "self-serve-billing": false,
} as const;
const schema = resource(
  "entitlement-sets",
  object({ ...membersOf(Object.keys(features), flag), "user-limit": { type: "null" } }),
);
export const readEntitlements = storeEndpoint({
  id: "readEntitlements",
  at: ["GET /organizations/:organization/entitlement-set"],
  access: "known",
  style: jsonapi,
  doc: "Lists the features of an organization.",
  body: {},
  reply: { data: documentMember<unknown>(schema, "The features.") },
  refuses: ["not_found"],
  run: async (storeContext, { organization: name }, caller) => {
    const { organization } = await organizationAccess(
      storeContext,
      caller.identity.id,
      name,
      "see",
    );
    return {
      data: {
        id: organization.id,
        type: "entitlement-sets",
        attributes: { ...features, "user-limit": null },
        links: { self: `/api/v2/entitlement-sets/${organization.id}` },
      },
    };
  },
});
