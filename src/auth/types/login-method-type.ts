/**
 * A type of login method. The replies of its paths are defined in `endpoints.ts` in the folder of
 * that type.
 */
export interface LoginMethodType {
  /** Value of `type` where a method is enabled; accessors hold it. */
  readonly type: string;
  /** The type whose endpoints it has, where it is another name for that. */
  readonly like?: string;
  /** Title and text of its area in the documentation. */
  readonly title: string;
  readonly about: string;
  /** Prefixes, or whole keys, of the rows that a method of the type has, below the method. */
  readonly rows: Readonly<Record<string, string>>;
  /** Kinds of its jobs in the store `sys`. */
  readonly jobs?: readonly string[];
}
