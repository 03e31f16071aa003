import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { checkDer } from "../../src/base/der.ts";
import {
  assembleSigned,
  certificateNames,
  encodeTbsCertificate,
  isCa,
  parseCertificate,
} from "../../src/x509/certificate.ts";
import { encodeRevokedEntry, encodeTbsCrl, eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { encodeCsrInfo, parseCsr } from "../../src/x509/csr.ts";
import { describeCertificate } from "../../src/describe/describe.ts";
import { encodeCertId, encodeOcspRequest, parseOcspRequest } from "../../src/x509/ocsp-request.ts";
import {
  parseOcspResponse,
  encodeOcspResponse,
  encodeResponderCertificates,
  encodeResponseData,
} from "../../src/x509/ocsp-response.ts";
import * as extension from "./extensions.ts";
import {
  readAuthorityInfoAccess,
  readCrlDistributionPoints,
} from "../../src/x509/distribution-points.ts";
import { checkPublicKey, parsePublicKey } from "../../src/x509/public-key.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../src/x509/key-identifiers.ts";
import { readBasicConstraints } from "../../src/x509/basic-constraints.ts";
import { readCertificatePolicies } from "../../src/x509/policies.ts";
import { readExtKeyUsage, readKeyUsage } from "../../src/x509/usage.ts";
import { readNameConstraints } from "../../src/x509/name-constraints.ts";
import { readCrlNumber } from "../support/crl-number.ts";
import { encodeName, parseName } from "../../src/x509/name.ts";
import { encodeSan, noNames, parseSan } from "../../src/x509/san.ts";
import { commonName, defined, makeCa, makeCsr, makeKey } from "./fixture.ts";
import { attempt, mutated } from "./mutated.ts";

const names = {
  ...noNames,
  dns: ["www.example.com"],
  email: ["me@example.com"],
  ip: ["192.0.2.1", "2001:db8::1"],
  uri: ["https://a/"],
  other: [{ oid: "1.2.3", value: "x" }],
};
const signer = await makeKey("P-256");
const many = defined([
  extension.extKeyUsage(["1.3.6.1.5.5.7.3.1"]),
  extension.authorityInfoAccess(["http://o"], ["http://i"]),
  extension.subjectAltName(names, false),
  extension.certificatePolicies(["1.2.3", { oid: "1.2.4", cps: "https://cps", notice: "n" }]),
  extension.nameConstraints({
    permitted: { dns: ["a"], ip: ["10.0.0.0/8"] },
    excluded: { email: ["b"], uri: ["c"] },
  }),
  extension.crlDistributionPoints(["http://c"]),
]);
const { der: certificate, fields } = await makeCa(signer, { extensions: many });
const csr = await makeCsr(signer, commonName("www.example.com"), many);
const entries = [1, 2, 3].map((n) =>
  encodeRevokedEntry({ serial: Uint8Array.of(n, 0x80), revokedAt: 1790000000 + n, reason: n }),
);
const tbsCrl = encodeTbsCrl({
  ...fields,
  thisUpdate: 1790000000,
  nextUpdate: 1790000001,
  pages: entries,
  extensions: [extension.crlNumber(1)],
});
const crl = assembleSigned(tbsCrl, fields.algorithm, await signer.sign(tbsCrl));

const certId = await encodeCertId("SHA-256", parseCertificate(certificate), Uint8Array.of(9));
const ocspRequest = encodeOcspRequest([certId, certId], new Uint8Array(16).fill(5));
const tbsAnswers = encodeResponseData({
  responder: { name: parseCertificate(certificate).subject },
  producedAt: 1790000000,
  nextUpdate: 1790000001,
  responses: [
    { certId, status: "good" },
    { certId, status: { revokedAt: 1790000000, reason: 4 } },
  ],
  nonce: new Uint8Array(16).fill(5),
});
const ocspResponse = encodeOcspResponse(
  assembleSigned(
    tbsAnswers,
    fields.algorithm,
    await signer.sign(tbsAnswers),
    encodeResponderCertificates([certificate]),
  ),
);

const readers = [
  readKeyUsage,
  readExtKeyUsage,
  readBasicConstraints,
  readSubjectKeyIdentifier,
  readAuthorityKeyIdentifier,
  readAuthorityInfoAccess,
  readNameConstraints,
  readCrlDistributionPoints,
  readCertificatePolicies,
  readCrlNumber,
  parseSan,
  parseName,
  parsePublicKey,
  parseCertificate,
  parseCsr,
  parseCrl,
  parseOcspRequest,
  parseOcspResponse,
  describeCertificate,
];

const newSeed = Date.now() & 0x7fffffff;
describe.each([
  ["fixed", 73, 200],
  ["new", newSeed, 50],
])("with the %s seed %i", (_, seed, numRuns) => {
  it("a mutated certificate is rejected, or re-encoded to the same bytes", () => {
    fc.assert(
      fc.property(mutated(certificate), (der) => {
        const parsed = attempt(() => parseCertificate(der));
        if (!parsed) return;
        attempt(() => describeCertificate(der));
        attempt(() => certificateNames(parsed));
        attempt(() => isCa(parsed));
        attempt(() => checkPublicKey(parsePublicKey(parsed.spki)));
        if (parsed.version !== 3) return;
        expect(encodeTbsCertificate(parsed)).toEqual(parsed.tbs);
        expect(assembleSigned(parsed.tbs, parsed.algorithm, parsed.signature)).toEqual(der);
      }),
      { seed, numRuns },
    );
  });

  it("a mutated CSR is rejected, or re-encoded to the same bytes", () => {
    fc.assert(
      fc.property(mutated(csr), (der) => {
        const parsed = attempt(() => parseCsr(der));
        if (parsed && parsed.extensions.length > 0)
          expect(encodeCsrInfo(parsed)).toEqual(parsed.info);
      }),
      { seed, numRuns },
    );
  });

  it("a mutated CRL is rejected, or re-encoded to the same bytes", () => {
    fc.assert(
      fc.property(mutated(crl), (der) => {
        const parsed = attempt(() => parseCrl(der));
        if (!parsed?.nextUpdate) return;
        expect(
          encodeTbsCrl({ ...parsed, nextUpdate: parsed.nextUpdate, pages: [parsed.entries] }),
        ).toEqual(parsed.tbs);
        attempt(() => [...eachRevoked(parsed)]);
      }),
      { seed, numRuns },
    );
  });

  it("a mutated OCSP request is rejected, or parsed the same after re-encoding", () => {
    fc.assert(
      fc.property(mutated(ocspRequest), (der) => {
        const parsed = attempt(() => parseOcspRequest(der));
        if (!parsed) return;
        const again = encodeOcspRequest(
          parsed.certIds.map((one) => one.der),
          parsed.nonce,
        );
        expect(parseOcspRequest(again)).toEqual(parsed);
      }),
      { seed, numRuns },
    );
  });

  it("a mutated OCSP response is rejected, or parsed the same after re-encoding", () => {
    fc.assert(
      fc.property(mutated(ocspResponse), (der) => {
        const parsed = attempt(() => parseOcspResponse(der));
        if (!parsed || "failure" in parsed) return;
        const { tbs, algorithm, signature, certificates } = parsed;
        const after = encodeResponderCertificates(certificates);
        const whole = encodeOcspResponse(assembleSigned(tbs, algorithm, signature, after));
        expect(parseOcspResponse(whole)).toEqual(parsed);
      }),
      { seed, numRuns },
    );
  });

  it("every parser returns a value or throws a CaError for random bytes and mutated values", () => {
    const parts = [
      encodeSan(names),
      encodeName(commonName("a")),
      signer.key.spki,
      ...fields.extensions.map(({ value }) => value),
    ].map(mutated);
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), ...parts), (bytes) => {
        attempt(() => checkDer(bytes, "test"));
        for (const read of readers) attempt<unknown>(() => read(bytes));
      }),
      { seed, numRuns },
    );
  });

  it("a mutated SAN is rejected, or parsed the same after re-encoding", () => {
    fc.assert(
      fc.property(mutated(encodeSan(names)), (der) => {
        const parsed = attempt(() => parseSan(der));
        if (!parsed) return;
        const again = parseSan(encodeSan(parsed));
        expect({ ...again, unreadable: parsed.unreadable }).toEqual(parsed);
      }),
      { seed, numRuns },
    );
  });
});
