import { expect, it } from "vitest";
import { problemTypeOf } from "../../src/acme/protocol/problem.ts";
import { refusals, type Refusal } from "../../src/base/errors.ts";

/** The error types of RFC 8555 section 6.7, RFC 9773 and drafts that the server uses. */
const used = [
  "accountDoesNotExist",
  "alreadyReplaced",
  "alreadyRevoked",
  "badAttestationStatement",
  "badCSR",
  "badNonce",
  "badPublicKey",
  "badRevocationReason",
  "badSignatureAlgorithm",
  "compound",
  "connection",
  "dns",
  "externalAccountRequired",
  "incorrectResponse",
  "invalidContact",
  "invalidProfile",
  "malformed",
  "orderNotReady",
  "rateLimited",
  "rejectedIdentifier",
  "serverInternal",
  "tls",
  "unauthorized",
  "unsupportedContact",
  "unsupportedIdentifier",
  "userActionRequired",
];

it("the codes of errors have the error types of ACME that the server uses, and no others", () => {
  // the codes are the keys of an object literal
  const codes = Object.keys(refusals) as readonly Refusal[];
  expect([...new Set(codes.map(problemTypeOf))].toSorted()).toEqual(used);
});
