import { toBase64Url, utf8 } from "../../base/bytes.ts";
import { rowReader } from "../../engine/row-reader.ts";

/** The name of a user at a login method. */
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
/** An entity: one identity across login methods. Times are Unix seconds. */
export interface EntityRow {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
  readonly disabled: boolean;
  /** By accessor of the login method; one alias for each. */
  readonly aliases: Readonly<Record<string, AliasRow>>;
  readonly created: number;
  readonly updated: number;
}
/** The target of an alias. */
interface AliasPointer {
  readonly entity: string;
}
/** Entities and groups that share policies. Times are Unix seconds. */
export interface GroupRow {
  readonly name: string;
  /** Whether its members are listed here or assigned by a login method. */
  readonly type: "internal" | "external";
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
  readonly member_entity_ids: readonly string[];
  readonly member_group_ids: readonly string[];
  /** Number of writes. */
  readonly version: number;
  /** The alias of an external group. */
  readonly alias?: AliasRow & { readonly accessor: string };
  readonly created: number;
  readonly updated: number;
}
/** The id behind a name of an entity or group, or a group alias. */
interface IdPointer {
  readonly id: string;
}
/** Membership of an entity or group in a group. */
interface MemberRow {
  /** Accessor of the login method that assigned it; absent if the group lists it. */
  readonly accessor?: string;
}

/** Readers of the rows. */
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

/** Prefixes of the keys of rows that are listed. */
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
  /** `name`: as returned by `hashedName`, also below. */
  entityName: (name: string) => `${belowLogin.entityNames}${name}`,
  alias: (accessor: string, name: string) => `${belowLogin.aliases}${accessor}/${name}`,
  group: (id: string) => `${belowLogin.groups}${id}`,
  groupName: (name: string) => `${belowLogin.groupNames}${name}`,
  groupAlias: (accessor: string, name: string) => `${belowLogin.groupAliases}${accessor}/${name}`,
  /** `of`: id of the member, an entity or a group. */
  member: (of: string, group: string) => `${belowLogin.members}${of}/${group}`,
} as const;

/** Index of aliases by id. */
export const aliasIds = "alias_id";

/** Returns a user-chosen name as part of a key: base64url of its SHA-256. */
export const hashedName = async (name: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(name))));
