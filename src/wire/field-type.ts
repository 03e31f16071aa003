import type { Dialect } from "./dialect.ts";

/** One declared value: how to read it from the wire, how to print it, and how to describe it. */
export interface Field<T, Required extends boolean = boolean> {
  readonly required: Required;
  /** Never logged. */
  readonly secret?: boolean;
  /** The member of the same shape that this is another name of. */
  readonly alias?: string;
  /** JSON Schema of the value. */
  readonly json: Readonly<Record<string, unknown>>;
  /**
   * Reads a wire value; `undefined` stands for a member that was not sent. Throws
   * `CaError("invalid_field")` that names `at`.
   */
  parse(raw: unknown, at: string): T;
  /**
   * The normal form of what was read, one for all its spellings, by which policies judge it. Where
   * a handler stores another text than was sent, it is the one that it stores.
   */
  form?(read: T): unknown;
  /** The value in a reply, where a dialect prints it differently; `sent`: the request. */
  print?(value: T, dialect: Dialect, sent: Readonly<Record<string, unknown>>): unknown;
  /** Members of the request by which it is printed. */
  readonly printedBy?: readonly string[];
}
/** The fields of a body or a reply by name. */
export type Shape = Readonly<Record<string, Field<unknown>>>;
type Flat<T> = { [K in keyof T]: T[K] } & {};
type Optional<S extends Shape> = {
  [K in keyof S]: S[K] extends Field<infer T> ? (undefined extends T ? K : never) : never;
}[keyof S];
/** The values that a shape yields. */
export type Parsed<S extends Shape> = Flat<
  { readonly [K in Exclude<keyof S, Optional<S>>]: S[K] extends Field<infer T> ? T : never } & {
    readonly [K in Optional<S>]?: S[K] extends Field<infer T> ? T : never;
  }
>;
/** What a caller may send: required fields must be there, the others may be left out. */
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
