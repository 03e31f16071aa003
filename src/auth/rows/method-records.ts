import { type MountConfig, type MountRow, storedMount } from "../../engine/mount-records.ts";

/** Settings of a login method. */
export interface MethodConfig extends MountConfig {
  /** Token type for roles that do not set one. The default is `default-service`. */
  readonly token_type?: string;
}
/** A login method under `/v1/auth`, stored in `sys`. */
export interface MethodRow extends Omit<MountRow, "config"> {
  readonly config: MethodConfig;
}

/**
 * Parses the row of a login method, which has the format of a mount's row and one additional
 * optional setting.
 */
export const storedMethod = (value: unknown): MethodRow => storedMount(value);

/** Key prefixes of login methods and the rows that belong to them. */
export const belowMethods = { rows: "method/", data: "methoddata/" } as const;
/** Keys of login methods and their rows in the `sys` store. */
export const methodKeys = {
  method: (path: string) => `${belowMethods.rows}${path}`,
  /** Key of a row that belongs to a login method. */
  data: (uuid: string, rest: string) => `${belowMethods.data}${uuid}/${rest}`,
} as const;
