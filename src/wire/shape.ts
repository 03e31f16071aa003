import { CaError } from "../base/errors.ts";
import type { Identity } from "../engine/ports.ts";
import type { Call } from "./call.ts";
import type { Dialect } from "./dialect.ts";
import type { AnyEndpoint, RoutedCall, Rule } from "./endpoint.ts";
import type { Shape } from "./field.ts";

type Entry = readonly [name: string, field: Shape[string], position: number];
/** A shape, preprocessed for use by many calls. */
interface Prepared {
  readonly fields: readonly Entry[];
  readonly byName: ReadonlyMap<string, Entry>;
  readonly required: readonly Entry[];
  /** Names of the fields that are objects or lists of objects with declared members. */
  readonly objects: ReadonlySet<string>;
  /** Default values of absent optional fields. */
  readonly defaults: Readonly<Record<string, unknown>>;
}
const prepared = new WeakMap<Shape, Prepared>();
/** Returns the preprocessed form of a shape, which is computed once. */
export function preparedOf(shape: Shape): Prepared {
  let compiled = prepared.get(shape);
  if (!compiled) {
    const fields = Object.entries(shape).map(
      ([name, field], position) => [name, field, position] as const,
    );
    const defaults = fields.flatMap(([name, field]) =>
      field.required ? [] : [[name, field.parse(undefined, name)] as const],
    );
    compiled = {
      fields,
      byName: new Map(fields.map((entry) => [entry[0], entry])),
      required: fields.filter(([, field]) => field.required),
      objects: new Set(fields.filter(([, { json }]) => propertiesOf(json)).map(([name]) => name)),
      defaults: Object.fromEntries(defaults),
    };
    prepared.set(shape, compiled);
  }
  return compiled;
}

/** Returns the members that a JSON Schema declares for an object, or for the objects in a list. */
function propertiesOf(
  json: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const { properties, items } = json as Partial<Record<string, Readonly<Record<string, unknown>>>>;
  return properties ?? (items && propertiesOf(items));
}

/** Parses the declared members in the order of their declaration. Throws the first error. */
export function readShape(
  { byName, required, defaults }: Prepared,
  members: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const entries = [...required];
  for (const name of names) {
    const entry = byName.get(name);
    if (entry && !entry[1].required) entries.push(entry);
  }
  const input: Record<string, unknown> = { ...defaults };
  for (const [name, field] of entries.sort(([, , a], [, , b]) => a - b))
    input[name] = field.parse(Object.hasOwn(members, name) ? members[name] : undefined, name);
  return input;
}

/** Returns the request members that affect how a response of this shape is serialized. */
export const printedBy = (
  shape: Shape,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    preparedOf(shape)
      .fields.flatMap(([, field]) => field.printedBy ?? [])
      .map((name) => [name, input[name]]),
  );

/**
 * Converts a response to a dialect. `input` contains the members of the request, or at least those
 * that affect how the response is serialized.
 */
export function printReply(
  shape: Shape,
  data: unknown,
  input: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): unknown {
  if (typeof data !== "object" || data === null || ArrayBuffer.isView(data)) return data;
  // handlers return objects with the members that `reply` declares
  const members = data as Record<string, unknown>;
  let out = members;
  for (const [name, field] of preparedOf(shape).fields) {
    const value = members[name];
    if (!field.print || value === undefined || value === null) continue;
    if (out === members) out = { ...members };
    out[name] = field.print(value, dialect, input);
  }
  return out;
}

/** The parsed input of a call. */
export interface Input {
  readonly input: Readonly<Record<string, unknown>>;
  /** Names of the members in the request. */
  readonly sent: ReadonlySet<string>;
  /** The members before parsing. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Warnings about members that have no effect. Empty responses do not contain them. */
  readonly ignored: readonly string[];
}

/** Parses the declared members of a request. Path parameters override members of the same name. */
export async function readInput(
  routed: RoutedCall,
  params: Readonly<Record<string, string>>,
): Promise<Input> {
  const { endpoint } = routed;
  const members = await endpoint.style.read(routed);
  const names = Object.keys(members);
  const prepared = preparedOf(endpoint.body);
  const input = readShape(prepared, members, names);
  const sent = new Set(names);
  for (const rule of endpoint.rules ?? []) obey(rule, sent);
  Object.assign(input, params);
  const [unknown, replaced]: [string[], string[]] = [[], []];
  let hasObjects = false;
  for (const name of names) {
    if (Object.hasOwn(params, name) || endpoint.captures?.includes(name)) replaced.push(name);
    else if (!Object.hasOwn(endpoint.body, name) && endpoint.ignores?.includes(name) !== true)
      unknown.push(name);
    hasObjects ||= prepared.objects.has(name);
  }
  unknown.sort();
  if (endpoint.rest) {
    input["rest"] = Object.fromEntries(unknown.map((name) => [name, members[name]]));
    return { input, sent, members, ignored: [] };
  }
  const isStrict = routed.call.dialect.unknownFields === "reject" && endpoint.style.isStrict;
  const { method, query } = routed.call;
  const mayBeUnknown = unknown.length > 0 || (query.size > 0 && method !== "GET") || hasObjects;
  if (isStrict && mayBeUnknown) {
    const { rejectUnknownFields } = await import("./unknown-fields.ts");
    await rejectUnknownFields(routed, { members, unknown, propertiesOf });
  }
  const ignored: string[] = [];
  if (unknown.length > 0)
    ignored.push(`Endpoint ignored these unrecognized parameters: [${namesOf(unknown)}]`);
  if (replaced.length > 0)
    ignored.push(
      `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${replaced.join(" ")}]`,
    );
  return { input, sent, members, ignored };
}

const [maxUnknownFields, maxFieldNameLength] = [100, 256];
/**
 * Joins names for a warning. The list is truncated, because a caller may send thousands of names.
 */
export const namesOf = (names: readonly string[]): string =>
  [
    ...names
      .slice(0, maxUnknownFields)
      .map((name) =>
        name.length > maxFieldNameLength ? `${name.slice(0, maxFieldNameLength)}…` : name,
      ),
    ...(names.length > maxUnknownFields ? ["…"] : []),
  ].join(" ");

function obey(rule: Rule<string>, sent: ReadonlySet<string>): void {
  const names = "exactlyOne" in rule ? rule.exactlyOne : rule.together;
  let sentCount = 0;
  for (const name of names) if (sent.has(name)) sentCount += 1;
  if ("together" in rule) {
    if (sentCount !== 0 && sentCount !== names.length)
      throw new CaError("malformed", `set all or none of ${names.join(", ")}`);
  } else if (sentCount === 0)
    throw new CaError("malformed", rule.none ?? `set one of ${names.join(", ")}`);
  else if (sentCount > 1)
    throw new CaError("malformed", rule.many ?? `set only one of ${names.join(", ")}`);
}

/** Default limit on request bodies in bytes: 8 MiB (D 3). */
const maxBody = 8 * 1024 * 1024;
/**
 * Limit on request bodies of anonymous callers in bytes, so that nobody can fill memory before a
 * token is verified.
 */
const maxAnonymousBody = 64 * 1024;
const tooLarge = "http: request body too large";

/**
 * Returns a function that reads the body of a call, up to the limit of its endpoint, or up to
 * `maxAnonymousBody` for an anonymous caller.
 */
export function bodyReader(
  { body, unread }: Call,
  { access, bodyLimits }: AnyEndpoint,
  authenticate: () => Promise<Identity | undefined>,
): () => Promise<Uint8Array> {
  if (!unread) return () => Promise.resolve(body);
  let reading: Promise<Uint8Array> | undefined;
  const read = async (): Promise<Uint8Array> => {
    const isSmall = unread.length !== undefined && unread.length <= maxAnonymousBody;
    if (access !== "open" || isSmall || (await authenticate()))
      return unread.read(bodyLimits?.bytes ?? maxBody, tooLarge);
    return unread.read(maxAnonymousBody, `${tooLarge}: bodies above 64 KiB require a valid token`);
  };
  return () => (reading ??= read());
}
