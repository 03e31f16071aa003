import type { StoreContext } from "../../engine/store-context.ts";

/** Settings of the variables API. */
export interface VarsSettings {
  /**
   * Token of the initial user. If absent, the user has no token, and only the program that runs the
   * library can act as this user.
   */
  readonly token?: string;
  /**
   * Whether `/vars` requires `description` and `attributes`, as its documentation says. The default
   * is true.
   */
  readonly strict?: boolean;
  /**
   * Maximum number of requests per second for each principal. The default 0 means unlimited. 1 to 3
   * count as 4, because clients derive their burst from the limit.
   */
  readonly rateLimit?: number;
  /**
   * Category name of provisioning variables in responses: the name last written (`echo`, the
   * default), or a fixed name.
   */
  readonly categorySpelling?: "echo" | "iac" | "terraform";
}

/** Returns the settings of the variables API, which may all be absent. */
export const settingsOf = ({ features }: StoreContext): VarsSettings =>
  // the option of createCa has this type
  features["vars"] ?? {};
