import type { Dialect } from "./dialect.ts";
import type { Shape } from "./field.ts";

type Entry = readonly [name: string, field: Shape[string], position: number];
/** A shape prepared for many calls. */
interface Prepared {
  readonly fields: readonly Entry[];
  readonly byName: ReadonlyMap<string, Entry>;
  readonly required: readonly Entry[];
  /** What fields that are not sent and need not be give. */
  readonly defaults: Readonly<Record<string, unknown>>;
}
const prepared = new WeakMap<Shape, Prepared>();
function preparedOf(shape: Shape): Prepared {
  let found = prepared.get(shape);
  if (!found) {
    const fields = Object.entries(shape).map(
      ([name, field], position) => [name, field, position] as const,
    );
    const defaults = fields.flatMap(([name, field]) =>
      field.required ? [] : [[name, field.parse(undefined, name)] as const],
    );
    found = {
      fields,
      byName: new Map(fields.map((entry) => [entry[0], entry])),
      required: fields.filter(([, field]) => field.required),
      defaults: Object.fromEntries(defaults),
    };
    prepared.set(shape, found);
  }
  return found;
}

/**
 * The declared members, read in the order of their declaration: the first that does not fit is what
 * the caller is told of.
 */
export function readShape(
  shape: Shape,
  members: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const { byName, required, defaults } = preparedOf(shape);
  const wanted = new Set(required);
  for (const name of names) {
    const entry = byName.get(name);
    if (entry) wanted.add(entry);
  }
  const input: Record<string, unknown> = { ...defaults };
  for (const [name, field] of [...wanted].sort(([, , a], [, , b]) => a - b))
    input[name] = field.parse(Object.hasOwn(members, name) ? members[name] : undefined, name);
  return input;
}

/** The members of the request by which a reply of this shape is printed. */
export const printedBy = (
  shape: Shape,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    preparedOf(shape)
      .fields.flatMap(([, field]) => field.printedBy ?? [])
      .map((name) => [name, input[name]]),
  );

/** The reply as the dialect prints it. `input`: the request, or what the reply is printed by. */
export function printed(
  shape: Shape,
  data: unknown,
  input: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): unknown {
  if (typeof data !== "object" || data === null || ArrayBuffer.isView(data)) return data;
  // handlers answer plain objects whose members are those of `reply`
  const members = data as Record<string, unknown>;
  let out = members;
  for (const [name, field] of preparedOf(shape).fields) {
    if (!field.print || members[name] === undefined) continue;
    if (out === members) out = { ...members };
    out[name] = field.print(members[name], dialect, input);
  }
  return out;
}
