import { expect, it } from "vitest";
import { challengeTypes } from "../../../../demo/lib/challenge-types.ts";
import { proofOf as shownProofOf } from "../../../../demo/routes/acme/challenge-proof.ts";
import type { AcmeClient } from "../../../../demo/routes/acme/client.ts";
import { findNetworkChallenge } from "../../../../src/acme/validation/challenge-table.ts";
import { proofOf } from "../../../../src/acme/validation/proof.ts";

const url = "https://ca.example/acct/123";
const thumbprint = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs";
const accountHashPrefix = "https://ca.example/account-hash/";
const issuerDomainNames = ["authority.example"];

const client: Pick<AcmeClient, "account" | "directory" | "keyAuthorization"> = {
  account: () => ({ url, thumbprint }),
  directory: async () => ({
    newNonce: "",
    newAccount: "",
    newOrder: "",
    revokeCert: "",
    meta: { accountHashPrefix },
  }),
  keyAuthorization: (token) => `${token}.${thumbprint}`,
};

it.each([
  ...Object.keys(challengeTypes).map((type) => [type, "dns", "a.example"] as const),
  ["http-01", "ip", "2001:db8::1"],
  ["tls-alpn-01", "ip", "2001:db8::1"],
] as const)(
  "the try-out shows the location and the content that the server expects for %s of the %s %s",
  async (type, kind, value) => {
    const proof = await proofOf("token", thumbprint, {
      accountUrl: url,
      accountHashPrefix,
      issuerDomainNames,
    });
    const question = findNetworkChallenge(type)?.question(value, proof, {
      httpPort: 80,
      tlsPort: 443,
    });
    const authorization = {
      identifier: { type: kind, value },
      status: "pending",
      challenges: [],
    };
    const shown = await shownProofOf(
      { client, authorization },
      { type, url: "", status: "pending", token: "token", issuerDomainNames },
    );
    expect(shown).toMatchObject({ where: question?.asked, what: question?.expected });
  },
);
