import type { RandomBytes } from "../../base/random-text.ts";
import type { Settings } from "../jsonapi/settings.ts";
import { newId } from "./ids.ts";
import { rowKeys } from "./keys.ts";
import type { OrganizationRow, TeamRow } from "./rows.ts";

/** Fields of a new organization. The name consists of letters, digits, `-` and `_`. */
interface NewOrganization {
  readonly name: string;
  readonly email: string;
  readonly settings?: Settings;
  /** ID of the only member of the `owners` team. */
  readonly owner: string;
}
/** Returns the rows of a new organization and its `owners` team. `now` is in Unix milliseconds. */
export function newOrganization(
  random: RandomBytes,
  now: number,
  { name, email, settings = {}, owner }: NewOrganization,
) {
  const id = newId("org", random);
  const owners: TeamRow = {
    id: newId("team", random),
    organization: id,
    name: "owners",
    owners: true,
    visibility: "secret",
    sso: null,
    tokens: true,
    access: {},
    users: [owner],
  };
  const organization: OrganizationRow = {
    id,
    name,
    email,
    created: now,
    project: newId("prj", random),
    owners: owners.id,
    settings,
  };
  const put: readonly (readonly [string, unknown])[] = [
    [rowKeys.organization(id), organization],
    [rowKeys.organizationName(name), id],
    [rowKeys.team(owners.id), owners],
    [rowKeys.teamName(id, owners.name), owners.id],
    [rowKeys.membership(owner, owners.id), true],
  ];
  return { organization, owners, put };
}
