import { storeEndpoint } from "../../wire/endpoint.ts";
import { readName, readSentName, readText } from "../jsonapi/attributes.ts";
import { readResource } from "../jsonapi/resource.ts";
import { attributeFault, invalidError, notFound, type Fault } from "../jsonapi/fault.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { teamsOf } from "../rights/principal-teams.ts";
import { organizationAccess } from "../rights/organization-access.ts";
import { organizationRights } from "../rights/rights.ts";
import { isStored } from "../rows/change.ts";
import { changeRow } from "../rows/change-row.ts";
import { rowKeys } from "../rows/keys.ts";
import { roomForMembership, roomForOrganization } from "../rows/limits.ts";
import { nameInUse, renameChanges } from "../rows/naming.ts";
import { newOrganization } from "../rows/new-organization.ts";
import { isUser, type OrganizationRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { keysInOrganization } from "../rows/owned-keys.ts";
import { organizationEnd, organizationEndRow, sweepTeams, sweepWorkspaces } from "../rows/sweep.ts";
import {
  maxNameLength,
  oneOrganization as reply,
  organizationData,
  organizationDocument,
  organizationSettings,
} from "./organization-document.ts";

const rowAt = (id: string) => ({ key: rowKeys.organization(id), read: storedRows.organization });

export const createOrganization = storeEndpoint({
  id: "createOrganization",
  at: ["POST /organizations"],
  access: "known",
  style: jsonapi,
  status: 201,
  doc: "Creates an organization and adds the caller to its `owners` team. The caller must be a user.",
  body: { data: organizationData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { data }, { identity }) => {
    const user = identity.id;
    if (!isUser(user)) throw notFound();
    const { attributes } = readResource(data?.(), { type: "organizations" });
    const faults: Fault[] = [];
    const name = readName(attributes, maxNameLength, faults);
    const email = readText(attributes, "email");
    if (email === undefined) faults.push(attributeFault("email", "Email can't be blank"));
    if (faults.length || email === undefined) throw invalidError(faults);
    const settings = organizationSettings({}, attributes);
    const { organization, owners, put } = newOrganization(
      storeContext.ports.random,
      storeContext.ports.now(),
      {
        name,
        email,
        settings,
        owner: user,
      },
    );
    const rights = organizationRights(user, [owners], organization.id);
    const nameKey = rowKeys.organizationName(name);
    const userRow = { key: rowKeys.user(user), read: storedRows.user };
    return changeRow(storeContext, userRow, async (row) => {
      if (await isStored(storeContext, nameKey)) throw nameInUse();
      const teams = await teamsOf(storeContext, user);
      roomForOrganization(new Set(teams.map((team) => team.organization)));
      await roomForMembership(storeContext, user);
      return {
        reply: { data: organizationDocument({ organization, rights }) },
        // rewrites the user's row, so that the second of two concurrent requests retries and counts
        // again
        row,
        expect: [[nameKey, null]],
        put,
      };
    });
  },
});

export const readOrganization = storeEndpoint({
  id: "readOrganization",
  at: ["GET /organizations/:organization"],
  access: "known",
  style: jsonapi,
  doc: "Reads an organization.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (storeContext, { organization }, caller) => ({
    data: organizationDocument(
      await organizationAccess(storeContext, caller.identity.id, organization, "see"),
    ),
  }),
});

export const updateOrganization = storeEndpoint({
  id: "updateOrganization",
  at: ["PATCH /organizations/:organization"],
  access: "known",
  style: jsonapi,
  doc: "Updates an organization. The caller must be one of its owners.",
  body: { data: organizationData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, input, caller) => {
    const { organization, rights } = await organizationAccess(
      storeContext,
      caller.identity.id,
      input.organization,
      "own",
    );
    const { attributes } = readResource(input.data?.(), { type: "organizations" });
    const faults: Fault[] = [];
    const name = readSentName(attributes, maxNameLength, faults);
    const email = readText(attributes, "email");
    if (faults.length) throw invalidError(faults);
    return changeRow(storeContext, rowAt(organization.id), async (current) => {
      const row: OrganizationRow = {
        ...current,
        name: name ?? current.name,
        email: email ?? current.email,
        settings: organizationSettings(current.settings, attributes),
      };
      const [from, to] = [
        rowKeys.organizationName(current.name),
        rowKeys.organizationName(row.name),
      ];
      return {
        reply: { data: organizationDocument({ organization: row, rights }) },
        row,
        ...(await renameChanges(storeContext, row.id, from, to)),
      };
    });
  },
});

export const deleteOrganization = storeEndpoint({
  id: "deleteOrganization",
  at: ["DELETE /organizations/:organization"],
  access: "known",
  style: jsonapi,
  doc: "Deletes an organization with all its workspaces, variables, teams and tokens. The caller must be one of its owners.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (storeContext, input, caller) => {
    const { organization } = await organizationAccess(
      storeContext,
      caller.identity.id,
      input.organization,
      "own",
    );
    const { id } = organization;
    // deletes workspaces and teams first, one by one, so that an interrupted request can be retried
    await sweepWorkspaces(storeContext, id);
    await sweepTeams(storeContext, id);
    await changeRow(storeContext, rowAt(id), async ({ name }) => ({
      reply: undefined,
      put: [organizationEndRow(storeContext, id)],
      del: [rowKeys.organizationName(name), ...(await keysInOrganization(storeContext, id))],
    }));
    // deletes rows that were created concurrently; even if this fails, the organization is deleted
    await storeContext.once(organizationEnd.kind, id).catch(() => undefined);
    return undefined;
  },
});
