import {
  type Group,
  type GroupSetting,
  type NamedId,
  memberLines,
  membersIn,
} from "./identity-calls.ts";
import type { LoginMethod } from "../../api/login-methods.ts";
import {
  changedSettings,
  settingsOf,
  wrongSettings,
  type SettingChanges,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
} from "../../lib/settings.ts";

/** The properties of a group that the form edits. */
export type GroupRecord = Pick<
  Group,
  | "id"
  | "name"
  | "type"
  | "policies"
  | "metadata"
  | "member_entity_ids"
  | "member_group_ids"
  | "alias"
>;

/** A form field. It belongs to the group, or to the group's alias in a login method. */
type FormField = SettingField<GroupSetting | "alias" | "accessor">;

/**
 * The entities and groups that a group can contain, and the login methods that can assign members.
 */
export interface GroupChoices {
  readonly entities: readonly NamedId[];
  readonly groups: readonly NamedId[];
  readonly methods: readonly LoginMethod[];
}

const shared: readonly FormField[] = [
  { name: "name", label: "Name", kind: "text" },
  {
    name: "policies",
    label: "Policies",
    kind: "policies",
    hint: "One per line. Members get these policies.",
  },
];
const others: readonly FormField[] = [
  {
    name: "member_group_ids",
    label: "Nested groups",
    kind: "lines",
    hint: "Names or IDs, one per line. Members of these groups are members of this group too.",
  },
  { name: "metadata", label: "Metadata", kind: "pairs", hint: "name=value, one per line." },
];
const entities: FormField = {
  name: "member_entity_ids",
  label: "Entities",
  kind: "lines",
  hint: "Names or IDs, one per line.",
};

/**
 * Returns the fields for a group. An external group has no field for entities, because its login
 * method assigns them.
 */
export function groupFields(
  type: string,
  { methods }: Pick<GroupChoices, "methods">,
): readonly FormField[] {
  if (type !== "external") return [...shared, entities, ...others];
  return [
    ...shared,
    ...others,
    {
      name: "alias",
      label: "Known as",
      kind: "text",
      hint: "The group’s name in the login method. If empty, the group has no members.",
    },
    {
      name: "accessor",
      label: "Login method",
      kind: "choice",
      options: methods.map(({ path, accessor }) => [accessor, `auth/${path}`] as const),
    },
  ];
}

/** Returns the form values of a group. */
export function groupSettings(one: GroupRecord, choices: GroupChoices): Settings {
  const fields = groupFields(one.type, choices);
  const record = {
    ...one,
    alias: one.alias.name ?? "",
    accessor: one.alias.mount_accessor ?? choices.methods[0]?.accessor ?? "",
  };
  return {
    ...settingsOf(record, fields),
    ...(one.type !== "external" && {
      member_entity_ids: memberLines(one.member_entity_ids, choices.entities),
    }),
    member_group_ids: memberLines(one.member_group_ids, choices.groups),
  };
}

const unknown = (
  name: string,
  members: readonly NamedId[],
  what: string,
): ((typed: Settings) => WrongSettings) => {
  return (typed) => {
    const [first] = membersIn(String(typed[name] ?? ""), members).unknown;
    return first === undefined ? {} : { [name]: `${first}: no ${what} has this name or ID` };
  };
};

const rules: readonly SettingRule[] = [
  ["name", (of) => String(of["name"] ?? "").includes("/"), "A name cannot contain slashes"],
];

/** Returns the validation errors that can be detected before the form is submitted. */
export const wrongGroup = (typed: Settings, choices: GroupChoices): WrongSettings => ({
  ...wrongSettings(groupFields("internal", choices), rules, typed),
  ...unknown("member_entity_ids", choices.entities, "entity")(typed),
  ...unknown("member_group_ids", choices.groups, "group")(typed),
});

/**
 * Returns the error for a new group that has the name of an existing group. The server would change
 * the existing group instead.
 */
export const nameInUse = ({ name }: Settings, { groups }: GroupChoices): WrongSettings => {
  const form = String(name ?? "")
    .trim()
    .toLowerCase();
  return form !== "" && groups.some((one) => one.name.toLowerCase() === form)
    ? { name: "A group with this name already exists" }
    : {};
};

/** Returns the changed fields of a group, excluding those of its alias, with API types. */
export function changedGroup(
  current: Settings,
  typed: Settings,
  type: string,
  choices: GroupChoices,
): SettingChanges<GroupSetting> {
  const {
    alias: _alias,
    accessor: _accessor,
    ...sent
  } = changedSettings(current, typed, groupFields(type, choices));
  const ids = (
    name: "member_entity_ids" | "member_group_ids",
    members: readonly NamedId[],
  ): SettingChanges<GroupSetting> =>
    sent[name] === undefined ? {} : { [name]: membersIn(String(typed[name] ?? ""), members).ids };
  return {
    ...sent,
    ...ids("member_entity_ids", choices.entities),
    ...ids("member_group_ids", choices.groups),
  };
}
