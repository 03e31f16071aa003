import { CaError } from "../base/errors.ts";

/**
 * Throws the error for a policy text that cannot be parsed, with the line number and the reason.
 */
export const refusePolicy = (line: number, why: string): never => {
  throw new CaError("malformed", `failed to parse policy: line ${line}: ${why}`);
};
