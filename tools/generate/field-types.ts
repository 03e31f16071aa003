import { replySettings } from "../../src/mounts/mount-config.ts";
import { mountFields as mountReply } from "../../src/mounts/mount-info.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import type { Shape } from "../../src/wire/field.ts";
import { fieldGroups, type FieldGroup } from "./field-groups.ts";
import { member, typeOf, type Schema, type Way } from "./json-type.ts";

/** A member of an object type: its name, and its declaration with its doc comment. */
export interface Member {
  readonly name: string;
  readonly text: string;
}
/** A type declaration. */
export interface NamedType {
  readonly name: string;
  readonly doc: string;
  readonly type: string;
}
/** The shared types in a module of the client. */
export interface SharedTypes {
  /**
   * Returns the type of an object with these members, composed of the shared types where possible.
   */
  objectOf(members: readonly Member[], way: Way): string;
  /** Replaces inline object types with the names of the shared types. */
  shorten(type: string): string;
  /** Returns the shared types that `text` uses, directly or through other shared types. */
  usedBy(text: string): readonly NamedType[];
}

/** Returns the members of a request or a reply, in the order of the shape. */
export const membersOf = (shape: Shape, way: Way): readonly Member[] =>
  Object.entries(shape).map(([name, { json, required }]) => ({
    name,
    text: member(name, json, {
      way,
      optional: !required && (way === "sent" || !("default" in json)),
    }),
  }));

/** A group of fields, with the declarations of its members. */
interface MemberGroup extends FieldGroup {
  readonly members: readonly Member[];
}
// reversed, so that a group comes before the groups that it contains
const groups: readonly MemberGroup[] = fieldGroups
  .map((group) => ({ ...group, members: membersOf(group.shape, group.way) }))
  .reverse();
/** Returns the groups that the members contain, larger groups first. */
export function groupsIn(members: readonly Member[], way: Way): readonly MemberGroup[] {
  const texts = new Set(members.map(({ text }) => text));
  return groups.filter(
    (group) => group.way === way && group.members.every(({ text }) => texts.has(text)),
  );
}

/** Returns the shared types of a module's endpoints. */
export function sharedTypes(endpoints: readonly AnyEndpoint[]): SharedTypes {
  const objects = [...resourceSchemas(endpoints), mountConfig];
  const shorten = (type: string): string =>
    objects.reduce((text, { name, type: object }) => text.replaceAll(object, name), type);
  const objectOf = (members: readonly Member[], way: Way, but?: FieldGroup): string => {
    let left = members;
    const names: string[] = [];
    for (const { name, members: shared } of groupsIn(members, way)) {
      const texts = new Set(left.map(({ text }) => text));
      if (name === but?.name || !shared.every(({ text }) => texts.has(text))) continue;
      const covered = new Set(shared.map(({ text }) => text));
      left = left.filter(({ text }) => !covered.has(text));
      names.unshift(name);
    }
    const own = left.map(({ text }) => shorten(text)).join("");
    return [...names, ...(own === "" && names.length > 0 ? [] : [`{\n${own}}`])].join(" & ");
  };
  const all: readonly NamedType[] = [
    ...groups.map((group) => ({
      name: group.name,
      doc: group.doc,
      type: objectOf(group.members, group.way, group),
    })),
    ...objects.map((one, index) => ({
      ...one,
      type:
        one === mountConfig
          ? objectOf(membersOf(replySettings, "replied"), "replied")
          : objects
              .slice(index + 1)
              .reduce((text, { name, type }) => text.replaceAll(type, name), one.type),
    })),
  ];
  return {
    objectOf,
    shorten,
    usedBy: (text) => {
      const used = new Set<string>();
      const visit = (type: string): void => {
        for (const one of all)
          if (!used.has(one.name) && new RegExp(`(?<!")\\b${one.name}\\b`).test(type)) {
            used.add(one.name);
            visit(one.type);
          }
      };
      visit(text);
      return all.filter(({ name }) => used.has(name));
    },
  };
}

const mountConfig: NamedType = {
  name: "MountConfig",
  doc: "Settings of a mount or login method, as stored.",
  type: typeOf(mountReply.config.json, "replied"),
};

/** Type names for the variables API's resources, by JSON:API type. */
const resourceNames: Readonly<Record<string, string>> = {
  "authentication-tokens": "TokenResource",
  organizations: "OrganizationResource",
  "team-workspaces": "TeamAccessResource",
  teams: "TeamResource",
  users: "UserResource",
  vars: "VariableResource",
  workspaces: "WorkspaceResource",
};
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema of a resource in requests or in replies. */
export interface ResourceSchema extends NamedType {
  readonly schema: Schema;
  readonly way: Way;
}
/** Returns the schemas of the resources that the endpoints' requests and replies contain. */
export function resourceSchemas(endpoints: readonly AnyEndpoint[]): readonly ResourceSchema[] {
  const types = new Map<string, ResourceSchema>();
  const visit = (schema: unknown, way: Way): void => {
    if (Array.isArray(schema)) return schema.forEach((one) => visit(one, way));
    if (!isSchema(schema)) return;
    const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
    const jsonType = isSchema(properties["type"]) ? properties["type"]["const"] : undefined;
    const base = typeof jsonType === "string" ? resourceNames[jsonType] : undefined;
    if (base !== undefined && "attributes" in properties) {
      const type = typeOf(schema, way);
      const name = way === "sent" ? `${base}Data` : base;
      const free = [name, `${name}Update`].find(
        (one) => ![...types.values()].some((other) => other.name === one),
      );
      const doc = `A resource of type \`${String(jsonType)}\`${way === "sent" ? ", as sent" : ""}.`;
      if (!types.has(type) && free !== undefined)
        types.set(type, { name: free, doc, type, schema, way });
    }
    Object.values(schema).forEach((one) => visit(one, way));
  };
  for (const { body, reply, whole } of endpoints) {
    for (const { json } of Object.values(body)) visit(json, "sent");
    for (const { json } of [...Object.values(reply), ...(whole ? [whole] : [])])
      visit(json, "replied");
  }
  // longer types first, because a type may contain another
  return [...types.values()].sort((a, b) => b.type.length - a.type.length);
}
