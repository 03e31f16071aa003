import type { Unit } from "../../engine/unit.ts";

/** Settings of the variables API. */
export interface VarsSettings {
  /**
   * Token of the first user. Absent: that user has none, and only the owner of this process may act
   * as it.
   */
  readonly token?: string;
  /**
   * `/vars` demands what its document demands of `description` and `attributes`; true unless said.
   */
  readonly strict?: boolean;
  /**
   * Requests a second and principal; 0, the default, is no limit. Less than 4 counts as 4, because
   * clients derive a burst of nothing from it.
   */
  readonly rateLimit?: number;
  /**
   * How a provisioning variable's category is spelled in answers: as it was written (`echo`, the
   * default), or always the same.
   */
  readonly categorySpelling?: "echo" | "iac" | "terraform";
}

/** The settings of the variables API; where there are none it has the defaults. */
export const settingsOf = ({ features }: Unit): VarsSettings =>
  // whoever makes an authority is given this type for them
  features["vars"] ?? {};
