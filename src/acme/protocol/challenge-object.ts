import { rfc3339 } from "../../base/duration.ts";
import type { AcmeChallenge } from "../rows/records.ts";
import { storedProblem } from "./problem.ts";

/**
 * Returns a challenge object (B 5.10) of the authorization `id`; `url` returns URLs below the
 * directory. `members`: further ones, of its type.
 */
export function challengeObject(
  id: string,
  { type, token, status, validated, error }: AcmeChallenge,
  {
    url,
    members = {},
  }: {
    readonly url: (suffix: string) => string;
    readonly members?: Readonly<Record<string, unknown>> | undefined;
  },
) {
  return {
    type,
    url: url(`/challenge/${id}/${type}`),
    status,
    ...(token === "" ? {} : { token }),
    ...members,
    ...(validated === undefined ? {} : { validated: rfc3339(validated) }),
    ...(error === undefined ? {} : { error: storedProblem(error) }),
  };
}
