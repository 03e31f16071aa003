/** A type of login method. `endpoints.ts` in the folder of the type declares its endpoints. */
export interface LoginMethodType {
  /**
   * Value of `type` in a request that enables a method of this type. Accessors contain the value.
   */
  readonly type: string;
  /** For an alias, the type to which the alias refers. */
  readonly like?: string;
  /** Title and description of the type in the documentation. */
  readonly title: string;
  readonly about: string;
  /** Keys, or prefixes of keys, of a method's rows, relative to the method. */
  readonly rows: Readonly<Record<string, string>>;
  /** Names of the sealed members of a method's rows, by row. */
  readonly sealed?: Readonly<Record<string, readonly string[]>>;
  /** Kinds of the type's jobs in the `sys` store. */
  readonly jobs?: readonly string[];
}
