import {
  belowLogin,
  type EntityRow,
  type GroupRow,
  loginKeys,
  storedLogin,
} from "../rows/logins.ts";
import type { Entity, Row, Store } from "../../engine/ports.ts";
import { kindOf, type StoreContext } from "../../engine/store-context.ts";

/** An entity with the properties that affect its tokens. */
export interface EntityWithGroups {
  readonly entity: Entity;
  /** Policy names of the entity and its groups, sorted. */
  readonly policies: readonly string[];
  /** Whether tokens and logins of the entity are rejected. */
  readonly disabled: boolean;
}
const cachedEntities = kindOf<EntityWithGroups>(2000, [
  belowLogin.entities,
  belowLogin.groups,
  belowLogin.members,
]);

/**
 * Returns an entity with its groups, cached for at most one second. Returns undefined if the entity
 * does not exist.
 */
export const cachedEntity = (
  sys: StoreContext,
  id: string,
): Promise<EntityWithGroups | undefined> | EntityWithGroups | undefined =>
  sys.cache.recent(cachedEntities, id, () => readEntity(sys.store, id));

async function readEntity(store: Store, id: string): Promise<EntityWithGroups | undefined> {
  const [[row], groups] = await Promise.all([
    store.get([loginKeys.entity(id)]),
    groupsOf(store, id),
  ]);
  if (!row) return undefined;
  const entity = storedLogin.entity(row.value);
  const all = [...entity.policies, ...groups.flatMap(({ group }) => group.policies)];
  return {
    entity: entityOf(id, entity, groups),
    // never grant the `root` policy, even if a row contains it
    policies: [...new Set(all)].filter((name) => name !== "root").sort(),
    disabled: entity.disabled,
  };
}
const entityOf = (id: string, row: EntityRow, groups: readonly GroupOfEntity[]): Entity => ({
  id,
  name: row.name,
  metadata: row.metadata,
  aliases: row.aliases,
  groups: groups.map(({ id: group, group: { name, metadata } }) => ({ id: group, name, metadata })),
});

/** A group to which an entity belongs. */
interface GroupOfEntity {
  readonly id: string;
  readonly group: GroupRow;
  /** Revision of the group's row. */
  readonly rev: number;
  /**
   * Whether the entity itself is a member of the group, and not only a member of one of its member
   * groups.
   */
  readonly direct: boolean;
}
/** Returns the groups to which an entity belongs, directly or through other groups. */
export async function groupsOf(store: Store, id: string): Promise<readonly GroupOfEntity[]> {
  const groups = new Map<string, GroupOfEntity>();
  let members: readonly string[] = [id];
  while (members.length > 0) {
    const above = await Promise.all(members.map((member) => idsAbove(store, member)));
    const ids = [...new Set(above.flat())].filter((group) => !groups.has(group));
    const rows = ids.length > 0 ? await store.get(ids.map(loginKeys.group)) : [];
    const direct = ids.flatMap((group, at) => groupIn(group, rows[at], groups.size === 0));
    for (const one of direct) groups.set(one.id, one);
    members = direct.map((one) => one.id);
  }
  return [...groups.values()];
}
const groupIn = (id: string, row: Row | undefined, direct: boolean): readonly GroupOfEntity[] =>
  row ? [{ id, group: storedLogin.group(row.value), rev: row.rev, direct }] : [];
async function idsAbove(store: Store, member: string): Promise<readonly string[]> {
  const below = loginKeys.member(member, "");
  const rows = await store.list(below, { values: false });
  return rows.map(([key]) => key.slice(below.length));
}
