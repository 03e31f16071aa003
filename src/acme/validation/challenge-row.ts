import { CaError } from "../../base/errors.ts";
import type { AcmeChallenge, AuthzRow } from "../rows/records.ts";

/** Returns the authorization's challenge of the given type. Throws `malformed` if there is none. */
export function requireChallenge({ challenges }: AuthzRow, type: string): AcmeChallenge {
  const challenge = challenges.find((one) => one.type === type);
  if (!challenge) throw new CaError("malformed", "the authorization has no challenge of this type");
  return challenge;
}
