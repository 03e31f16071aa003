import { CaError } from "../base/errors.ts";
import type { RoutedCall, RouteMatch } from "./endpoint.ts";
import type { Shape } from "./field.ts";

type Members = Readonly<Record<string, unknown>>;

/** The parts of a routed call that determine its fields. */
type WriteCall = Pick<RoutedCall, "call" | "endpoint" | "match" | "target">;
/** The fields that a request contains, and those of them that are unknown. */
interface RequestFields {
  readonly members: Members;
  /** Names of members that the endpoint does not declare. */
  readonly unknown: readonly string[];
  /** Returns the members that a JSON Schema declares for an object. */
  propertiesOf(json: Members): Members | undefined;
}

const [maxNamed, maxNameLength] = [20, 64];

/**
 * Throws `unknown_field` if a request has fields that its endpoint does not declare: `unknown`,
 * undeclared members of objects, or query parameters of a request with a body. Two kinds of
 * undeclared fields are ignored instead of rejected. The first is fields with the value null, which
 * typed clients send for unset fields. The second, at paths that can be read, is the fields that a
 * read or this write returns, so that a resource can be written back.
 */
export async function rejectUnknownFields(
  routed: WriteCall,
  { members, unknown, propertiesOf }: RequestFields,
): Promise<void> {
  rejectQuery(routed.call, members);
  const { body, ignores = [] } = routed.endpoint;
  const candidates = [
    ...unknown.filter((name) => members[name] !== null).map((name) => [name, body] as const),
    ...Object.entries(body)
      .flatMap(([name, { json }]) =>
        Object.hasOwn(members, name) ? unknownWithin(name, members[name], propertiesOf(json)) : [],
      )
      .filter(([path]) => !ignores.includes(path)),
  ];
  if (candidates.length === 0) return;
  const readable = await readableFields(routed);
  const isReadable = (path: string): boolean => {
    const [, name = path, member] = /^(\w+)(?:\[\d+\])?\.(.+)$/s.exec(path) ?? [];
    return readable.some((reply) => {
      if (member === undefined || !Object.hasOwn(reply, name)) return Object.hasOwn(reply, path);
      return Object.hasOwn(propertiesOf(reply[name]?.json ?? {}) ?? {}, member);
    });
  };
  const wrong = candidates.filter(([path]) => !isReadable(path));
  if (wrong.length === 0) return;
  const texts = wrong.slice(0, maxNamed).map(([name, members]) => described(name, members));
  const more = wrong.length > maxNamed ? [`${wrong.length - maxNamed} more`] : [];
  throw new CaError("unknown_field", `unknown fields: ${[...texts, ...more].join(", ")}`);
}

/** Throws `unknown_field` if a request whose fields are in the body has fields in the query. */
function rejectQuery({ method, query }: RoutedCall["call"], members: Members): void {
  if (query.size === 0 || ["GET", "LIST", "DELETE"].includes(method)) return;
  // `list` and `help` are not fields and have no effect here
  const allowed = new Set(["list", "help", ...Object.keys(members)]);
  const sent = [...new Set(query.keys())].filter((name) => !allowed.has(name));
  if (sent.length === 0) return;
  const names = sent.slice(0, maxNamed);
  const shown = names.map((name) => name.slice(0, maxNameLength)).join(", ");
  throw new CaError(
    "unknown_field",
    `unknown fields: ${shown} in the query; a ${method} has its fields in the body`,
  );
}

/**
 * Returns the response shapes of a write and the read on the same path. Returns an empty list if
 * the path cannot be read.
 */
async function readableFields({ endpoint, match, target }: WriteCall): Promise<readonly Shape[]> {
  const read = await findRead(target);
  if (!read || read.endpoint === endpoint || anonymousShape(read) !== anonymousShape(match))
    return [];
  return [endpoint.reply, read.endpoint.reply];
}
async function findRead({ find, path }: RoutedCall["target"]): Promise<RouteMatch | undefined> {
  try {
    const match = await find("GET", false, path);
    return match.refusal ? undefined : match;
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
/** Returns a route's path without the names of its parameters. */
const anonymousShape = ({ shape }: RouteMatch): string => shape.replace(/:\w+/g, ":");

/** Returns the paths of the undeclared members of an object, or of the objects in a list. */
function unknownWithin(
  name: string,
  value: unknown,
  members: Members | undefined,
): readonly (readonly [path: string, known: Members])[] {
  if (!members || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, i) => unknownWithin(`${name}[${i}]`, item, members));
  return Object.entries(value)
    .filter(([member, one]) => one !== null && !Object.hasOwn(members, member))
    .map(([member]) => [`${name}.${member}`, members] as const);
}

/**
 * Formats an unknown name for an error message, with a suggestion if a declared name is similar.
 */
function described(path: string, members: Members): string {
  const name = path.slice(path.lastIndexOf(".") + 1);
  const shown = path.length > maxNameLength ? `${path.slice(0, maxNameLength)}…` : path;
  const near = name.length > maxNameLength ? undefined : nearest(name, Object.keys(members));
  return near === undefined ? shown : `${shown} (did you mean ${near}?)`;
}

function nearest(name: string, names: readonly string[]): string | undefined {
  const limit = name.length < 4 ? 1 : 2;
  const [best] = names
    .map((one) => [distance(name.toLowerCase(), one), one] as const)
    .filter(([edits]) => edits <= limit)
    .sort(([a], [b]) => a - b);
  return best?.[1];
}

/** Returns the Levenshtein distance of two strings. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
