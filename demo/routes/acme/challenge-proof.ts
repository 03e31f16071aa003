import { fromBase64Url, toHex } from "../../../src/base/bytes.ts";
import { accountRecordName, persistentRecord } from "./account-records.ts";
import {
  digestOf,
  type AcmeClient,
  type AuthorizationObject,
  type ChallengeObject,
} from "./client.ts";
import { findChallengeType, type ProofSource } from "../../lib/challenge-types.ts";

/** The proof that a challenge requires: where to publish it, and the expected content. */
interface Proof {
  readonly where: string;
  readonly what: string;
  readonly about: string;
}

/** An authorization and the client of its account. */
interface OpenAuthorization {
  readonly client: Pick<AcmeClient, "account" | "directory" | "keyAuthorization">;
  readonly authorization: AuthorizationObject;
}

/**
 * Returns the proof that must exist before the server validates the challenge. Returns undefined if
 * the console does not know the challenge type.
 */
export async function proofOf(
  { client, authorization }: OpenAuthorization,
  { type, token = "", issuerDomainNames: [issuer = ""] = [] }: ChallengeObject,
): Promise<Proof | undefined> {
  const { value: name } = authorization.identifier;
  const keyAuthorization = (): string => client.keyAuthorization(token);
  const digest = (): Promise<string> => digestOf(keyAuthorization());
  const source: ProofSource = {
    name,
    token,
    keyAuthorization,
    digest,
    hexDigest: async () => toHex(fromBase64Url(await digest()) ?? new Uint8Array()),
    accountRecordName: () => accountRecordName(name, client.account()),
    persistentRecord: async () =>
      persistentRecord(
        {
          domain: name,
          issuer,
          hashPrefix: (await client.directory()).meta?.accountHashPrefix ?? "",
          isWildcard: authorization.wildcard === true,
        },
        client.account(),
      ),
  };
  const known = findChallengeType(type);
  return known && { ...(await known.proof(source)), about: known.instruction };
}
