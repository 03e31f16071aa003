import { memoize } from "../../base/memo.ts";
import type { Entity } from "../../engine/ports.ts";

/** What of a role may hold templates, and says whether it does. */
interface Templated {
  readonly allowed_domains: readonly string[];
  readonly allowed_domains_template: boolean;
  readonly allowed_uri_sans: readonly string[];
  readonly allowed_uri_sans_template: boolean;
  readonly allow_globs_in_identity_templates: boolean;
}

const placeholder = /\{\{\s*identity\.([^{}]+?)\s*\}\}/g;

/**
 * The role with the identity templates of its `allowed_domains` and `allowed_uri_sans` filled in
 * for who asks (A 7.4). An entry that cannot be filled is left out. A value with `*` would be a
 * glob that the caller chose: such an entry is left out too, unless the role allows it.
 */
export function forEntity<R extends Templated>(role: R, entity: Entity): R {
  // what is kept for a role is of the role's own type
  const known = filledRoles(role) as Map<string, R>;
  const key = JSON.stringify(entity);
  let found = known.get(key);
  if (!found) {
    if (known.size >= mostEntities) known.clear();
    known.set(key, (found = filledFor(role, entity)));
  }
  return found;
}
/**
 * A role as it is for those who asked last: filling in a thousand entries takes most of a
 * millisecond.
 */
const filledRoles = memoize(() => new Map<string, Templated>());
const mostEntities = 20;

function filledFor<R extends Templated>(role: R, entity: Entity): R {
  const fill = (list: readonly string[]) =>
    list.flatMap((entry) => filled(entry, entity, role.allow_globs_in_identity_templates));
  return {
    ...role,
    allowed_domains: role.allowed_domains_template
      ? fill(role.allowed_domains)
      : role.allowed_domains,
    allowed_uri_sans: role.allowed_uri_sans_template
      ? fill(role.allowed_uri_sans)
      : role.allowed_uri_sans,
  };
}

function filled(entry: string, entity: Entity, globs: boolean): readonly string[] {
  let complete = true;
  const text = entry.replace(placeholder, (_, path: string) => {
    const value = valueOf(path, entity);
    if (value === undefined || value === "" || (value.includes("*") && !globs)) complete = false;
    return value ?? "";
  });
  return complete && !text.includes("{{") ? [text] : [];
}

/** The value of a path below `identity.`, such as `entity.name` or `groups.names.ops.id`. */
function valueOf(path: string, entity: Entity): string | undefined {
  const own = /^entity\.(id|name)$/.exec(path);
  if (own) return own[1] === "id" ? entity.id : entity.name;
  const metadata = /^entity\.metadata\.(.+)$/.exec(path)?.[1];
  if (metadata !== undefined) return member(entity.metadata, metadata);
  const [, accessor = "", field = "", key = ""] =
    /^entity\.aliases\.([^.]+)\.(id|name|metadata|custom_metadata)(?:\.(.+))?$/.exec(path) ?? [];
  const alias = Object.hasOwn(entity.aliases, accessor) ? entity.aliases[accessor] : undefined;
  if (alias)
    return field === "id" || field === "name"
      ? alias[field]
      : member(field === "metadata" ? alias.metadata : alias.custom_metadata, key);
  const [, by, wanted, tail, about = ""] =
    /^groups\.(ids|names)\.(.+?)\.(id|name|metadata\.(.+))$/.exec(path) ?? [];
  const group = entity.groups.find(
    (one) => wanted !== undefined && (by === "ids" ? one.id : one.name) === wanted,
  );
  if (group && about !== "") return member(group.metadata ?? {}, about);
  return group && (tail === "id" ? group.id : group.name);
}
const member = (map: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;
