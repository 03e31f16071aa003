import { rfc3339 } from "../../base/duration.ts";
import type { AcmeChallenge } from "../rows/records.ts";
import { storedProblem } from "./problem.ts";

/** Time in ms after which the claim of an interrupted request is ignored. */
export const claimTime = 30_000;
/**
 * Reports whether a request is verifying the response to a challenge at a time in Unix ms. Ignores
 * a claim that expires too far in the future: the clock that set it was ahead.
 */
export const isClaimed = ({ status, claim }: AcmeChallenge, now: number): boolean =>
  status === "pending" &&
  claim !== undefined &&
  claim.until_ms > now &&
  claim.until_ms <= now + 2 * claimTime;

/**
 * Returns a challenge object (B 5.10) of the authorization `id`, at a time in Unix ms. `url`
 * returns the URL of a path under the directory. `members` contains additional members that the
 * challenge type defines.
 */
export function challengeObject(
  id: string,
  challenge: AcmeChallenge,
  {
    url,
    now,
    members = {},
  }: {
    readonly url: (suffix: string) => string;
    readonly now: number;
    readonly members?: Readonly<Record<string, unknown>> | undefined;
  },
) {
  const { type, token, status, validated, error } = challenge;
  return {
    type,
    url: url(`/challenge/${id}/${type}`),
    status: isClaimed(challenge, now) ? "processing" : status,
    ...(token === "" ? {} : { token }),
    ...members,
    ...(validated === undefined ? {} : { validated: rfc3339(validated) }),
    ...(error === undefined ? {} : { error: storedProblem(error) }),
  };
}
