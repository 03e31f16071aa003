import type { Unit } from "../../engine/unit.ts";
import { unitEndpoint } from "../../wire/endpoint.ts";
import { readName, readText, settingsAfter, type Choices } from "../jsonapi/attributes.ts";
import { changeDirectory, isHeld } from "../rows/change.ts";
import { answer, dataOf, parameter, readResource, timestamp } from "../jsonapi/document.ts";
import { attributeFault, invalid, notFound, type Fault } from "../jsonapi/fault.ts";
import { page, paged, pagedReply, pageFields } from "../jsonapi/paging.ts";
import {
  organizationRights,
  organizationsOf,
  organizationAccess,
  teamsOf,
  type OrganizationRights,
  type OrganizationAccess,
} from "../rights/rights.ts";
import { roomForMembership, roomForOrganization } from "../rows/limits.ts";
import { newOrganization } from "../rows/new-organization.ts";
import { isUser, rowKeys, type OrganizationRow } from "../rows/rows.ts";
import { created, jsonapi } from "../jsonapi/style.ts";
import { keysInOrganization, sweepTeams, sweepWorkspaces } from "../rows/sweep.ts";
import { byCodePoint } from "../../base/code-point.ts";
import { storedRows } from "../rows/stored.ts";

/** Settings that this service only keeps, with their defaults (V 10). */
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
const longestName = 40;
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
function documentOf({ organization: row, rights }: Omit<OrganizationAccess, "teams">) {
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
const reply = {
  data: answer<ReturnType<typeof documentOf>>({ type: "object" }, "The organization."),
} as const;
const organizationData = dataOf("organizations", {
  name: { type: "string", maxLength: longestName },
  email: { type: "string" },
});
const nameTaken = () => invalid([attributeFault("name", "Name has already been taken")]);

export const listOrganizations = unitEndpoint({
  id: "listOrganizations",
  at: ["GET /organizations"],
  access: "token",
  style: page,
  doc: "Lists the organizations that the caller can see.",
  body: {
    ...pageFields,
    q: parameter("Part of the name or email address."),
    "q[name]": parameter("Part of the name."),
    "q[email]": parameter("Part of the email address."),
  },
  reply: pagedReply,
  run: async (ca, input, caller) => {
    const teams = await teamsOf(ca, caller.id);
    const rows = await organizationsOf(ca, { principal: caller.id, teams });
    const has = (text: string, part: string | undefined) =>
      part === undefined || text.toLowerCase().includes(part.toLowerCase());
    const matching = rows
      .filter(
        ({ name, email }) =>
          (has(name, input.q) || has(email, input.q)) &&
          has(name, input["q[name]"]) &&
          has(email, input["q[email]"]),
      )
      .toSorted((one, other) => byCodePoint(one.name, other.name));
    const documents = matching.map((organization) =>
      documentOf({ organization, rights: organizationRights(caller.id, teams, organization.id) }),
    );
    return paged(documents, input, { whole: true });
  },
});

export const createOrganization = unitEndpoint({
  id: "createOrganization",
  at: ["POST /organizations"],
  access: "token",
  style: created,
  doc: "Creates an organization and adds the caller to its `owners` team. Only for users.",
  body: { data: organizationData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, { data }, caller) => {
    if (!isUser(caller.id)) throw notFound();
    const { attributes } = readResource(data?.(), { type: "organizations" });
    const faults: Fault[] = [];
    const name = readName(attributes, longestName, faults);
    const email = readText(attributes, "email");
    if (email === undefined) faults.push(attributeFault("email", "Email can't be blank"));
    if (faults.length || email === undefined) throw invalid(faults);
    const { organization, put } = newOrganization(ca.ports.random, ca.ports.now(), {
      name,
      email,
      settings: settingsAfter(defaults, {}, attributes, choices),
      owner: caller.id,
    });
    const at = rowKeys.organizationName(name);
    return changeDirectory(ca, async () => {
      const [maker, taken] = await ca.store.get([rowKeys.user(caller.id), at]);
      if (!maker) throw notFound();
      if (taken) throw nameTaken();
      const teams = await teamsOf(ca, caller.id);
      roomForOrganization(new Set(teams.map((team) => team.organization)));
      await roomForMembership(ca, caller.id);
      const rights = {
        see: true,
        own: true,
        manageTeams: true,
        manageWorkspaces: true,
        readWorkspaces: true,
      };
      return {
        reply: { data: documentOf({ organization, rights }) },
        // the user is written as it was, so that of two organizations the second begins anew and is
        // counted
        batch: {
          expect: [
            [at, null],
            [rowKeys.user(caller.id), maker.rev],
          ],
          put: [...put, [rowKeys.user(caller.id), maker.value]],
        },
      };
    });
  },
});

export const readOrganization = unitEndpoint({
  id: "readOrganization",
  at: ["GET /organizations/:organization"],
  access: "token",
  style: jsonapi,
  doc: "Reads an organization.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (ca, { organization }, caller) => ({
    data: documentOf(await organizationAccess(ca, caller.id, organization, "see")),
  }),
});

export const updateOrganization = unitEndpoint({
  id: "updateOrganization",
  at: ["PATCH /organizations/:organization"],
  access: "token",
  style: jsonapi,
  doc: "Updates an organization. Only for its owners.",
  body: { data: organizationData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, input, caller) => {
    const access = await organizationAccess(ca, caller.id, input.organization, "own");
    const { attributes } = readResource(input.data?.(), { type: "organizations" });
    const faults: Fault[] = [];
    const name =
      attributes["name"] === undefined || attributes["name"] === null
        ? undefined
        : readName(attributes, longestName, faults);
    const email = readText(attributes, "email");
    if (faults.length) throw invalid(faults);
    return changeDirectory(ca, () => renamed(ca, access, name, email, attributes));
  },
});
async function renamed(
  ca: Unit,
  { organization: { id }, rights }: OrganizationAccess,
  name: string | undefined,
  email: string | undefined,
  attributes: Readonly<Record<string, unknown>>,
) {
  const [row] = await ca.store.get([rowKeys.organization(id)]);
  if (!row) throw notFound();
  const held = storedRows.organization(row.value);
  const after: OrganizationRow = {
    ...held,
    name: name ?? held.name,
    email: email ?? held.email,
    settings: settingsAfter(defaults, held.settings, attributes, choices),
  };
  const [from, to] = [rowKeys.organizationName(held.name), rowKeys.organizationName(after.name)];
  const moves = from !== to;
  if (moves && (await isHeld(ca, to))) throw nameTaken();
  return {
    reply: { data: documentOf({ organization: after, rights }) },
    batch: {
      expect: [
        [rowKeys.organization(id), row.rev] as const,
        ...(moves ? [[to, null] as const] : []),
      ],
      del: moves ? [from] : [],
      put: [[rowKeys.organization(id), after] as const, ...(moves ? [[to, id] as const] : [])],
    },
  };
}

export const deleteOrganization = unitEndpoint({
  id: "deleteOrganization",
  at: ["DELETE /organizations/:organization"],
  access: "token",
  style: jsonapi,
  doc: "Deletes an organization with all its workspaces, variables, teams and tokens. Only for its owners.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (ca, { organization: name }, caller) => {
    const { organization } = await organizationAccess(ca, caller.id, name, "own");
    const { id } = organization;
    const key = rowKeys.organization(id);
    // workspaces and teams go first, one by one: whoever is cut off here can ask again
    await sweepWorkspaces(ca, id);
    await sweepTeams(ca, id);
    await changeDirectory(ca, async () => {
      const [[row], inside] = await Promise.all([ca.store.get([key]), keysInOrganization(ca, id)]);
      if (!row) throw notFound();
      const name = rowKeys.organizationName(storedRows.organization(row.value).name);
      return { reply: undefined, batch: { expect: [[key, row.rev]], del: [key, name, ...inside] } };
    });
    // what was made meanwhile: without the organization's own row nothing more can be
    await sweepWorkspaces(ca, id);
    await ca.store.commit({ del: await keysInOrganization(ca, id) });
    ca.cache.forget();
    return undefined;
  },
});

export const readEntitlements = unitEndpoint({
  id: "readEntitlements",
  at: ["GET /organizations/:organization/entitlement-set"],
  access: "token",
  style: jsonapi,
  doc: "Lists the features of an organization.",
  body: {},
  reply: { data: answer<unknown>({ type: "object" }, "The features.") },
  refuses: ["not_found"],
  run: async (ca, { organization: name }, caller) => {
    const { organization } = await organizationAccess(ca, caller.id, name, "see");
    const features = {
      teams: true,
      operations: true,
      agents: false,
      "state-storage": false,
      "private-module-registry": false,
      "policy-enforcement": false,
      sentinel: false,
      "cost-estimation": false,
    };
    const more = {
      "run-tasks": false,
      "audit-logging": false,
      sso: false,
      "vcs-integrations": false,
      "usage-reporting": false,
      "user-limit": null,
      "self-serve-billing": false,
    };
    return {
      data: {
        id: organization.id,
        type: "entitlement-sets",
        attributes: { ...features, ...more },
        links: { self: `/api/v2/entitlement-sets/${organization.id}` },
      },
    };
  },
});
