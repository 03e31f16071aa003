import { CaError } from "../base/errors.ts";
import type { Field } from "./field-type.ts";
import { unfit, type Read } from "./read-value.ts";

/** Fields of one kind: how much a caller must say. */
export interface FieldKind<T> {
  required(doc: string): Field<T, true>;
  /**
   * Demanded of callers; what is missing reads as `missing`, which the handler refuses in words of
   * its own.
   */
  requiredOr(missing: T, doc: string): Field<T, true>;
  optional(doc: string): Field<T | undefined, false>;
  default(value: T, doc: string): Field<T, false>;
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
  return {
    required: (description) =>
      field(true, { description }, (at) =>
        unfit(`Field validation failed: missing required field "${at}"`),
      ),
    requiredOr: (missing, description) => field(true, { description }, () => missing),
    optional: (description) => field(false, { description }, () => undefined),
    default: (value, description) =>
      field(false, { default: standard(value), description }, () => value),
  };
}

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
