import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { challengeTypes, findNetworkChallenge } from "../../src/acme/validation/challenge-table.ts";
import { proofOf } from "../../src/acme/validation/proof.ts";
import { root } from "../support/syntax.ts";

const ports = { httpPort: 80, tlsPort: 443 };
/** Test vectors of the drafts: the account URLs and the thumbprint in their examples. */
const labelled = await proofOf("token", "thumbprint", {
  accountUrl: "https://example.com/acme/acct/ExampleAccount",
});
const persistent = {
  accountUrl: "https://ca.example/acct/123",
  thumbprints: ["NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"],
  issuerDomainNames: ["authority.example", "ca.example.net"],
  accountHashPrefix: "https://ca.example/account-hash/",
};
const proof = await proofOf("token", "thumbprint");
/** SHA-256 of `token.thumbprint`. */
const [hex, base64Url] = [
  Buffer.from(proof.digest).toString("hex"),
  Buffer.from(proof.digest).toString("base64url"),
];

describe("the table of challenge types", () => {
  it.each([
    [
      "a name",
      { type: "dns", value: "a.example" },
      ["http-01", "dns-01", "tls-alpn-01", "dns-account-01", "dns-persist-01"],
    ],
    [
      "a wildcard",
      { type: "dns", value: "*.a.example" },
      ["dns-01", "dns-account-01", "dns-persist-01"],
    ],
    ["an address", { type: "ip", value: "8.8.4.4" }, ["http-01", "tls-alpn-01"]],
    ["a device", { type: "permanent-identifier", value: "C02" }, ["device-attest-01"]],
    ["a module", { type: "hardware-module", value: "1/1.2.3" }, ["device-attest-01"]],
  ])(
    "B 5.10 challenge types: offers for %s the types that can prove it, in order",
    (_, identifier, names) => {
      const offered = challengeTypes.filter((type) => type.isOfferedFor(identifier));
      expect(offered.map(({ name }) => name)).toEqual(names);
    },
  );

  it.each([
    [
      "http-01",
      "a.example",
      "http://a.example/.well-known/acme-challenge/token",
      "token.thumbprint",
    ],
    [
      "http-01",
      "2001:db8::1",
      "http://[2001:db8::1]/.well-known/acme-challenge/token",
      "token.thumbprint",
    ],
    ["dns-01", "a.example", "_acme-challenge.a.example", base64Url],
    ["tls-alpn-01", "a.example", "a.example:443", hex],
    ["tls-alpn-01", "2001:db8::1", "[2001:db8::1]:443", hex],
  ])(
    "a host that validates %s of %s itself gets the request %s and the expected response",
    (type, name, asked, expected) => {
      expect(findNetworkChallenge(type)?.question(name, proof, ports)).toEqual({ asked, expected });
    },
  );

  it("derives the record of dns-account-01 from the account URL (draft-ietf-acme-dns-account-label-03)", () => {
    expect(
      findNetworkChallenge("dns-account-01")?.question("example.org", labelled, ports),
    ).toEqual({
      asked: "_ujmmovf2vn55tgye._acme-challenge.example.org",
      expected: base64Url,
    });
  });

  it.each([
    [false, "5SQm7n6tPh2-PlLbCKGnViTXX5z19SCN4cPGQHSk-kw"],
    [true, "5SQm7n6tPh2-PlLbCKGnViTXX5z19SCN4cPGQHSk-kw; policy=wildcard"],
  ])(
    "derives the record of dns-persist-01 from account, key and domain, wildcard: %j (draft-ietf-acme-dns-persist-02 section 10.2)",
    async (isWildcard, hash) => {
      const of = await proofOf("", "", { ...persistent, isWildcard });
      expect(findNetworkChallenge("dns-persist-01")?.question("example.com", of, ports)).toEqual({
        asked: "_validation-persist.example.com",
        expected: `authority.example; accounturi=https://ca.example/account-hash/sha-256/${hash}`,
      });
    },
  );

  it("contains only types that docs/acme.md lists", () => {
    const text = readFileSync(join(root, "docs/acme.md"), "utf8");
    expect(challengeTypes.filter(({ name }) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
