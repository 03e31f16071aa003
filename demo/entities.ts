import { ask, list } from "./api.ts";
import { ref } from "./pki.ts";

/** How a login method knows somebody, or a group. */
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
export interface Listed {
  readonly id: string;
  readonly name: string;
}

const named = async (path: string): Promise<readonly Listed[]> => {
  const { keys, info } = await list<{ name?: string }>(path);
  return keys.map((id) => ({ id, name: info[id]?.name ?? "" }));
};

export const entities = (): Promise<readonly Listed[]> => named("identity/entity/id");

export const groups = (): Promise<readonly Listed[]> => named("identity/group/id");

export const entity = (id: string): Promise<Entity> => ask("GET", `identity/entity/id/${ref(id)}`);

export const group = (id: string): Promise<Group> => ask("GET", `identity/group/id/${ref(id)}`);
