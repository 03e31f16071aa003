import { rfc3339nano } from "../../base/duration.ts";
import type { AliasRow, EntityRow } from "../../engine/login-records.ts";
import { methods } from "../../engine/methods.ts";
import type { Unit } from "../../engine/unit.ts";
import { flag, list, listOf, type Parsed, text, texts } from "../../wire/field.ts";
import type { Held } from "./found.ts";
import { groupsOf } from "./known.ts";

/** An alias as the API shows it. */
export const aliasReply = {
  id: text.required("Id of the alias."),
  canonical_id: text.required("Id of the entity or group that it leads to."),
  name: text.required("Name that the login method knows."),
  mount_accessor: text.required("Accessor of the login method."),
  mount_path: text.required("Path of the login method; empty once it is disabled."),
  mount_type: text.required("Type of the login method; empty once it is disabled."),
  metadata: texts.required("What the login method told at the last login."),
  custom_metadata: texts.required("What was set."),
  creation_time: text.required("When it was made, RFC 3339."),
  last_update_time: text.required("When it was changed last, RFC 3339."),
} as const;
/** An entity as the API shows it. */
export const entityReply = {
  id: text.required("Id of the entity."),
  name: text.required("Name of the entity."),
  metadata: texts.required("What was set."),
  policies: list.required("Policies that its tokens have besides their own."),
  disabled: flag.required("Whether its tokens are refused."),
  aliases: listOf(aliasReply).required("Its names at login methods."),
  group_ids: list.required("Groups that it is in."),
  direct_group_ids: list.required("Those that list it."),
  inherited_group_ids: list.required("Those that it is in by way of other groups."),
  creation_time: text.required("When it was made, RFC 3339."),
  last_update_time: text.required("When it was changed last, RFC 3339."),
} as const;

const time = (seconds: number): string => rfc3339nano(seconds * 1000);
/** When something was made and changed. */
export const timesOf = ({ created, updated }: Pick<AliasRow, "created" | "updated">) => ({
  creation_time: time(created),
  last_update_time: time(updated),
});

/** What is shown of an alias. */
export async function aliasShown(
  sys: Unit,
  canonical_id: string,
  accessor: string,
  alias: AliasRow,
): Promise<Parsed<typeof aliasReply>> {
  const rows = [...(await methods(sys)).entries()];
  const [path, method] = rows.find(([, row]) => row.accessor === accessor) ?? [];
  return {
    id: alias.id,
    canonical_id,
    name: alias.name,
    mount_accessor: accessor,
    mount_path: path === undefined ? "" : `auth/${path}/`,
    mount_type: method?.type ?? "",
    metadata: alias.metadata,
    custom_metadata: alias.custom_metadata,
    ...timesOf(alias),
  };
}
/** What is shown of an entity. */
export async function entityShown(
  sys: Unit,
  { id, row }: Held<EntityRow>,
): Promise<Parsed<typeof entityReply>> {
  const groups = await groupsOf(sys.store, id);
  const idsOf = (direct: boolean) =>
    groups.filter((group) => group.direct === direct).map((group) => group.id);
  return {
    id,
    name: row.name,
    metadata: row.metadata,
    policies: row.policies,
    disabled: row.disabled,
    aliases: await Promise.all(
      Object.entries(row.aliases).map(([accessor, alias]) => aliasShown(sys, id, accessor, alias)),
    ),
    group_ids: groups.map((group) => group.id),
    direct_group_ids: idsOf(true),
    inherited_group_ids: idsOf(false),
    ...timesOf(row),
  };
}
