import { toBase64Url, utf8 } from "../../base/bytes.ts";
import { rowReader } from "../../engine/row-reader.ts";

/** The name by which a login method knows somebody. */
export interface AliasRow {
  readonly id: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly custom_metadata: Readonly<Record<string, string>>;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds. */
  readonly updated: number;
}
/** Somebody who logs in, by whichever method. Times are Unix seconds. */
export interface EntityRow {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
  readonly disabled: boolean;
  /** By the accessor of the login method: one alias of each. */
  readonly aliases: Readonly<Record<string, AliasRow>>;
  readonly created: number;
  readonly updated: number;
}
/** Where an alias leads. */
interface AliasPointer {
  readonly entity: string;
}
/** Entities and groups that share policies. Times are Unix seconds. */
export interface GroupRow {
  readonly name: string;
  /** Whether its members are listed here, or told by a login method. */
  readonly type: "internal" | "external";
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
  readonly member_entity_ids: readonly string[];
  readonly member_group_ids: readonly string[];
  /** How often it was written. */
  readonly version: number;
  /** By what name a login method knows an external one. */
  readonly alias?: AliasRow & { readonly accessor: string };
  readonly created: number;
  readonly updated: number;
}
/** What a name, or the name of a group at a login method, leads to. */
interface IdPointer {
  readonly id: string;
}
/** That an entity, or a group, is a member of a group. */
interface MemberRow {
  /** Accessor of the login method that says so; absent where the group lists it. */
  readonly accessor?: string;
}

/** Each kind of row, as it is read. */
export const storedLogin = {
  entity: rowReader<EntityRow>({
    name: "",
    metadata: {},
    policies: [],
    disabled: false,
    aliases: {},
    created: 0,
    updated: 0,
  }),
  alias: rowReader<AliasPointer>({ entity: "" }),
  group: rowReader<GroupRow>({
    name: "",
    type: "internal",
    metadata: {},
    policies: [],
    member_entity_ids: [],
    member_group_ids: [],
    version: 1,
    created: 0,
    updated: 0,
  }),
  id: rowReader<IdPointer>({ id: "" }),
  member: rowReader<MemberRow>({}),
} as const;

/** What the keys begin with, where many rows of one kind are listed. */
export const belowLogin = {
  entities: "entity/",
  entityNames: "entityname/",
  aliases: "alias/",
  groups: "group/",
  groupNames: "groupname/",
  groupAliases: "groupalias/",
  members: "membership/",
} as const;
/** Keys of the rows of entities and groups in the store `sys`. */
export const loginKeys = {
  entity: (id: string) => `${belowLogin.entities}${id}`,
  /** `name`: as `hashedName` gives it, as in the following. */
  entityName: (name: string) => `${belowLogin.entityNames}${name}`,
  alias: (accessor: string, name: string) => `${belowLogin.aliases}${accessor}/${name}`,
  group: (id: string) => `${belowLogin.groups}${id}`,
  groupName: (name: string) => `${belowLogin.groupNames}${name}`,
  groupAlias: (accessor: string, name: string) => `${belowLogin.groupAliases}${accessor}/${name}`,
  /** `of`: id of an entity or a group: the groups that list it. */
  member: (of: string, group: string) => `${belowLogin.members}${of}/${group}`,
} as const;

/** Name of the index by which the row of an alias is found by the id of the alias. */
export const aliasIds = "alias_id";

/** A name of somebody's choice as part of a key: base64url of its SHA-256. */
export const hashedName = async (name: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(name))));
