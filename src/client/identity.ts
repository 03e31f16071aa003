// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, Warned, Warnings } from "./call.ts";
import type { Table } from "./table.ts";

export type WriteEntityInput = {
  /** Name; generated if not sent. */
  readonly name?: string | undefined;
  /** Id of the entity to change. */
  readonly id?: string | undefined;
  /** Texts by name, which templates may hold. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies that its tokens have besides their own; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Whether its tokens are refused, and nobody logs in as it. */
  readonly disabled?: boolean | undefined;
};
export type WriteEntityReply = {
  /** Id of the entity. */
  readonly id: string;
  /** Name of the entity. */
  readonly name: string;
} & Warnings;
export type WriteEntityByIdInput = {
  /** Id of the entity. */
  readonly id: string;
  /** New name. */
  readonly name?: string | undefined;
  /** Texts by name, which templates may hold. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies that its tokens have besides their own; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Whether its tokens are refused, and nobody logs in as it. */
  readonly disabled?: boolean | undefined;
};
export type WriteEntityByIdReply = Warned | undefined;
export type WriteEntityByNameInput = {
  /** Name of the entity. */
  readonly name: string;
  /** Texts by name, which templates may hold. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies that its tokens have besides their own; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Whether its tokens are refused, and nobody logs in as it. */
  readonly disabled?: boolean | undefined;
};
export type WriteEntityByNameReply = WriteEntityReply;
export type ReadEntityInput = {
  /** Id of the entity. */
  readonly id?: string | undefined;
  /** Name of the entity. */
  readonly name?: string | undefined;
};
export type ReadEntityReply = {
  /** Id of the entity. */
  readonly id: string;
  /** Name of the entity. */
  readonly name: string;
  /** What was set. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Policies that its tokens have besides their own. */
  readonly policies: readonly string[];
  /** Whether its tokens are refused. */
  readonly disabled: boolean;
  /** Its names at login methods. */
  readonly aliases: readonly {
    /** Id of the alias. */
    readonly id: string;
    /** Id of the entity or group that it leads to. */
    readonly canonical_id: string;
    /** Name that the login method knows. */
    readonly name: string;
    /** Accessor of the login method. */
    readonly mount_accessor: string;
    /** Path of the login method; empty once it is disabled. */
    readonly mount_path: string;
    /** Type of the login method; empty once it is disabled. */
    readonly mount_type: string;
    /** What the login method told at the last login. */
    readonly metadata: Readonly<Record<string, string>>;
    /** What was set. */
    readonly custom_metadata: Readonly<Record<string, string>>;
    /** Always false. */
    readonly local: boolean;
    /** Always null: nothing is merged. */
    readonly merged_from_canonical_ids: readonly string[] | null;
    /** Always `root`. */
    readonly namespace_id: string;
    /** When it was made, RFC 3339. */
    readonly creation_time: string;
    /** When it was changed last, RFC 3339. */
    readonly last_update_time: string;
  }[];
  /** Groups that it is in. */
  readonly group_ids: readonly string[];
  /** Those that list it. */
  readonly direct_group_ids: readonly string[];
  /** Those that it is in by way of other groups. */
  readonly inherited_group_ids: readonly string[];
  /** Always null: nothing is merged. */
  readonly merged_entity_ids: readonly string[] | null;
  /** Always `root`. */
  readonly namespace_id: string;
  /** When it was made, RFC 3339. */
  readonly creation_time: string;
  /** When it was changed last, RFC 3339. */
  readonly last_update_time: string;
} & Warnings;
export type DeleteEntityInput = ReadEntityInput;
export type DeleteEntityReply = WriteEntityByIdReply;
export type ListEntitiesInput = {};
export type ListEntitiesReply = {
  /** Ids, sorted. */
  readonly keys: readonly string[];
  /** Details of each, by id. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Name. */
        readonly name: string;
        /** Its aliases. */
        readonly aliases: readonly {
          /** Id of the alias. */
          readonly id: string;
          /** Name that the login method knows. */
          readonly name: string;
          /** Accessor of the login method. */
          readonly mount_accessor: string;
          /** Path of the login method; empty once it is disabled. */
          readonly mount_path: string;
          /** Type of the login method; empty once it is disabled. */
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
  /** Id of the alias to change. */
  readonly id?: string | undefined;
  /** Name of the alias. */
  readonly name?: string | undefined;
  /** Accessor of its login method. */
  readonly mount_accessor?: string | undefined;
  /** Id of the entity; one is made unless sent. */
  readonly canonical_id?: string | undefined;
  /** Texts by name, which templates may hold. */
  readonly custom_metadata?: Readonly<Record<string, string>> | undefined;
};
export type WriteEntityAliasReply = {
  /** Id of the alias. */
  readonly id: string;
  /** Id of the entity or group that it leads to. */
  readonly canonical_id: string;
} & Warnings;
export type ReadEntityAliasInput = {
  /** Id of the alias. */
  readonly id: string;
};
export type ReadEntityAliasReply = {
  /** Id of the alias. */
  readonly id: string;
  /** Id of the entity or group that it leads to. */
  readonly canonical_id: string;
  /** Name that the login method knows. */
  readonly name: string;
  /** Accessor of the login method. */
  readonly mount_accessor: string;
  /** Path of the login method; empty once it is disabled. */
  readonly mount_path: string;
  /** Type of the login method; empty once it is disabled. */
  readonly mount_type: string;
  /** What the login method told at the last login. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What was set. */
  readonly custom_metadata: Readonly<Record<string, string>>;
  /** Always false. */
  readonly local: boolean;
  /** Always null: nothing is merged. */
  readonly merged_from_canonical_ids: readonly string[] | null;
  /** Always `root`. */
  readonly namespace_id: string;
  /** When it was made, RFC 3339. */
  readonly creation_time: string;
  /** When it was changed last, RFC 3339. */
  readonly last_update_time: string;
} & Warnings;
export type ChangeEntityAliasInput = {
  /** Id of the alias. */
  readonly id: string;
  /** Name of the alias. */
  readonly name?: string | undefined;
  /** Accessor of its login method. */
  readonly mount_accessor?: string | undefined;
  /** Id of its entity. */
  readonly canonical_id?: string | undefined;
  /** Texts by name, which templates may hold. */
  readonly custom_metadata?: Readonly<Record<string, string>> | undefined;
};
export type ChangeEntityAliasReply = WriteEntityAliasReply;
export type DeleteEntityAliasInput = ReadEntityAliasInput;
export type DeleteEntityAliasReply = WriteEntityByIdReply;
export type ListEntityAliasesInput = ListEntitiesInput;
export type ListEntityAliasesReply = {
  /** Ids, sorted. */
  readonly keys: readonly string[];
  /** Details of each, by id. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Name that the login method knows. */
        readonly name: string;
        /** Accessor of the login method. */
        readonly mount_accessor: string;
        /** Path of the login method; empty once it is disabled. */
        readonly mount_path: string;
        /** Type of the login method; empty once it is disabled. */
        readonly mount_type: string;
        /** Id of the entity or group that it leads to. */
        readonly canonical_id: string;
        /** What was set. */
        readonly custom_metadata: Readonly<Record<string, string>>;
        /** Always false. */
        readonly local: boolean;
      }
    >
  >;
} & Warnings;
export type WriteGroupInput = {
  /** Id of the group to change. */
  readonly id?: string | undefined;
  /** Name; generated if not sent. */
  readonly name?: string | undefined;
  /** `internal`, whose members are listed here, or `external`. */
  readonly type?: "internal" | "external" | undefined;
  /** Texts by name, which templates may hold. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies that its members have; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Ids of the entities in it. */
  readonly member_entity_ids?: string | readonly string[] | undefined;
  /** Ids of the groups whose members are in it too. */
  readonly member_group_ids?: string | readonly string[] | undefined;
};
export type WriteGroupReply = {
  /** Id of the group. */
  readonly id: string;
  /** Name of the group. */
  readonly name: string;
} & Warnings;
export type WriteGroupByNameInput = {
  /** Name of the group. */
  readonly name: string;
  /** `internal`, whose members are listed here, or `external`. */
  readonly type?: "internal" | "external" | undefined;
  /** Texts by name, which templates may hold. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Policies that its members have; never `root`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Ids of the entities in it. */
  readonly member_entity_ids?: string | readonly string[] | undefined;
  /** Ids of the groups whose members are in it too. */
  readonly member_group_ids?: string | readonly string[] | undefined;
};
export type WriteGroupByNameReply = WriteGroupReply;
export type ReadGroupInput = {
  /** Id of the group. */
  readonly id?: string | undefined;
  /** Name of the group. */
  readonly name?: string | undefined;
};
export type ReadGroupReply = {
  /** Id of the group. */
  readonly id: string;
  /** Name of the group. */
  readonly name: string;
  /** `internal` or `external`. */
  readonly type: "internal" | "external";
  /** What was set. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Policies that its members have. */
  readonly policies: readonly string[];
  /** Ids of the entities that it lists. */
  readonly member_entity_ids: readonly string[];
  /** Ids of the groups that it lists. */
  readonly member_group_ids: readonly string[];
  /** Ids of the groups that list it. */
  readonly parent_group_ids: readonly string[];
  /** Its name at a login method; empty without one. */
  readonly alias: {
    /** Id of the alias. */
    readonly id?: string;
    /** Id of the entity or group that it leads to. */
    readonly canonical_id?: string;
    /** Name that the login method knows. */
    readonly name?: string;
    /** Accessor of the login method. */
    readonly mount_accessor?: string;
    /** Path of the login method; empty once it is disabled. */
    readonly mount_path?: string;
    /** Type of the login method; empty once it is disabled. */
    readonly mount_type?: string;
    /** What the login method told at the last login. */
    readonly metadata?: Readonly<Record<string, string>>;
    /** What was set. */
    readonly custom_metadata?: Readonly<Record<string, string>>;
    /** Always false. */
    readonly local?: boolean;
    /** Always null: nothing is merged. */
    readonly merged_from_canonical_ids?: readonly string[] | null;
    /** Always `root`. */
    readonly namespace_id?: string;
    /** When it was made, RFC 3339. */
    readonly creation_time?: string;
    /** When it was changed last, RFC 3339. */
    readonly last_update_time?: string;
  };
  /** Number of its versions. */
  readonly modify_index: number;
  /** Always `root`. */
  readonly namespace_id: string;
  /** When it was made, RFC 3339. */
  readonly creation_time: string;
  /** When it was changed last, RFC 3339. */
  readonly last_update_time: string;
} & Warnings;
export type DeleteGroupInput = ReadGroupInput;
export type DeleteGroupReply = WriteEntityByIdReply;
export type ListGroupsInput = ListEntitiesInput;
export type ListGroupsReply = {
  /** Ids, sorted. */
  readonly keys: readonly string[];
  /** Details of each, by id. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Name. */
        readonly name: string;
        /** How many entities it lists. */
        readonly num_member_entities: number;
      }
    >
  >;
} & Warnings;
export type ListGroupNamesInput = ListEntitiesInput;
export type ListGroupNamesReply = ListEntityNamesReply;
export type WriteGroupAliasInput = {
  /** Id of the alias to change. */
  readonly id?: string | undefined;
  /** Name of the group at the login method. */
  readonly name?: string | undefined;
  /** Accessor of the login method. */
  readonly mount_accessor?: string | undefined;
  /** Id of the group; an external one is made unless sent. */
  readonly canonical_id?: string | undefined;
};
export type WriteGroupAliasReply = {
  /** Id of the alias. */
  readonly id: string;
  /** Id of the group. */
  readonly canonical_id: string;
} & Warnings;
export type ReadGroupAliasInput = ReadEntityAliasInput;
export type ReadGroupAliasReply = ReadEntityAliasReply;
export type ListGroupAliasesInput = ListEntitiesInput;
export type ListGroupAliasesReply = ListEntityAliasesReply;
export type ChangeGroupAliasInput = {
  /** Id of the alias. */
  readonly id: string;
  /** Name of the group at the login method. */
  readonly name?: string | undefined;
  /** Accessor of the login method. */
  readonly mount_accessor?: string | undefined;
  /** Id of the group. */
  readonly canonical_id?: string | undefined;
};
export type ChangeGroupAliasReply = WriteGroupAliasReply;
export type DeleteGroupAliasInput = ReadEntityAliasInput;
export type DeleteGroupAliasReply = WriteEntityByIdReply;
export type LookupGroupInput = {
  /** Id of the group. */
  readonly id?: string | undefined;
  /** Name of the group. */
  readonly name?: string | undefined;
  /** Id of its alias. */
  readonly alias_id?: string | undefined;
  /** Name of its alias, beside `alias_mount_accessor`. */
  readonly alias_name?: string | undefined;
  /** Accessor of the login method of its alias. */
  readonly alias_mount_accessor?: string | undefined;
};
export type LookupGroupReply = ReadGroupReply;
export type LookupEntityInput = {
  /** Id of the entity. */
  readonly id?: string | undefined;
  /** Name of the entity. */
  readonly name?: string | undefined;
  /** Id of one of its aliases. */
  readonly alias_id?: string | undefined;
  /** Name of one of its aliases, beside `alias_mount_accessor`. */
  readonly alias_name?: string | undefined;
  /** Accessor of the login method of that alias. */
  readonly alias_mount_accessor?: string | undefined;
};
export type LookupEntityReply = ReadEntityReply;

/** Typed client: Every endpoint below `/v1/identity`: entities, their aliases, and groups. */
export interface IdentityClient {
  /**
   * Creates an entity, or changes the fields of one that are sent: of the id, or else of the name,
   * whatever its case. A change has no reply.
   * `POST /v1/identity/entity`. Fails with `malformed`, `invalid_field`.
   */
  writeEntity(input?: WriteEntityInput, options?: CallOptions): Promise<WriteEntityReply>;
  /**
   * Changes the fields of an entity that are sent; there is no reply.
   * `POST /v1/identity/entity/id/:id`. Fails with `malformed`, `invalid_field`.
   */
  writeEntityById(
    input: WriteEntityByIdInput,
    options?: CallOptions,
  ): Promise<WriteEntityByIdReply>;
  /**
   * Creates an entity of a name, or changes the fields of one that are sent. A change has no reply.
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
   * Deletes an entity with its aliases. Its tokens are refused from then on.
   * `DELETE /v1/identity/entity/id/:id`, `DELETE /v1/identity/entity/name/:name`.
   */
  deleteEntity(input?: DeleteEntityInput, options?: CallOptions): Promise<DeleteEntityReply>;
  /** Lists the ids of the entities. `LIST /v1/identity/entity/id`. */
  listEntities(input?: ListEntitiesInput, options?: CallOptions): Promise<ListEntitiesReply>;
  /** Lists the names of the entities. `LIST /v1/identity/entity/name`. */
  listEntityNames(
    input?: ListEntityNamesInput,
    options?: CallOptions,
  ): Promise<ListEntityNamesReply>;
  /**
   * Gives an entity a name at a login method, or changes the alias of an id.
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
   * Changes what is sent of an alias. With another entity, name or login method, logins map
   * otherwise from then on; tokens keep their entity, which leaves the groups that the login method
   * named for it.
   * `POST /v1/identity/entity-alias/id/:id`. Fails with `malformed`, `invalid_field`.
   */
  changeEntityAlias(
    input: ChangeEntityAliasInput,
    options?: CallOptions,
  ): Promise<ChangeEntityAliasReply>;
  /**
   * Deletes an alias: who logs in by it is somebody else from then on. Its entity leaves the groups
   * that the login method named for it.
   * `DELETE /v1/identity/entity-alias/id/:id`.
   */
  deleteEntityAlias(
    input: DeleteEntityAliasInput,
    options?: CallOptions,
  ): Promise<DeleteEntityAliasReply>;
  /** Lists the ids of the aliases. `LIST /v1/identity/entity-alias/id`. */
  listEntityAliases(
    input?: ListEntityAliasesInput,
    options?: CallOptions,
  ): Promise<ListEntityAliasesReply>;
  /**
   * Creates a group, or changes the fields of one that are sent: of the id, or else of the name,
   * whatever its case. A change has no reply.
   * `POST /v1/identity/group`, `POST /v1/identity/group/id/:id`. Fails with `malformed`,
   * `invalid_field`.
   */
  writeGroup(input?: WriteGroupInput, options?: CallOptions): Promise<WriteGroupReply>;
  /**
   * Creates a group of a name, or changes the fields of one that are sent. A change has no reply.
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
   * Deletes a group; its members stay.
   * `DELETE /v1/identity/group/id/:id`, `DELETE /v1/identity/group/name/:name`.
   */
  deleteGroup(input?: DeleteGroupInput, options?: CallOptions): Promise<DeleteGroupReply>;
  /** Lists the ids of the groups. `LIST /v1/identity/group/id`. */
  listGroups(input?: ListGroupsInput, options?: CallOptions): Promise<ListGroupsReply>;
  /** Lists the names of the groups. `LIST /v1/identity/group/name`. */
  listGroupNames(input?: ListGroupNamesInput, options?: CallOptions): Promise<ListGroupNamesReply>;
  /**
   * Tells by what name a login method knows an external group, or changes the alias of an id.
   * `POST /v1/identity/group-alias`. Fails with `malformed`.
   */
  writeGroupAlias(
    input?: WriteGroupAliasInput,
    options?: CallOptions,
  ): Promise<WriteGroupAliasReply>;
  /** Reads the alias of a group. `GET /v1/identity/group-alias/id/:id`. Fails with `not_found`. */
  readGroupAlias(input: ReadGroupAliasInput, options?: CallOptions): Promise<ReadGroupAliasReply>;
  /** Lists the ids of the aliases of groups. `LIST /v1/identity/group-alias/id`. */
  listGroupAliases(
    input?: ListGroupAliasesInput,
    options?: CallOptions,
  ): Promise<ListGroupAliasesReply>;
  /**
   * Changes what is sent of the alias of a group. Members follow with their next login.
   * `POST /v1/identity/group-alias/id/:id`. Fails with `malformed`.
   */
  changeGroupAlias(
    input: ChangeGroupAliasInput,
    options?: CallOptions,
  ): Promise<ChangeGroupAliasReply>;
  /**
   * Deletes the alias of a group. Logins no longer become members of the group through it.
   * `DELETE /v1/identity/group-alias/id/:id`.
   */
  deleteGroupAlias(
    input: DeleteGroupAliasInput,
    options?: CallOptions,
  ): Promise<DeleteGroupAliasReply>;
  /** Finds a group by id, name or alias. `POST /v1/identity/lookup/group`. */
  lookupGroup(input?: LookupGroupInput, options?: CallOptions): Promise<LookupGroupReply>;
  /** Finds an entity by id, name or alias. `POST /v1/identity/lookup/entity`. */
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
