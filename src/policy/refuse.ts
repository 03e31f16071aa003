import { CaError } from "../base/errors.ts";

/** Refuses the text of a policy with the line and the reason. */
export const refusePolicy = (line: number, why: string): never => {
  throw new CaError("malformed", `failed to parse policy: line ${line}: ${why}`);
};
