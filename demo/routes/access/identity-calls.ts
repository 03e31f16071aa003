import { ask, list, request, type Reply } from "../../api/transport.ts";
import { ref } from "../../api/pki.ts";

/** The name of an entity or a group at a login method. */
export interface Alias {
  readonly id: string;
  readonly name: string;
  readonly mount_accessor: string;
  readonly mount_path?: string;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

interface Shared {
  readonly id: string;
  readonly name: string;
  readonly policies: readonly string[] | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** RFC 3339. */
  readonly creation_time?: string;
}

/** Somebody, by whatever methods they sign in. */
export interface Entity extends Shared {
  readonly disabled: boolean;
  readonly aliases: readonly Alias[] | null;
  readonly group_ids?: readonly string[] | null;
}

/** Several who get the same policies. */
export interface Group extends Shared {
  readonly type: string;
  readonly member_entity_ids: readonly string[] | null;
  readonly member_group_ids: readonly string[] | null;
  readonly alias?: Partial<Alias> | null;
}

/** An entity or a group in a list. */
export interface NamedId {
  readonly id: string;
  readonly name: string;
}

const named = async (path: string): Promise<readonly NamedId[]> => {
  const { keys, info } = await list<{ name?: string }>(path);
  return keys.map((id) => ({ id, name: info[id]?.name ?? "" }));
};

export const entities = (): Promise<readonly NamedId[]> => named("identity/entity/id");

export const groups = (): Promise<readonly NamedId[]> => named("identity/group/id");

export const entity = (id: string): Promise<Entity> => ask("GET", `identity/entity/id/${ref(id)}`);

export const group = (id: string): Promise<Group> => ask("GET", `identity/group/id/${ref(id)}`);

/** Makes a group, or changes what is sent of the one with this id; a change has no reply. */
export const saveGroup = (id: string, fields: object): Promise<Reply<NamedId | undefined>> =>
  request("POST", id === "" ? "identity/group" : `identity/group/id/${ref(id)}`, fields);

export const deleteGroup = (id: string): Promise<Reply<unknown>> =>
  request("DELETE", `identity/group/id/${ref(id)}`);

/** Tells by what name a login method knows an external group. */
export const saveGroupAlias = (
  id: string,
  name: string,
  accessor: string,
): Promise<Reply<unknown>> =>
  request("POST", "identity/group-alias", { name, mount_accessor: accessor, canonical_id: id });

export const deleteGroupAlias = (id: string): Promise<Reply<unknown>> =>
  request("DELETE", `identity/group-alias/id/${ref(id)}`);

/** Members as they stand in a form, a line each: the name, or the id of one that has none here. */
export const memberLines = (ids: readonly string[], known: readonly NamedId[]): string =>
  ids.map((id) => known.find((one) => one.id === id)?.name || id).join("\n");

/** The ids that lines name, and the lines that name nobody. */
export function membersIn(
  lines: string,
  known: readonly NamedId[],
): { readonly ids: readonly string[]; readonly unknown: readonly string[] } {
  const wanted = lines
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    // An id wins over a name that looks like one.
    .map(
      (line) =>
        [
          line,
          (known.find(({ id }) => id === line) ?? known.find(({ name }) => name === line))?.id,
        ] as const,
    );
  return {
    ids: [...new Set(wanted.flatMap(([, id]) => id ?? []))],
    unknown: wanted.flatMap(([line, id]) => (id === undefined ? [line] : [])),
  };
}
