import { rfc3339 } from "../../base/duration.ts";
import type { AcmeChallenge } from "../rows/records.ts";
import { storedProblem } from "./problem.ts";

/**
 * Returns a challenge object (B 5.10) of the authorization `id`; `url` returns URLs below the
 * directory.
 */
export function challengeObject(
  id: string,
  { type, token, status, validated, error }: AcmeChallenge,
  url: (suffix: string) => string,
) {
  return {
    type,
    url: url(`/challenge/${id}/${type}`),
    status,
    token,
    ...(validated === undefined ? {} : { validated: rfc3339(validated) }),
    ...(error === undefined ? {} : { error: storedProblem(error) }),
  };
}
