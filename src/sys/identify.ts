import { CaError } from "../base/errors.ts";
import type { Identity } from "../engine/ports.ts";
import type { Unit } from "../engine/unit.ts";

/** Longest token that is looked at. */
const longestToken = 8192;

/**
 * Who holds a token, as the unit `sys` knows: it asks `Ports`. Nothing else authenticates calls
 * below `/v1`. Throws `header_too_large`.
 */
export async function identify(
  { ports }: Unit,
  token: string | undefined,
): Promise<Identity | undefined> {
  if (token === undefined || token === "") return undefined;
  if (token.length > longestToken)
    throw new CaError("header_too_large", `the token is longer than ${longestToken} bytes`);
  return ports.authenticate(token);
}
