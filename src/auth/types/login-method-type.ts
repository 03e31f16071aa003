/**
 * A type of login method. The replies of its paths are defined in `endpoints.ts` in the folder of
 * that type.
 */
export interface LoginMethodType {
  /** Value of `type` when a method is enabled; part of accessors. */
  readonly type: string;
  /** The type whose endpoints it has, if it is an alias. */
  readonly like?: string;
  /** Title and text of its area in the documentation. */
  readonly title: string;
  readonly about: string;
  /** Prefixes or keys of the rows of a method, below the method. */
  readonly rows: Readonly<Record<string, string>>;
  /** Sealed members of its rows, by row. */
  readonly sealed?: Readonly<Record<string, readonly string[]>>;
  /** Kinds of its jobs in the store `sys`. */
  readonly jobs?: readonly string[];
}
