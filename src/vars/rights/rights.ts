import { kindOf } from "../../engine/cache.ts";
import type { Unit } from "../../engine/unit.ts";
import { namesBelow, rowOf, rowsOf, textIn } from "../rows/change.ts";
import { wellFormed } from "../../base/code-point.ts";
import { notFound } from "../jsonapi/fault.ts";
import { isId, keyPart } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import {
  isOrganization,
  isUser,
  type AccessRow,
  type NamedWorkspace,
  type OrganizationRow,
  type Principal,
  type TeamRow,
  type WorkspaceRow,
} from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";

/** What a principal may do in one workspace (V 8). */
export interface WorkspaceRights {
  readonly see: boolean;
  readonly readVariables: boolean;
  readonly writeVariables: boolean;
  /** Change its settings, its teams, and delete it. */
  readonly manage: boolean;
}
/** What a principal may do in one organization. */
export interface OrganizationRights {
  readonly see: boolean;
  /** A member of the owners team, or that team's token: everything. */
  readonly own: boolean;
  /** Teams and their tokens: owners, and the organization's token. */
  readonly manageTeams: boolean;
  readonly manageWorkspaces: boolean;
  readonly readWorkspaces: boolean;
}
/** A workspace of a list, and its organization. */
export interface ListedWorkspace {
  readonly workspace: NamedWorkspace;
  readonly organization: OrganizationRow;
}
/** The same with what the caller may do there. */
export interface RatedWorkspace extends ListedWorkspace {
  readonly rights: WorkspaceRights;
}
/** A whole workspace, its organization, and what the caller may do there. */
export interface WorkspaceAccess extends RatedWorkspace {
  readonly workspace: WorkspaceRow;
}

const nothing: WorkspaceRights = {
  see: false,
  readVariables: false,
  writeVariables: false,
  manage: false,
};
const everything: WorkspaceRights = {
  see: true,
  readVariables: true,
  writeVariables: true,
  manage: true,
};
const reading: WorkspaceRights = { ...nothing, see: true, readVariables: true };
const grants: Readonly<Record<AccessRow["access"], (row: AccessRow) => WorkspaceRights>> = {
  read: () => reading,
  plan: () => reading,
  write: () => ({ ...reading, writeVariables: true }),
  admin: () => everything,
  custom: ({ variables }) => ({
    ...nothing,
    see: true,
    readVariables: variables !== "none",
    writeVariables: variables === "write",
  }),
};

/** The teams through which a principal has rights: a user's, or the team itself. */
export async function teamsOf(ca: Unit, principal: Principal): Promise<readonly TeamRow[]> {
  if (isOrganization(principal)) return [];
  const ids = isUser(principal)
    ? await namesBelow(ca, rowKeys.memberships(principal))
    : [principal];
  return rowsOf(ca, storedRows.team, ids.map(rowKeys.team));
}
/** Rights in an organization of a principal with these teams. */
export function organizationRights(
  principal: Principal,
  teams: readonly TeamRow[],
  organization: string,
): OrganizationRights {
  const here = teams.filter((team) => team.organization === organization);
  const granted = (...names: readonly string[]) =>
    here.some(({ access }) => names.some((name) => access[name] === true));
  const own = here.some(({ owners }) => owners);
  const all = own || principal === organization;
  const manageWorkspaces = all || granted("manage-workspaces", "manage-projects");
  return {
    see: all || here.length > 0,
    own,
    manageTeams: all,
    manageWorkspaces,
    readWorkspaces: manageWorkspaces || granted("read-workspaces", "read-projects"),
  };
}
/** A principal with the teams through which it has rights, loaded once for a request. */
export interface Holder {
  readonly principal: Principal;
  readonly teams: readonly TeamRow[];
}
/** A workspace by its id, and the id of its organization. */
interface Owned {
  readonly organization: string;
  readonly id: string;
}
/**
 * Rights in some workspaces, in their order; as few reads as for one, and as many where there is
 * nothing to see.
 */
async function workspaceRights(
  ca: Unit,
  { principal, teams }: Holder,
  workspaces: readonly Owned[],
): Promise<readonly WorkspaceRights[]> {
  const ids = [...new Set(workspaces.map(({ organization }) => organization))];
  const wide = new Map(ids.map((id) => [id, organizationRights(principal, teams, id)]));
  // what is not there belongs to nobody, but is looked for like anything else
  const asked = workspaces.filter(
    ({ organization }) => wide.get(organization)?.manageWorkspaces !== true,
  );
  const granted = new Map<string, WorkspaceRights[]>();
  for (const row of await accessRows(ca, teams, asked)) {
    const known = granted.get(row.workspace);
    if (known) known.push(grants[row.access](row));
    else granted.set(row.workspace, [grants[row.access](row)]);
  }
  return workspaces.map(({ organization, id }) => {
    const { manageWorkspaces = false, readWorkspaces = false } = wide.get(organization) ?? {};
    if (manageWorkspaces) return everything;
    return highest([...(granted.get(id) ?? []), ...(readWorkspaces ? [reading] : [])]);
  });
}
/**
 * Most keys of access that are asked for by name: a list of all that a team has is shorter than
 * many that are not there.
 */
const mostNamed = 1000;
/** What some teams may do in workspaces, at least in those that are asked for. */
async function accessRows(
  ca: Unit,
  teams: readonly TeamRow[],
  asked: readonly Owned[],
): Promise<readonly AccessRow[]> {
  if (teams.length * asked.length <= mostNamed)
    return rowsOf(
      ca,
      storedRows.access,
      asked.flatMap(({ id }) => teams.map((team) => rowKeys.access(team.id, id))),
    );
  const owners = new Set(asked.map(({ organization }) => organization));
  const here = teams.filter(({ organization }) => owners.has(organization));
  const lists = await Promise.all(here.map(({ id }) => ca.store.list(rowKeys.accesses(id))));
  return lists.flatMap((rows) => rows.map(([, row]) => storedRows.access(row.value)));
}
const highest = (all: readonly WorkspaceRights[]): WorkspaceRights => ({
  see: all.some(({ see }) => see),
  readVariables: all.some(({ readVariables }) => readVariables),
  writeVariables: all.some(({ writeVariables }) => writeVariables),
  manage: all.some(({ manage }) => manage),
});

/**
 * Ids of what does not exist. It is looked for like anything else, so that the time of an answer
 * does not tell what is there (V 12).
 */
const [noOrganization, noWorkspace] = [`org-${"1".repeat(16)}`, `ws-${"1".repeat(16)}`] as const;
async function loadAccess(
  ca: Unit,
  principal: Principal,
  id: string,
): Promise<WorkspaceAccess | undefined> {
  const workspace = await rowOf(ca, storedRows.workspace, rowKeys.workspace(id));
  const owner = workspace?.organization ?? noOrganization;
  const [organization, [rights = nothing]] = await Promise.all([
    rowOf(ca, storedRows.organization, rowKeys.organization(owner)),
    teamsOf(ca, principal).then((teams) =>
      workspaceRights(ca, { principal, teams }, [{ organization: owner, id }]),
    ),
  ]);
  return workspace && organization && { workspace, organization, rights };
}
/**
 * Those of some workspaces where a principal has a right, as they are now. A Worker's request may
 * ask an object some hundred times only.
 */
export async function workspacesWith(
  ca: Unit,
  holder: Holder,
  listed: readonly ListedWorkspace[],
  need: keyof WorkspaceRights,
): Promise<readonly RatedWorkspace[]> {
  const all = await workspaceRights(
    ca,
    holder,
    listed.map(({ workspace, organization }) => ({
      organization: organization.id,
      id: workspace.id,
    })),
  );
  return listed.flatMap((each, i) => {
    const rights = all[i];
    return rights?.[need] ? [{ ...each, rights }] : [];
  });
}
const accesses = kindOf<WorkspaceAccess | undefined>();
/**
 * Access to a workspace where a principal has a right, at most a second old. A lack of rights is
 * asked anew, so that what was granted counts at once.
 */
export async function permittedAccess(
  ca: Unit,
  principal: Principal,
  id: string,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess | undefined> {
  if (!isId("ws", id)) return undefined;
  let loaded = false;
  const kept = await ca.cache.recent(
    accesses,
    `${principal} ${id}`,
    () => ((loaded = true), loadAccess(ca, principal, id)),
  );
  const access =
    kept?.rights[need] === false && !loaded ? await loadAccess(ca, principal, id) : kept;
  return access?.rights[need] === true ? access : undefined;
}
/**
 * The same as it is now, for answers that show the workspace itself: clients compare what they
 * wrote with what they read at once. Throws 404.
 */
export async function workspaceAccessNow(
  ca: Unit,
  principal: Principal,
  id: string | undefined,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess> {
  const access =
    id === undefined || isId("ws", id)
      ? await loadAccess(ca, principal, id ?? noWorkspace)
      : undefined;
  if (access?.rights[need] !== true) throw notFound();
  return access;
}
/**
 * Access to a workspace where a principal has a right, at most a second old, or 404; `undefined`
 * names one that is not there.
 */
export async function workspaceAccess(
  ca: Unit,
  principal: Principal,
  id: string | undefined,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess> {
  const access = await permittedAccess(ca, principal, id ?? noWorkspace, need);
  if (!access) throw notFound();
  return access;
}

/** An organization as a caller may see it. */
export interface OrganizationAccess {
  readonly organization: OrganizationRow;
  readonly rights: OrganizationRights;
  /** The caller's teams, in whatever organization. */
  readonly teams: readonly TeamRow[];
}
/** The organization of a name. Throws 404 when the caller lacks a right there. */
export async function organizationAccess(
  ca: Unit,
  principal: Principal,
  name: string,
  need: keyof OrganizationRights,
): Promise<OrganizationAccess> {
  return organizationAccessById(
    ca,
    principal,
    (await organizationNamed(ca, name)) ?? noOrganization,
    need,
  );
}
/**
 * Id of the organization of a name; any text that names none gives `undefined`. Throws 404 for text
 * that is no Unicode.
 */
export async function organizationNamed(ca: Unit, name: string): Promise<string | undefined> {
  return rowOf(ca, textIn, rowKeys.organizationName(await partOf(name)));
}
/** The same by `org-…`. */
export async function organizationAccessById(
  ca: Unit,
  principal: Principal,
  id: string,
  need: keyof OrganizationRights,
): Promise<OrganizationAccess> {
  const [organization, teams] = await Promise.all([
    rowOf(ca, storedRows.organization, rowKeys.organization(id)),
    teamsOf(ca, principal),
  ]);
  const rights = organizationRights(principal, teams, id);
  if (!organization || !rights[need]) throw notFound();
  return { organization, rights, teams };
}
/** Id of the workspace of a name; any text that names none gives `undefined`. */
export async function workspaceNamed(
  ca: Unit,
  organization: string,
  name: string,
): Promise<string | undefined> {
  return rowOf(ca, textIn, rowKeys.workspaceName(organization, await partOf(name)));
}
/** A name as part of a key. A text that is no Unicode names nothing. */
async function partOf(name: string): Promise<string> {
  if (!wellFormed(name)) throw notFound();
  return keyPart(name);
}
/** The organizations that a principal can see. */
export async function organizationsOf(
  ca: Unit,
  { principal, teams }: Holder,
): Promise<readonly OrganizationRow[]> {
  const ids = isOrganization(principal)
    ? [principal]
    : [...new Set(teams.map(({ organization }) => organization))];
  return rowsOf(ca, storedRows.organization, ids.map(rowKeys.organization));
}
