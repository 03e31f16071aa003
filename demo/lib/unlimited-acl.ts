import type { Acl } from "./acl.ts";

const everything = ["create", "read", "update", "patch", "delete", "list", "sudo"];

/**
 * Reports whether rules grant every capability on all paths for which there is no other rule, as
 * `path "*"` does.
 */
export const isUnlimited = ({ root, glob_paths }: Acl): boolean =>
  root || everything.every((one) => glob_paths[""]?.capabilities.includes(one));
