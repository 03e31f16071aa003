import { CaError } from "../../base/errors.ts";

/** Returns the error for requests to a mount that is being restored. */
export const beingRestored = (path: string): CaError =>
  new CaError(
    "storage",
    `the mount ${path}/ is being restored: send the remaining parts of the backup, start again with the first part, or delete the mount`,
  );
