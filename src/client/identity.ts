// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, Warned, Warnings } from "./call.ts";
import type { Table } from "./table.ts";

export type WriteEntityInput = {
  /** Name; generated if not sent. */
  readonly name?: string | undefined;
  /** ID of the entity to update. */
  readonly id?: string | undefined;
  /** Metadata for use in policy templates: strings by name. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies that its tokens have in addition to their own; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Whether its logins and tokens are rejected. */
  readonly disabled?: boolean | undefined;
};
export type WriteEntityReply = {
  /** ID of the entity. */
  readonly id: string;
  /** Name of the entity. */
  readonly name: string;
} & Warnings;
export type WriteEntityByIdInput = {
  /** ID of the entity. */
  readonly id: string;
  /** New name. */
  readonly name?: string | undefined;
  /** Metadata for use in policy templates: strings by name. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies that its tokens have in addition to their own; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Whether its logins and tokens are rejected. */
  readonly disabled?: boolean | undefined;
};
export type WriteEntityByIdReply = Warned | undefined;
export type WriteEntityByNameInput = {
  /** Name of the entity. */
  readonly name: string;
  /** Metadata for use in policy templates: strings by name. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies that its tokens have in addition to their own; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Whether its logins and tokens are rejected. */
  readonly disabled?: boolean | undefined;
};
export type WriteEntityByNameReply = WriteEntityReply;
export type ReadEntityInput = {
  /** ID of the entity. */
  readonly id?: string | undefined;
  /** Name of the entity. */
  readonly name?: string | undefined;
};
export type ReadEntityReply = {
  /** ID of the entity. */
  readonly id: string;
  /** Name of the entity. */
  readonly name: string;
  /** Metadata of the entity. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Policies that its tokens have in addition to their own. */
  readonly policies: readonly string[];
  /** Whether its logins and tokens are rejected. */
  readonly disabled: boolean;
  /** Its aliases in login methods. */
  readonly aliases: readonly {
    /** ID of the alias. */
    readonly id: string;
    /** ID of its entity or group. */
    readonly canonical_id: string;
    /** Name in the login method. */
    readonly name: string;
    /** Accessor of the login method. */
    readonly mount_accessor: string;
    /** Path of the login method; empty if it was disabled. */
    readonly mount_path: string;
    /** Type of the login method; empty if it was disabled. */
    readonly mount_type: string;
    /** Metadata from the last login. */
    readonly metadata: Readonly<Record<string, string>>;
    /** Custom metadata, as stored. */
    readonly custom_metadata: Readonly<Record<string, string>>;
    /** Always false. */
    readonly local: boolean;
    /** Always null: merging is not supported. */
    readonly merged_from_canonical_ids: readonly string[] | null;
    /** Always `root`. */
    readonly namespace_id: string;
    /** When it was created, RFC 3339. */
    readonly creation_time: string;
    /** When it was last changed, RFC 3339. */
    readonly last_update_time: string;
  }[];
  /** IDs of all its groups. */
  readonly group_ids: readonly string[];
  /** IDs of the groups that list it directly. */
  readonly direct_group_ids: readonly string[];
  /** IDs of the groups that it belongs to through other groups. */
  readonly inherited_group_ids: readonly string[];
  /** Always null: merging is not supported. */
  readonly merged_entity_ids: readonly string[] | null;
  /** Always `root`. */
  readonly namespace_id: string;
  /** When it was created, RFC 3339. */
  readonly creation_time: string;
  /** When it was last changed, RFC 3339. */
  readonly last_update_time: string;
} & Warnings;
export type DeleteEntityInput = ReadEntityInput;
export type DeleteEntityReply = WriteEntityByIdReply;
export type ListEntitiesInput = {};
export type ListEntitiesReply = {
  /** Entity IDs, sorted. */
  readonly keys: readonly string[];
  /** Details of each entity by ID. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Entity name. */
        readonly name: string;
        /** Its aliases. */
        readonly aliases: readonly {
          /** ID of the alias. */
          readonly id: string;
          /** Name in the login method. */
          readonly name: string;
          /** Accessor of the login method. */
          readonly mount_accessor: string;
          /** Path of the login method; empty if it was disabled. */
          readonly mount_path: string;
          /** Type of the login method; empty if it was disabled. */
          readonly mount_type: string;
        }[];
      }
    >
  >;
} & Warnings;
export type ListEntityNamesInput = ListEntitiesInput;
export type ListEntityNamesReply = {
  /** Names, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type WriteEntityAliasInput = {
  /** ID of the alias to update. */
  readonly id?: string | undefined;
  /** Name of the alias. */
  readonly name?: string | undefined;
  /** Accessor of its login method. */
  readonly mount_accessor?: string | undefined;
  /** ID of the entity; created if not sent. */
  readonly canonical_id?: string | undefined;
  /** Metadata for use in policy templates: strings by name. */
  readonly custom_metadata?: Readonly<Record<string, string>> | undefined;
};
export type WriteEntityAliasReply = {
  /** ID of the alias. */
  readonly id: string;
  /** ID of its entity or group. */
  readonly canonical_id: string;
} & Warnings;
export type ReadEntityAliasInput = {
  /** ID of the alias. */
  readonly id: string;
};
export type ReadEntityAliasReply = {
  /** ID of the alias. */
  readonly id: string;
  /** ID of its entity or group. */
  readonly canonical_id: string;
  /** Name in the login method. */
  readonly name: string;
  /** Accessor of the login method. */
  readonly mount_accessor: string;
  /** Path of the login method; empty if it was disabled. */
  readonly mount_path: string;
  /** Type of the login method; empty if it was disabled. */
  readonly mount_type: string;
  /** Metadata from the last login. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Custom metadata, as stored. */
  readonly custom_metadata: Readonly<Record<string, string>>;
  /** Always false. */
  readonly local: boolean;
  /** Always null: merging is not supported. */
  readonly merged_from_canonical_ids: readonly string[] | null;
  /** Always `root`. */
  readonly namespace_id: string;
  /** When it was created, RFC 3339. */
  readonly creation_time: string;
  /** When it was last changed, RFC 3339. */
  readonly last_update_time: string;
} & Warnings;
export type ChangeEntityAliasInput = {
  /** ID of the alias. */
  readonly id: string;
  /** Name of the alias. */
  readonly name?: string | undefined;
  /** Accessor of its login method. */
  readonly mount_accessor?: string | undefined;
  /** ID of its entity. */
  readonly canonical_id?: string | undefined;
  /** Metadata for use in policy templates: strings by name. */
  readonly custom_metadata?: Readonly<Record<string, string>> | undefined;
};
export type ChangeEntityAliasReply = WriteEntityAliasReply;
export type DeleteEntityAliasInput = ReadEntityAliasInput;
export type DeleteEntityAliasReply = WriteEntityByIdReply;
export type ListEntityAliasesInput = ListEntitiesInput;
export type ListEntityAliasesReply = {
  /** Alias IDs, sorted. */
  readonly keys: readonly string[];
  /** Details of each alias by ID. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Name in the login method. */
        readonly name: string;
        /** Accessor of the login method. */
        readonly mount_accessor: string;
        /** Path of the login method; empty if it was disabled. */
        readonly mount_path: string;
        /** Type of the login method; empty if it was disabled. */
        readonly mount_type: string;
        /** ID of its entity or group. */
        readonly canonical_id: string;
        /** Custom metadata, as stored. */
        readonly custom_metadata: Readonly<Record<string, string>>;
        /** Always false. */
        readonly local: boolean;
      }
    >
  >;
} & Warnings;
export type WriteGroupInput = {
  /** ID of the group to update. */
  readonly id?: string | undefined;
  /** Name; generated if not sent. */
  readonly name?: string | undefined;
  /** `internal` (members are listed here) or `external` (members come from a login method). */
  readonly type?: "internal" | "external" | undefined;
  /** Metadata for use in policy templates: strings by name. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies granted to its members; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** IDs of the member entities. */
  readonly member_entity_ids?: string | readonly string[] | undefined;
  /** IDs of the groups whose members also belong to it. */
  readonly member_group_ids?: string | readonly string[] | undefined;
};
export type WriteGroupReply = {
  /** ID of the group. */
  readonly id: string;
  /** Name of the group. */
  readonly name: string;
} & Warnings;
export type WriteGroupByNameInput = {
  /** Name of the group. */
  readonly name: string;
  /** `internal` (members are listed here) or `external` (members come from a login method). */
  readonly type?: "internal" | "external" | undefined;
  /** Metadata for use in policy templates: strings by name. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies granted to its members; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** IDs of the member entities. */
  readonly member_entity_ids?: string | readonly string[] | undefined;
  /** IDs of the groups whose members also belong to it. */
  readonly member_group_ids?: string | readonly string[] | undefined;
};
export type WriteGroupByNameReply = WriteGroupReply;
export type ReadGroupInput = {
  /** ID of the group. */
  readonly id?: string | undefined;
  /** Name of the group. */
  readonly name?: string | undefined;
};
export type ReadGroupReply = {
  /** ID of the group. */
  readonly id: string;
  /** Name of the group. */
  readonly name: string;
  /** `internal` or `external`. */
  readonly type: "internal" | "external";
  /** Metadata of the group. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Policies granted to its members. */
  readonly policies: readonly string[];
  /** IDs of the member entities. */
  readonly member_entity_ids: readonly string[];
  /** IDs of the member groups. */
  readonly member_group_ids: readonly string[];
  /** IDs of the groups that this group is a member of. */
  readonly parent_group_ids: readonly string[];
  /** Its alias in a login method; empty if none. */
  readonly alias: {
    /** ID of the alias. */
    readonly id?: string;
    /** ID of its entity or group. */
    readonly canonical_id?: string;
    /** Name in the login method. */
    readonly name?: string;
    /** Accessor of the login method. */
    readonly mount_accessor?: string;
    /** Path of the login method; empty if it was disabled. */
    readonly mount_path?: string;
    /** Type of the login method; empty if it was disabled. */
    readonly mount_type?: string;
    /** Metadata from the last login. */
    readonly metadata?: Readonly<Record<string, string>>;
    /** Custom metadata, as stored. */
    readonly custom_metadata?: Readonly<Record<string, string>>;
    /** Always false. */
    readonly local?: boolean;
    /** Always null: merging is not supported. */
    readonly merged_from_canonical_ids?: readonly string[] | null;
    /** Always `root`. */
    readonly namespace_id?: string;
    /** When it was created, RFC 3339. */
    readonly creation_time?: string;
    /** When it was last changed, RFC 3339. */
    readonly last_update_time?: string;
  };
  /** Number of changes to the group, starting at 1. */
  readonly modify_index: number;
  /** Always `root`. */
  readonly namespace_id: string;
  /** When it was created, RFC 3339. */
  readonly creation_time: string;
  /** When it was last changed, RFC 3339. */
  readonly last_update_time: string;
} & Warnings;
export type DeleteGroupInput = ReadGroupInput;
export type DeleteGroupReply = WriteEntityByIdReply;
export type ListGroupsInput = ListEntitiesInput;
export type ListGroupsReply = {
  /** Group IDs, sorted. */
  readonly keys: readonly string[];
  /** Details of each group by ID. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Group name. */
        readonly name: string;
        /** Number of member entities. */
        readonly num_member_entities: number;
      }
    >
  >;
} & Warnings;
export type ListGroupNamesInput = ListEntitiesInput;
export type ListGroupNamesReply = ListEntityNamesReply;
export type WriteGroupAliasInput = {
  /** ID of the alias to update. */
  readonly id?: string | undefined;
  /** Name of the group in the login method. */
  readonly name?: string | undefined;
  /** Accessor of the login method. */
  readonly mount_accessor?: string | undefined;
  /** ID of the group; an external group is created if not sent. */
  readonly canonical_id?: string | undefined;
};
export type WriteGroupAliasReply = {
  /** ID of the alias. */
  readonly id: string;
  /** ID of the group. */
  readonly canonical_id: string;
} & Warnings;
export type ReadGroupAliasInput = ReadEntityAliasInput;
export type ReadGroupAliasReply = ReadEntityAliasReply;
export type ListGroupAliasesInput = ListEntitiesInput;
export type ListGroupAliasesReply = ListEntityAliasesReply;
export type ChangeGroupAliasInput = {
  /** ID of the alias. */
  readonly id: string;
  /** Name of the group in the login method. */
  readonly name?: string | undefined;
  /** Accessor of the login method. */
  readonly mount_accessor?: string | undefined;
  /** ID of the group. */
  readonly canonical_id?: string | undefined;
};
export type ChangeGroupAliasReply = WriteGroupAliasReply;
export type DeleteGroupAliasInput = ReadEntityAliasInput;
export type DeleteGroupAliasReply = WriteEntityByIdReply;
export type LookupGroupInput = {
  /** ID of the group. */
  readonly id?: string | undefined;
  /** Name of the group. */
  readonly name?: string | undefined;
  /** ID of its alias. */
  readonly alias_id?: string | undefined;
  /** Name of its alias; requires `alias_mount_accessor`. */
  readonly alias_name?: string | undefined;
  /** Accessor of the login method of its alias. */
  readonly alias_mount_accessor?: string | undefined;
};
export type LookupGroupReply = ReadGroupReply;
export type LookupEntityInput = {
  /** ID of the entity. */
  readonly id?: string | undefined;
  /** Name of the entity. */
  readonly name?: string | undefined;
  /** ID of one of its aliases. */
  readonly alias_id?: string | undefined;
  /** Name of one of its aliases; requires `alias_mount_accessor`. */
  readonly alias_name?: string | undefined;
  /** Accessor of the login method of that alias. */
  readonly alias_mount_accessor?: string | undefined;
};
export type LookupEntityReply = ReadEntityReply;

/** Typed client: Every endpoint below `/v1/identity`: entities, their aliases, and groups. */
export interface IdentityClient {
  /**
   * Creates an entity, or updates the given fields of the one with the given ID or name
   * (case-insensitive). An update returns no content.
   * `POST /v1/identity/entity`. Fails with `malformed`, `invalid_field`.
   */
  writeEntity(input?: WriteEntityInput, options?: CallOptions): Promise<WriteEntityReply>;
  /**
   * Updates the given fields of an entity; returns no content.
   * `POST /v1/identity/entity/id/:id`. Fails with `malformed`, `invalid_field`.
   */
  writeEntityById(
    input: WriteEntityByIdInput,
    options?: CallOptions,
  ): Promise<WriteEntityByIdReply>;
  /**
   * Creates an entity with this name, or updates the given fields of it. An update returns no
   * content.
   * `POST /v1/identity/entity/name/:name`. Fails with `invalid_field`.
   */
  writeEntityByName(
    input: WriteEntityByNameInput,
    options?: CallOptions,
  ): Promise<WriteEntityByNameReply>;
  /**
   * Reads an entity.
   * `GET /v1/identity/entity/id/:id`, `GET /v1/identity/entity/name/:name`. Fails with `not_found`.
   */
  readEntity(input?: ReadEntityInput, options?: CallOptions): Promise<ReadEntityReply>;
  /**
   * Deletes an entity and its aliases. Its tokens are rejected from then on.
   * `DELETE /v1/identity/entity/id/:id`, `DELETE /v1/identity/entity/name/:name`.
   */
  deleteEntity(input?: DeleteEntityInput, options?: CallOptions): Promise<DeleteEntityReply>;
  /** Lists the IDs of the entities. `LIST /v1/identity/entity/id`. */
  listEntities(input?: ListEntitiesInput, options?: CallOptions): Promise<ListEntitiesReply>;
  /** Lists the names of the entities. `LIST /v1/identity/entity/name`. */
  listEntityNames(
    input?: ListEntityNamesInput,
    options?: CallOptions,
  ): Promise<ListEntityNamesReply>;
  /**
   * Creates an alias that maps a name of a login method to an entity, or updates the alias with the
   * given ID.
   * `POST /v1/identity/entity-alias`. Fails with `malformed`, `invalid_field`.
   */
  writeEntityAlias(
    input?: WriteEntityAliasInput,
    options?: CallOptions,
  ): Promise<WriteEntityAliasReply>;
  /** Reads an alias. `GET /v1/identity/entity-alias/id/:id`. Fails with `not_found`. */
  readEntityAlias(
    input: ReadEntityAliasInput,
    options?: CallOptions,
  ): Promise<ReadEntityAliasReply>;
  /**
   * Updates the given fields of an alias. A new entity, name or login method applies to later
   * logins; existing tokens keep their entity, which leaves the groups assigned by the login
   * method.
   * `POST /v1/identity/entity-alias/id/:id`. Fails with `malformed`, `invalid_field`.
   */
  changeEntityAlias(
    input: ChangeEntityAliasInput,
    options?: CallOptions,
  ): Promise<ChangeEntityAliasReply>;
  /**
   * Deletes an alias. Later logins with it create a new entity; its current entity leaves the
   * groups assigned by the login method.
   * `DELETE /v1/identity/entity-alias/id/:id`.
   */
  deleteEntityAlias(
    input: DeleteEntityAliasInput,
    options?: CallOptions,
  ): Promise<DeleteEntityAliasReply>;
  /** Lists the IDs of the entity aliases. `LIST /v1/identity/entity-alias/id`. */
  listEntityAliases(
    input?: ListEntityAliasesInput,
    options?: CallOptions,
  ): Promise<ListEntityAliasesReply>;
  /**
   * Creates a group, or updates the given fields of the one with the given ID or name
   * (case-insensitive). An update returns no content.
   * `POST /v1/identity/group`, `POST /v1/identity/group/id/:id`. Fails with `malformed`,
   * `invalid_field`.
   */
  writeGroup(input?: WriteGroupInput, options?: CallOptions): Promise<WriteGroupReply>;
  /**
   * Creates a group with this name, or updates the given fields of it. An update returns no
   * content.
   * `POST /v1/identity/group/name/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeGroupByName(
    input: WriteGroupByNameInput,
    options?: CallOptions,
  ): Promise<WriteGroupByNameReply>;
  /**
   * Reads a group.
   * `GET /v1/identity/group/id/:id`, `GET /v1/identity/group/name/:name`. Fails with `not_found`.
   */
  readGroup(input?: ReadGroupInput, options?: CallOptions): Promise<ReadGroupReply>;
  /**
   * Deletes a group. Its member entities and groups are not deleted.
   * `DELETE /v1/identity/group/id/:id`, `DELETE /v1/identity/group/name/:name`.
   */
  deleteGroup(input?: DeleteGroupInput, options?: CallOptions): Promise<DeleteGroupReply>;
  /** Lists the IDs of the groups. `LIST /v1/identity/group/id`. */
  listGroups(input?: ListGroupsInput, options?: CallOptions): Promise<ListGroupsReply>;
  /** Lists the names of the groups. `LIST /v1/identity/group/name`. */
  listGroupNames(input?: ListGroupNamesInput, options?: CallOptions): Promise<ListGroupNamesReply>;
  /**
   * Creates an alias that maps a group name of a login method to an external group, or updates the
   * alias with the given ID.
   * `POST /v1/identity/group-alias`. Fails with `malformed`.
   */
  writeGroupAlias(
    input?: WriteGroupAliasInput,
    options?: CallOptions,
  ): Promise<WriteGroupAliasReply>;
  /** Reads a group alias. `GET /v1/identity/group-alias/id/:id`. Fails with `not_found`. */
  readGroupAlias(input: ReadGroupAliasInput, options?: CallOptions): Promise<ReadGroupAliasReply>;
  /** Lists the IDs of the group aliases. `LIST /v1/identity/group-alias/id`. */
  listGroupAliases(
    input?: ListGroupAliasesInput,
    options?: CallOptions,
  ): Promise<ListGroupAliasesReply>;
  /**
   * Updates the given fields of a group alias. Memberships change at the members' next login.
   * `POST /v1/identity/group-alias/id/:id`. Fails with `malformed`.
   */
  changeGroupAlias(
    input: ChangeGroupAliasInput,
    options?: CallOptions,
  ): Promise<ChangeGroupAliasReply>;
  /**
   * Deletes a group alias. Later logins no longer add members to the group.
   * `DELETE /v1/identity/group-alias/id/:id`.
   */
  deleteGroupAlias(
    input: DeleteGroupAliasInput,
    options?: CallOptions,
  ): Promise<DeleteGroupAliasReply>;
  /** Finds a group by ID, name or alias. `POST /v1/identity/lookup/group`. */
  lookupGroup(input?: LookupGroupInput, options?: CallOptions): Promise<LookupGroupReply>;
  /** Finds an entity by ID, name or alias. `POST /v1/identity/lookup/entity`. */
  lookupEntity(input?: LookupEntityInput, options?: CallOptions): Promise<LookupEntityReply>;
}

/** Every endpoint below `/v1/identity`: entities, their aliases, and groups. */
export const identity: Table<IdentityClient> = {
  writeEntity: "POST /entity",
  writeEntityById: "POST /entity/id/:id",
  writeEntityByName: "POST /entity/name/:name",
  readEntity: "GET /entity/id/:id|GET /entity/name/:name",
  deleteEntity: "DELETE /entity/id/:id|DELETE /entity/name/:name",
  listEntities: "info LIST /entity/id",
  listEntityNames: "LIST /entity/name",
  writeEntityAlias: "POST /entity-alias",
  readEntityAlias: "GET /entity-alias/id/:id",
  changeEntityAlias: "POST /entity-alias/id/:id",
  deleteEntityAlias: "DELETE /entity-alias/id/:id",
  listEntityAliases: "info LIST /entity-alias/id",
  writeGroup: "POST /group|POST /group/id/:id",
  writeGroupByName: "POST /group/name/:name",
  readGroup: "GET /group/id/:id|GET /group/name/:name",
  deleteGroup: "DELETE /group/id/:id|DELETE /group/name/:name",
  listGroups: "info LIST /group/id",
  listGroupNames: "LIST /group/name",
  writeGroupAlias: "POST /group-alias",
  readGroupAlias: "GET /group-alias/id/:id",
  listGroupAliases: "info LIST /group-alias/id",
  changeGroupAlias: "POST /group-alias/id/:id",
  deleteGroupAlias: "DELETE /group-alias/id/:id",
  lookupGroup: "POST /lookup/group",
  lookupEntity: "POST /lookup/entity",
};
