import type {
  ReadEntityReply,
  ReadGroupReply,
  WriteGroupInput,
  WriteGroupReply,
} from "../../../src/client/identity.ts";
import { call, callWithSettings, listing, readData } from "../../api/call.ts";
import * as identity from "../../api/endpoints/identity.ts";
import type { Reply } from "../../api/transport.ts";
import type { SettingChanges } from "../../lib/settings.ts";

/** An entity: a person or machine across login methods. */
export type Entity = ReadEntityReply;

/** A group: entities that have policies in common. */
export type Group = ReadGroupReply;

/** An entity or a group in a list. */
export interface NamedId {
  readonly id: string;
  readonly name: string;
  /** For an entity, its names in login methods. */
  readonly aliases?: readonly string[];
}

export async function entities(): Promise<readonly NamedId[]> {
  const { keys, info } = await listing(identity.listEntities);
  return keys.map((id) => ({
    id,
    name: info[id]?.name ?? "",
    aliases: (info[id]?.aliases ?? []).map(({ name }) => name),
  }));
}

export async function groups(): Promise<readonly NamedId[]> {
  const { keys, info } = await listing(identity.listGroups);
  return keys.map((id) => ({ id, name: info[id]?.name ?? "" }));
}

export const entity = (id: string): Promise<Entity> => readData(identity.readEntity, { id });

export const group = (id: string): Promise<Group> => readData(identity.readGroup, { id });

/** Name of a group's field in the form. */
export type GroupSetting = Exclude<keyof WriteGroupInput, "id" | "type">;

/**
 * Creates a group, or changes the group with the given ID. The response to a change has no data.
 */
export const saveGroup = (
  { id, type }: Pick<WriteGroupInput, "id" | "type">,
  changes: SettingChanges<GroupSetting>,
): Promise<Reply<WriteGroupReply | undefined>> =>
  callWithSettings(identity.writeGroup, changes, { ...(id && { id }), ...(type && { type }) });

export const deleteGroup = (id: string): Promise<Reply<unknown>> =>
  call(identity.deleteGroup, { id });

/** Sets the alias of an external group: its name in a login method. */
export const saveGroupAlias = (
  id: string,
  name: string,
  accessor: string,
): Promise<Reply<unknown>> =>
  call(identity.writeGroupAlias, { name, mount_accessor: accessor, canonical_id: id });

export const deleteGroupAlias = (id: string): Promise<Reply<unknown>> =>
  call(identity.deleteGroupAlias, { id });

/**
 * Returns the names of members, or the IDs of members without a known name, as lines for a form.
 */
export const memberLines = (ids: readonly string[], members: readonly NamedId[]): string =>
  ids.map((id) => members.find((one) => one.id === id)?.name || id).join("\n");

/**
 * Parses lines with names and IDs. Returns the IDs, and the lines that match no entity or group.
 */
export function membersIn(
  lines: string,
  members: readonly NamedId[],
): { readonly ids: readonly string[]; readonly unknown: readonly string[] } {
  const entries = lines
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    // An ID takes precedence over a name that looks like an ID.
    .map(
      (line) =>
        [
          line,
          (members.find(({ id }) => id === line) ?? members.find(({ name }) => name === line))?.id,
        ] as const,
    );
  return {
    ids: [...new Set(entries.flatMap(([, id]) => id ?? []))],
    unknown: entries.flatMap(([line, id]) => (id === undefined ? [line] : [])),
  };
}
