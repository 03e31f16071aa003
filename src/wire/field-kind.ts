import { CaError } from "../base/errors.ts";
import type { Field } from "./field-type.ts";
import { unfit, type Read } from "./read-value.ts";

/** The words of a closed set: what a field, or each item of a list, may be. */
export type Words = readonly (string | number)[];
/**
 * Fields of one kind: how much a caller must say. `words` are told in descriptions; handlers judge.
 */
export interface FieldKind<T> {
  required(doc: string, words?: Words): Field<T, true>;
  /**
   * Demanded of callers; what is missing reads as `missing`, which the handler refuses in words of
   * its own.
   */
  requiredOr(missing: T, doc: string, words?: Words): Field<T, true>;
  optional(doc: string, words?: Words): Field<T | undefined, false>;
  default(value: T, doc: string, words?: Words): Field<T, false>;
  /** Another name of a member: policies judge both as one. */
  alias(of: string): Field<T | undefined, false>;
}
/** What some kinds have besides. */
export interface Extra<T> {
  readonly secret?: boolean;
  readonly print?: NonNullable<Field<T>["print"]>;
  /** True for kinds where a JSON null means "not sent". */
  readonly nullAbsent?: boolean;
  /** A default as the JSON Schema's type has it, where that is not the value itself. */
  readonly standard?: (value: T) => unknown;
}

/** Makes a kind of fields of its JSON Schema and its reader. */
export function kind<T>(
  json: Readonly<Record<string, unknown>>,
  read: Read<T>,
  { secret, print, nullAbsent, standard = (value) => value }: Extra<T> = {},
): FieldKind<T> {
  const shared = {
    ...(secret ? { secret } : {}),
    ...(print ? { print: printing(print) } : {}),
  };
  const isAbsent = (raw: unknown) => raw === undefined || (raw === null && nullAbsent === true);
  const field = <V extends T | undefined, R extends boolean>(
    required: R,
    schema: Readonly<Record<string, unknown>>,
    missing: (at: string) => V,
  ): Field<T | V, R> => ({
    ...shared,
    required,
    json: { ...json, ...schema },
    parse: (raw, at) => (isAbsent(raw) ? missing(at) : named(read, raw, at)),
  });
  const optional: FieldKind<T>["optional"] = (doc, words) =>
    field(false, told(json, doc, words), () => undefined);
  return {
    required: (doc, words) =>
      field(true, told(json, doc, words), (at) =>
        unfit(`Field validation failed: missing required field "${at}"`),
      ),
    requiredOr: (missing, doc, words) => field(true, told(json, doc, words), () => missing),
    optional,
    default: (value, doc, words) =>
      field(false, { default: standard(value), ...told(json, doc, words) }, () => value),
    alias: (of) => ({ ...optional(`Same as \`${of}\`.`), alias: of }),
  };
}
/** What a field's schema says besides its type. */
const told = (
  { items }: Readonly<Record<string, unknown>>,
  description: string,
  words?: Words,
): Readonly<Record<string, unknown>> => ({
  description,
  ...(words === undefined
    ? {}
    : typeof items === "object"
      ? { items: { ...items, enum: words } }
      : { enum: words }),
});

const printing =
  <T>(print: NonNullable<Field<T>["print"]>): NonNullable<Field<T | undefined>["print"]> =>
  (value, ...how) =>
    value === undefined || value === null ? value : print(value, ...how);

function named<T>(read: Read<T>, raw: unknown, at: string): T {
  try {
    return read(raw);
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    throw new CaError(
      "invalid_field",
      `Field validation failed: error converting input for field "${at}": ${error.message}`,
    );
  }
}

type Sameness = <F extends { readonly json: object }>(field: F) => F;
const changed = <T>(of: FieldKind<T>, more: Sameness): FieldKind<T> => ({
  required: (...said) => more(of.required(...said)),
  requiredOr: (...said) => more(of.requiredOr(...said)),
  optional: (...said) => more(of.optional(...said)),
  default: (...said) => more(of.default(...said)),
  alias: (...said) => more(of.alias(...said)),
});
/** The same fields, of which a schema tells more than their kind: they are read as before. */
export const describedBy = <T>(
  of: FieldKind<T>,
  schema: Readonly<Record<string, unknown>>,
): FieldKind<T> => changed(of, (field) => ({ ...field, json: { ...field.json, ...schema } }));
/** The same fields, whose values have a normal form: they are read as before. */
export const formed = <T>(of: FieldKind<T>, form: (read: T) => unknown): FieldKind<T> =>
  changed(of, (field) => ({ ...field, form }));
