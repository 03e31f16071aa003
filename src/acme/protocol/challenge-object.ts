import { rfc3339 } from "../../base/duration.ts";
import type { AcmeChallenge, AcmeError } from "../rows/records.ts";
import { errorPrefix, withoutQuotes } from "./style.ts";

/**
 * A challenge as an answer shows it (B 5.10): of the authorization `id`; `url` spells an address
 * below the directory.
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
    ...(error === undefined ? {} : { error: problemOf(error) }),
  };
}
const problemOf = ({
  type,
  detail,
  subproblems,
}: AcmeError): Readonly<Record<string, unknown>> => ({
  type: errorPrefix + type,
  detail: withoutQuotes(detail),
  ...(subproblems?.length ? { subproblems: subproblems.map(problemOf) } : {}),
});
