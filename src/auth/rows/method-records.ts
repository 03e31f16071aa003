import { type MountConfig, type MountRow, storedMount } from "../../engine/mount-records.ts";

/** Settings of a login method. */
export interface MethodConfig extends MountConfig {
  /** Type of tokens if a role sets none; default `default-service`. */
  readonly token_type?: string;
}
/** A login method below `/v1/auth`, in the store `sys`. */
export interface MethodRow extends Omit<MountRow, "config"> {
  readonly config: MethodConfig;
}

/** Reads the row of a method, which is that of a mount with one more optional setting. */
export const storedMethod = (value: unknown): MethodRow => storedMount(value);

/** Prefixes of the keys of methods, and of the rows that belong to them. */
export const belowMethods = { rows: "method/", data: "methoddata/" } as const;
/** Keys of these rows in the store `sys`. */
export const methodKeys = {
  method: (path: string) => `${belowMethods.rows}${path}`,
  /** Key of a row that belongs to a method. */
  data: (uuid: string, rest: string) => `${belowMethods.data}${uuid}/${rest}`,
} as const;
