import { toBase64Url, utf8 } from "../../base/bytes.ts";
import { rowReader } from "../../engine/row-reader.ts";

/** An alias: a user's name in a login method. */
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
/** An entity: one identity across login methods. Times are in Unix seconds. */
export interface EntityRow {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
  readonly disabled: boolean;
  /** The aliases, by accessor of the login method; at most one per method. */
  readonly aliases: Readonly<Record<string, AliasRow>>;
  readonly created: number;
  readonly updated: number;
}
/** A row that maps an alias to its entity. */
interface AliasPointer {
  readonly entity: string;
}
/** A group: entities and groups that share policies. Times are in Unix seconds. */
export interface GroupRow {
  readonly name: string;
  /** `internal` if the group lists its members, `external` if a login method assigns them. */
  readonly type: "internal" | "external";
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
  readonly member_entity_ids: readonly string[];
  readonly member_group_ids: readonly string[];
  /** Number of times the group was written. */
  readonly version: number;
  /** The alias of an external group in a login method. */
  readonly alias?: AliasRow & { readonly accessor: string };
  readonly created: number;
  readonly updated: number;
}
/** A row that maps the name of an entity or group, or a group alias, to an ID. */
interface IdPointer {
  readonly id: string;
}
/** The membership of an entity or group in a group. */
interface MemberRow {
  /**
   * Accessor of the login method that assigned the membership. Absent if the group lists the
   * member.
   */
  readonly accessor?: string;
}

/** Parsers for the rows of entities, groups and aliases. */
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

/** Prefixes of row keys, by kind of row. */
export const belowLogin = {
  entities: "entity/",
  entityNames: "entityname/",
  aliases: "alias/",
  groups: "group/",
  groupNames: "groupname/",
  groupAliases: "groupalias/",
  members: "membership/",
} as const;
/** Row keys of entities and groups in the `sys` store. */
export const loginKeys = {
  entity: (id: string) => `${belowLogin.entities}${id}`,
  /** Here and below, `name` is a result of `hashedName`. */
  entityName: (name: string) => `${belowLogin.entityNames}${name}`,
  alias: (accessor: string, name: string) => `${belowLogin.aliases}${accessor}/${name}`,
  group: (id: string) => `${belowLogin.groups}${id}`,
  groupName: (name: string) => `${belowLogin.groupNames}${name}`,
  groupAlias: (accessor: string, name: string) => `${belowLogin.groupAliases}${accessor}/${name}`,
  /** `of` is the ID of the member, which is an entity or a group. */
  member: (of: string, group: string) => `${belowLogin.members}${of}/${group}`,
} as const;

/** Name of the index on alias IDs. */
export const aliasIds = "alias_id";

/**
 * Converts a name that users choose to part of a row key: the base64url-encoded SHA-256 of the
 * name.
 */
export const hashedName = async (name: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(name))));
