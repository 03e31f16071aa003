import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import type { Shape } from "../../src/wire/field.ts";
import { groupsIn, membersOf, resourceSchemas } from "./field-types.ts";
import type { Way } from "./json-type.ts";
import { fieldRows } from "./rows.ts";

/** A place in the reference: the ID of an endpoint, and its page. */
export interface Place {
  readonly id: string;
  readonly page: string;
}
/** A function that returns the rows of a request or a reply of the endpoint at `place`. */
export type RowsOf = (shape: Shape, way: Way, place: Place) => readonly string[];

const linkTo = ({ id, page }: Place, from: Place): string =>
  `[${id}](${page === from.page ? "" : page}#${id.toLowerCase()})`;

/**
 * Returns a function to be called for each endpoint in the order of the reference. The first
 * endpoint with a group of fields lists the fields; later endpoints link to it.
 */
export function sharedRows(endpoints: readonly AnyEndpoint[]): RowsOf {
  const resources = new Set(resourceSchemas(endpoints).map(({ schema }) => keyOf(schema)));
  const listed = new Map<string, Place>();
  const first = (key: string, place: Place): Place | undefined => {
    const before = listed.get(key);
    if (before === undefined) listed.set(key, place);
    return before?.id === place.id ? undefined : before;
  };
  return (shape, way, place) => {
    let left = membersOf(shape, way);
    const links: string[] = [];
    for (const { name, members } of groupsIn(left, way)) {
      const texts = new Set(left.map(({ text }) => text));
      if (!members.every(({ text }) => texts.has(text))) continue;
      const before = first(name, place);
      if (before === undefined) continue;
      const covered = new Set(members.map(({ text }) => text));
      left = left.filter(({ text }) => !covered.has(text));
      const names = members.map((member) => `\`${member.name}\``).join(", ");
      links.push(`| ${names} | | | As for ${linkTo(before, place)}. |\n`);
    }
    const own = new Set(left.map(({ name }) => name));
    const rest = Object.fromEntries(Object.entries(shape).filter(([name]) => own.has(name)));
    const linkOf = (schema: object): string | undefined => {
      const key = keyOf(schema);
      const before = resources.has(key) ? first(key, place) : undefined;
      return before && `object as for ${linkTo(before, place)}`;
    };
    return [...fieldRows(rest, way === "sent", linkOf), ...links];
  };
}

/** Returns a string that identifies a schema regardless of its description. */
const keyOf = (schema: object): string => JSON.stringify({ ...schema, description: undefined });
