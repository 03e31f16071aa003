import type { StoreContext } from "../../engine/store-context.ts";

/** Settings of the variables API. */
export interface VarsSettings {
  /**
   * Token of the first user. If absent, the user has no token, and only the owner of this process
   * may act as this user.
   */
  readonly token?: string;
  /** `/vars` requires `description` and `attributes` as documented; default true. */
  readonly strict?: boolean;
  /**
   * Requests per second and principal; default 0 = unlimited. Less than 4 counts as 4, because
   * clients derive their burst from it.
   */
  readonly rateLimit?: number;
  /**
   * Spelling of a provisioning variable's category in replies: as written (`echo`, the default), or
   * fixed.
   */
  readonly categorySpelling?: "echo" | "iac" | "terraform";
}

/** Returns the settings of the variables API, or its defaults. */
export const settingsOf = ({ features }: StoreContext): VarsSettings =>
  // the type of the option of createCa
  features["vars"] ?? {};
