import { expect, it } from "vitest";
import {
  accountRecordName,
  persistentRecord,
} from "../../../../demo/routes/acme/account-records.ts";
import { findNetworkChallenge } from "../../../../src/acme/validation/challenge-table.ts";
import { proofOf } from "../../../../src/acme/validation/proof.ts";

const ports = { httpPort: 80, tlsPort: 443 };
const account = {
  url: "https://ca.example/acct/123",
  thumbprint: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
};
const directory = {
  issuerDomainNames: ["authority.example"],
  accountHashPrefix: "https://ca.example/account-hash/",
};

it("the ACME try-out shows the dns-account-01 record that the server queries", async () => {
  const proof = await proofOf("token", account.thumbprint, { accountUrl: account.url });
  const question = findNetworkChallenge("dns-account-01")?.question("a.example", proof, ports);
  expect(await accountRecordName("a.example", account)).toBe(question?.asked);
});

it.each([false, true])(
  "the ACME try-out shows the dns-persist-01 record that the server accepts, wildcard: %j",
  async (isWildcard) => {
    const proof = await proofOf("", "", {
      accountUrl: account.url,
      thumbprints: [account.thumbprint],
      ...directory,
      isWildcard,
    });
    const question = findNetworkChallenge("dns-persist-01")?.question("a.example", proof, ports);
    const of = {
      domain: "a.example",
      issuer: "authority.example",
      hashPrefix: directory.accountHashPrefix,
      isWildcard,
    };
    expect(await persistentRecord(of, account)).toBe(question?.expected);
  },
);
