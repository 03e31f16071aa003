import { CaError } from "../../base/errors.ts";

/** Refusal of all calls of a mount whose restore has not come to its end. */
export const beingRestored = (path: string): CaError =>
  new CaError(
    "storage",
    `the mount ${path}/ is being restored: send the remaining parts of the backup, begin again with the first part, or delete the mount`,
  );
