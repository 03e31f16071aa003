import { CaError } from "../../base/errors.ts";
import { causeSuffix } from "../../net/failure.ts";
import type { ChallengeType } from "./challenge-type.ts";
import { digestText, sameText } from "./proof.ts";

/** Timeout of DNS queries, ms (B 5.10). */
const limit = 30_000;

/** Returns the name whose TXT records prove control of a name (RFC 8555 section 8.4). */
const recordName = (name: string): string => `_acme-challenge.${name}`;

/**
 * dns-01: a TXT record contains the digest (RFC 8555 section 8.4, B 5.10, security row 41). Fails
 * with `dns` if the query failed, and with `incorrect_response` if no record matches.
 */
export const dns01: ChallengeType<"dns-01"> = {
  name: "dns-01",
  isOfferedFor: ({ type }) => type === "dns",
  question: (name, proof) => ({ asked: recordName(name), expected: digestText(proof) }),
  needsConnection: false,
  async validate(name, proof, { resolve, timeout }, signal) {
    const queried = recordName(name);
    const soon = AbortSignal.any([signal, timeout(limit)]);
    const records = await resolve({ name: queried, type: "TXT" }, soon).catch((cause: unknown) => {
      signal.throwIfAborted();
      const what = `cannot query the TXT records of ${queried}${causeSuffix(cause)}`;
      throw new CaError("dns", what, { cause });
    });
    if (records.length === 0) throw new CaError("dns", `DNS has no TXT record for ${queried}`);
    const expected = digestText(proof);
    // compares all of them, so that timing does not reveal which one is right
    const right = records.filter((record) => sameText(record, expected));
    if (right.length === 0)
      throw new CaError(
        "incorrect_response",
        records.length === 1
          ? `the TXT record of ${queried} is not the expected one`
          : `none of the ${records.length} TXT records of ${queried} is the expected one`,
      );
  },
};
