import type { Dialect } from "./dialect.ts";

/** A declared value: how to parse, serialize and describe it. */
export interface Field<T, Required extends boolean = boolean> {
  readonly required: Required;
  /** Whether the value must never be logged. */
  readonly secret?: boolean;
  /** Name of the member, in the same shape, for which this field is an alias. */
  readonly alias?: string;
  /** JSON Schema of the value. */
  readonly json: Readonly<Record<string, unknown>>;
  /**
   * Parses a raw value, which is undefined if the member is absent. Throws CaError `invalid_field`
   * with a message that contains `at`.
   */
  parse(raw: unknown, at: string): T;
  /**
   * Returns the normal form of a parsed value. Policies compare this form. If handlers do not store
   * a string as sent, this is the stored string.
   */
  form?(read: T): unknown;
  /**
   * Converts the value for a response, if dialects differ. Absent values and null are not
   * converted. `sent` contains the members of the request.
   */
  print?(value: T, dialect: Dialect, sent: Readonly<Record<string, unknown>>): unknown;
  /** Names of the request members that affect `print`. */
  readonly printedBy?: readonly string[];
}
/** The fields of a request body or a response, by name. */
export type Shape = Readonly<Record<string, Field<unknown>>>;
type Flat<T> = { [K in keyof T]: T[K] } & {};
type Optional<S extends Shape> = {
  [K in keyof S]: S[K] extends Field<infer T> ? (undefined extends T ? K : never) : never;
}[keyof S];
/** The parsed values of a shape. */
export type Parsed<S extends Shape> = Flat<
  { readonly [K in Exclude<keyof S, Optional<S>>]: S[K] extends Field<infer T> ? T : never } & {
    readonly [K in Optional<S>]?: S[K] extends Field<infer T> ? T : never;
  }
>;
/** The values that a caller sends. Only required fields must be present. */
export type Sent<S extends Shape> = Flat<
  { readonly [K in keyof S as S[K]["required"] extends true ? K : never]: Wire<S[K]> } & {
    readonly [K in keyof S as S[K]["required"] extends true ? never : K]?: Wire<S[K]> | undefined;
  }
>;
type Wire<F> =
  F extends Field<infer T>
    ? NonNullable<T> extends readonly string[]
      ? string | readonly string[]
      : NonNullable<T> extends number
        ? number | string
        : NonNullable<T>
    : never;
