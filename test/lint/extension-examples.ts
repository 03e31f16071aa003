import { utf8 } from "../../src/base/bytes.ts";
import { boolean, integer, nullValue, octets, oid, sequence, tlv } from "../../src/base/der.ts";
import { extensionOid as ext } from "../../src/x509/oid.ts";
import {
  ca,
  extension,
  purposes,
  rsaKey,
  spki,
  usages,
  withExtension,
  x,
  type Changes,
} from "./build.ts";
import type { Example } from "./field-examples.ts";

const zero = Uint8Array.of(0);
const usage = (value: Uint8Array): Changes => withExtension(ext.keyUsage, value, true);
const eku = (...list: readonly string[]): Changes =>
  withExtension(ext.extKeyUsage, purposes(...list));
const both = (...all: readonly Changes[]): Changes => ({
  ...Object.assign({}, ...all),
  extensions: Object.assign({}, ...all.map(({ extensions }) => extensions)),
});
const bare = (...types: readonly string[]): Changes => ({
  extensions: Object.fromEntries(types.map((type) => [type, undefined])),
});
const [any, serverAuth, clientAuth, timeStamping, ocspSigning] = [
  "2.5.29.37.0",
  "1.3.6.1.5.5.7.3.1",
  "1.3.6.1.5.5.7.3.2",
  "1.3.6.1.5.5.7.3.8",
  "1.3.6.1.5.5.7.3.9",
];
const mlDsa = spki([oid("2.16.840.1.101.3.4.3.17")], new Uint8Array(1312));
const extensions: readonly Example[] = [
  [
    "extension-repeated",
    { more: [extension(ext.keyUsage, usages.signature, true)] },
    "Key Usage occurs twice",
  ],
  [
    "extension-false-written",
    withExtension(ext.extKeyUsage, purposes(serverAuth), "false-written"),
    "Extended Key Usage encodes critical FALSE, which DER must omit",
  ],
  [
    "extensions-empty",
    bare(
      ext.keyUsage,
      ext.extKeyUsage,
      ext.basicConstraints,
      ext.subjectKeyIdentifier,
      ext.authorityKeyIdentifier,
      ext.authorityInfoAccess,
      ext.crlDistributionPoints,
      ext.subjectAltName,
    ),
    "Empty list of extensions",
  ],
  [
    "extension-unknown-critical",
    withExtension("1.2.3", nullValue, true),
    "Extension 1.2.3 is critical; clients that do not know it reject the certificate",
  ],
  [
    "extension-netscape",
    withExtension("2.16.840.1.113730.1.13", tlv(0x16, utf8("a"))),
    "Extension 2.16.840.1.113730.1.13 (Netscape), which no current client reads",
  ],
  [
    "pre-certificate-timestamps",
    both(
      withExtension(ext.ctPoison, nullValue, true),
      withExtension(ext.ctTimestamps, octets(zero)),
    ),
    "Precertificate with timestamps (SCTs), which only the final certificate has",
  ],
];
const usagesOfKeys: readonly Example[] = [
  ["key-usage-missing", bare(ext.keyUsage), "No key usage, so any use is allowed"],
  ["key-usage-empty", usage(usages.none), "Key usage without any bit set"],
  [
    "key-usage-only-without-agreement",
    usage(usages.encipherOnly),
    "Key usage EncipherOnly without KeyAgreement, which it restricts",
  ],
  [
    "key-usage-only-both",
    usage(usages.bothOnly),
    "Key usages EncipherOnly and DecipherOnly together, which exclude each other",
  ],
  [
    "key-usage-misused",
    usage(usages.encipherment),
    "Key usage KeyEncipherment: an EC key cannot encipher",
  ],
  [
    "key-usage-misused",
    both({ spki: rsaKey() }, usage(usages.agreement)),
    "Key usage KeyAgreement: an RSA key cannot be used for key agreement",
  ],
  [
    "key-usage-misused",
    both({ spki: mlDsa }, usage(usages.encipherment)),
    "Key usage KeyEncipherment: an ML-DSA key can only sign",
  ],
  [
    "key-usage-without-signing",
    both({ spki: mlDsa }, usage(usages.agreement)),
    "Key usage KeyAgreement does not allow signatures, but the key can only sign",
  ],
  [
    "ext-key-usage-empty",
    withExtension(ext.extKeyUsage, sequence()),
    "Extended key usage without purposes",
  ],
  ["ext-key-usage-repeated", eku(serverAuth, serverAuth), "Purpose ServerAuth occurs twice"],
  [
    "ext-key-usage-any",
    eku(any, serverAuth),
    "Any purpose together with ServerAuth, so the others restrict nothing",
  ],
  [
    "ext-key-usage-any-critical",
    withExtension(ext.extKeyUsage, purposes(any), true),
    "Critical extended key usage with any purpose; it should not be critical",
  ],
  [
    "ext-key-usage-inconsistent",
    both(eku(clientAuth), usage(usages.encipherment)),
    "Purpose ClientAuth with key usage KeyEncipherment; it needs DigitalSignature or KeyAgreement",
  ],
  [
    "tls-without-signature",
    usage(usages.agreement),
    "Server certificate with key usage KeyAgreement; TLS 1.3 needs DigitalSignature",
  ],
  [
    "time-stamping-alone",
    eku(timeStamping, clientAuth),
    "Purpose TimeStamping together with others; it must be the only one",
  ],
  [
    "time-stamping-critical",
    eku(timeStamping),
    "Purpose TimeStamping in an extended key usage that is not critical",
  ],
  [
    "ocsp-signing-check",
    eku(ocspSigning),
    "OCSP responder without OCSP No Check; clients may check its revocation status",
  ],
  [
    "ocsp-no-check-purpose",
    withExtension(ext.ocspNoCheck, nullValue),
    "OCSP No Check in a certificate that is not for an OCSP responder",
  ],
];
const subtree = (tag: number, value: string | Uint8Array, ...limits: Uint8Array[]): Uint8Array =>
  sequence(tlv(tag, typeof value === "string" ? utf8(value) : value), ...limits);
const constrained = (permitted: Uint8Array, excluded?: Uint8Array): Changes =>
  ca(
    withExtension(
      ext.nameConstraints,
      sequence(tlv(0xa0, permitted), excluded ? tlv(0xa1, excluded) : new Uint8Array()),
      true,
    ),
  );
const mapping = sequence(sequence(oid("1.2.3"), oid("1.2.4")));
const skipped = sequence(tlv(0x80, zero));
const authorities: readonly Example[] = [
  [
    "ca-without-cert-sign",
    ca(usage(usages.signature)),
    "CA whose key usage is DigitalSignature, without CertSign",
  ],
  ["ca-key-usage-missing", ca(bare(ext.keyUsage)), "CA without key usage; it must have CertSign"],
  [
    "cert-sign-without-ca",
    usage(usages.certAndCrl),
    "Key usage CertSign in a certificate that is not a CA",
  ],
  [
    "crl-sign-without-ca",
    usage(usages.signatureAndCrl),
    "Key usage CRLSign together with others in a certificate that is not a CA",
  ],
  [
    "basic-constraints-not-critical",
    ca(withExtension(ext.basicConstraints, sequence(boolean(true)))),
    "CA whose basic constraints are not critical",
  ],
  [
    "path-length-without-ca",
    withExtension(ext.basicConstraints, sequence(integer(2)), true),
    "Path length constraint 2 in a certificate that is not a CA",
  ],
  [
    "path-length-without-cert-sign",
    ca(
      both(
        withExtension(ext.basicConstraints, sequence(boolean(true), integer(0)), true),
        usage(usages.signature),
      ),
    ),
    "Path length constraint in a CA whose key usage lacks CertSign",
  ],
  [
    "basic-constraints-false-written",
    withExtension(ext.basicConstraints, sequence(boolean(false)), true),
    "Basic constraints encode cA FALSE, which DER must omit",
  ],
  [
    "path-length-negative",
    ca(
      withExtension(
        ext.basicConstraints,
        sequence(boolean(true), tlv(0x02, Uint8Array.of(0xff))),
        true,
      ),
    ),
    "Negative path length constraint",
  ],
  [
    "name-constraints-without-ca",
    withExtension(ext.nameConstraints, sequence(tlv(0xa0, subtree(0x82, "a.test"))), true),
    "Name Constraints in a certificate that is not a CA",
  ],
  [
    "policy-mappings-without-ca",
    withExtension(ext.policyMappings, mapping, true),
    "Policy Mappings in a certificate that is not a CA",
  ],
  [
    "policy-constraints-without-ca",
    withExtension(ext.policyConstraints, skipped, true),
    "Policy Constraints in a certificate that is not a CA",
  ],
  [
    "inhibit-any-policy-without-ca",
    withExtension(ext.inhibitAnyPolicy, integer(0), true),
    "Inhibit Any Policy in a certificate that is not a CA",
  ],
  [
    "authority-key-identifier-missing",
    bare(ext.authorityKeyIdentifier),
    "No authority key identifier",
  ],
  [
    "authority-key-identifier-empty",
    withExtension(ext.authorityKeyIdentifier, sequence()),
    "Authority key identifier without a key identifier",
  ],
  [
    "authority-key-identifier-own",
    withExtension(ext.authorityKeyIdentifier, sequence(octets(new Uint8Array(20).fill(1), 0x80))),
    "Authority and subject key identifier are equal, although the certificate is not self-issued",
  ],
  [
    "subject-key-identifier-missing-ca",
    ca(bare(ext.subjectKeyIdentifier)),
    "CA without subject key identifier",
  ],
  ["subject-key-identifier-missing", bare(ext.subjectKeyIdentifier), "No subject key identifier"],
  [
    "subject-key-identifier-long",
    withExtension(ext.subjectKeyIdentifier, octets(new Uint8Array(33))),
    "Subject key identifier of 33 octets; 20 are usual",
  ],
  [
    "name-constraints-empty",
    ca(withExtension(ext.nameConstraints, sequence(), true)),
    "Name constraints without subtrees",
  ],
  [
    "name-constraints-minimum",
    constrained(subtree(0x82, "a.test", tlv(0x80, Uint8Array.of(1)))),
    'Name constraint "a.test" with a minimum other than 0',
  ],
  [
    "name-constraints-maximum",
    constrained(subtree(0x82, "a.test", tlv(0x81, Uint8Array.of(1)))),
    'Name constraint "a.test" with a maximum, which must be absent',
  ],
  [
    "name-constraints-leading-dot",
    constrained(subtree(0x82, ".a.test")),
    'DNS name constraint ".a.test" begins with a dot, which clients read differently',
  ],
  [
    "name-constraints-wildcard",
    constrained(subtree(0x82, "*.a.test")),
    'DNS name constraint "*.a.test" contains *, which constrains nothing',
  ],
  [
    "name-constraints-uri",
    constrained(subtree(0x86, "a")),
    'URI constraint "a" is not a full domain name',
  ],
  [
    "name-constraints-address",
    constrained(subtree(0x87, new Uint8Array(4))),
    "IP constraint of 4 octets; 8 or 32 expected, an address and its mask",
  ],
  [
    "name-constraints-kind",
    constrained(subtree(0x88, Uint8Array.of(0x2a))),
    "Name constraint on registered IDs, which no client checks",
  ],
  [
    "name-constraints-contradiction",
    constrained(subtree(0x82, "a.test"), subtree(0x82, "a.test")),
    'Name constraint "a.test" is both permitted and excluded',
  ],
  [
    "policy-mapping-undeclared",
    ca(withExtension(ext.policyMappings, mapping, true)),
    "Policy 1.2.3 is mapped, but not among the certificate policies",
  ],
];
/** Encodes a policy with qualifiers. */
export const policy = (type: string, ...qualifiers: readonly Uint8Array[]): Uint8Array =>
  sequence(oid(type), qualifiers.length > 0 ? sequence(...qualifiers) : new Uint8Array());
/** Returns changes that set the certificate policies. */
export const policies = (...list: readonly Uint8Array[]): Changes =>
  withExtension(ext.certificatePolicies, sequence(...list));
/** Returns changes that set a policy with a notice. */
export const notice = (text: string, tag = 0x0c, value: Uint8Array = utf8(text)): Changes =>
  policies(policy("1.2.3", sequence(oid("1.3.6.1.5.5.7.2.2"), sequence(tlv(tag, value)))));
const policyExamples: readonly Example[] = [
  ["policy-repeated", policies(policy("1.2.3"), policy("1.2.3")), "Policy 1.2.3 occurs twice"],
  [
    "policy-any-qualifier",
    policies(policy("2.5.29.32.0", sequence(oid("1.2.9"), nullValue))),
    "Any policy with qualifier 1.2.9; only practice statements and notices are allowed",
  ],
  [
    "policy-qualifier-unknown",
    policies(policy("1.2.3", sequence(oid("1.2.9"), nullValue))),
    "Policy 1.2.3 with qualifier 1.2.9, which no client reads",
  ],
  [
    "policy-notice-reference",
    policies(
      policy(
        "1.2.3",
        sequence(
          oid("1.3.6.1.5.5.7.2.2"),
          sequence(sequence(tlv(0x0c, utf8("A")), sequence(integer(1)))),
        ),
      ),
    ),
    "Policy 1.2.3 has a notice with a reference, which CAs should not include",
  ],
  [
    "policy-notice-long",
    notice(x(201)),
    "Notice of policy 1.2.3 of 201 characters; at most 200 allowed",
  ],
  [
    "policy-notice-ia5",
    notice("a", 0x16),
    "Notice of policy 1.2.3 is an IA5String, which is not allowed",
  ],
  [
    "policy-notice-type",
    notice("a", 0x1e, Uint8Array.of(0, 0x61)),
    "Notice of policy 1.2.3 is a BMPString; it should be a UTF8String",
  ],
  [
    "policy-notice-control-character",
    notice("a\u0007"),
    'Notice of policy 1.2.3 contains a control character: "a\\u0007"',
  ],
  [
    "policy-notice-normalization",
    notice("A\u0308"),
    "Notice of policy 1.2.3 is not in normalization form C",
  ],
  [
    "policy-statement-address",
    policies(policy("1.2.3", sequence(oid("1.3.6.1.5.5.7.2.1"), tlv(0x16, utf8("cps.a.test"))))),
    'Practice statement "cps.a.test" of policy 1.2.3 is not an http or https URL',
  ],
];
const distributionPoint = (...parts: readonly Uint8Array[]): Uint8Array => sequence(...parts);
const fullName = (...urls: readonly string[]): Uint8Array =>
  tlv(0xa0, tlv(0xa0, ...urls.map((url) => tlv(0x86, utf8(url)))));
const points = (...list: readonly Uint8Array[]): Changes =>
  withExtension(ext.crlDistributionPoints, sequence(...list));
const crlUrl = (url: string): Changes => points(distributionPoint(fullName(url)));
const access = (method: string, tag: number, value: string | Uint8Array): Uint8Array =>
  sequence(oid(method), tlv(tag, typeof value === "string" ? utf8(value) : value));
const [ocspMethod, issuersMethod] = ["1.3.6.1.5.5.7.48.1", "1.3.6.1.5.5.7.48.2"];
const issuersUrl = access(issuersMethod, 0x86, "http://pki.a.test/ca");
const info = (...list: readonly Uint8Array[]): Changes =>
  withExtension(ext.authorityInfoAccess, sequence(...list));
const urls: readonly Example[] = [
  [
    "issuer-address-missing",
    bare(ext.authorityInfoAccess),
    "No issuer URL (AIA), so clients cannot complete the chain",
  ],
  [
    "revocation-address-missing",
    bare(ext.crlDistributionPoints),
    "No CRL or OCSP URL, so clients cannot check its revocation",
  ],
  [
    "access-location-kind",
    info(issuersUrl, access(ocspMethod, 0x82, "a.test")),
    "OCSP location that is not a URI",
  ],
  [
    "access-method-unknown",
    info(issuersUrl, access("1.2.3", 0x86, "http://pki.a.test/x")),
    "Access method 1.2.3, which no client uses",
  ],
  [
    "distribution-point-url",
    points(distributionPoint(tlv(0xa0, tlv(0xa0, tlv(0x82, utf8("a.test")))))),
    "CRL distribution point without a URL",
  ],
  [
    "distribution-point-incomplete",
    points(distributionPoint(tlv(0x81, Uint8Array.of(1, 0x40)))),
    "CRL distribution point with reasons only",
  ],
  [
    "distribution-points-partial",
    points(distributionPoint(fullName("http://pki.a.test/crl"), tlv(0x81, Uint8Array.of(1, 0x40)))),
    "Every CRL distribution point covers only some reasons",
  ],
  [
    "freshest-crl-alone",
    both(
      bare(ext.crlDistributionPoints),
      withExtension(
        ext.freshestCrl,
        sequence(distributionPoint(fullName("http://pki.a.test/delta"))),
      ),
    ),
    "URL of a delta CRL without the URL of a complete CRL",
  ],
  [
    "no-revocation-contradiction",
    withExtension(ext.noRevAvail, nullValue),
    "No Rev Avail together with a CRL or OCSP URL",
  ],
  [
    "no-revocation-ca",
    ca(both(bare(ext.crlDistributionPoints), withExtension(ext.noRevAvail, nullValue))),
    "No Rev Avail in a CA, which must be revocable",
  ],
  ["url-scheme", crlUrl("ftp://a.test/crl"), 'URL "ftp://a.test/crl" is neither http nor ldap'],
  [
    "url-https",
    crlUrl("https://a.test/crl"),
    'CRL URL "https://a.test/crl" requires TLS, and the certificate of the TLS server would need the same check',
  ],
  ["url-malformed", crlUrl("http:///crl"), 'URL "http:///crl" has no host'],
  [
    "url-loopback",
    crlUrl("http://127.0.0.1/crl"),
    'URL "http://127.0.0.1/crl" reaches only the client\'s own machine',
  ],
  [
    "url-credentials",
    crlUrl("http://u@a.test/crl"),
    'URL "http://u@a.test/crl" contains a user name',
  ],
  [
    "url-repeated",
    points(
      distributionPoint(fullName("http://a.test/crl")),
      distributionPoint(fullName("http://a.test/crl")),
    ),
    'URL "http://a.test/crl" occurs twice',
  ],
];

/** Examples for lints of extensions. */
export const extensionExamples: readonly Example[] = [
  ...extensions,
  ...usagesOfKeys,
  ...authorities,
  ...policyExamples,
  ...urls,
];
