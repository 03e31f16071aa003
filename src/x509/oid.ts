/**
 * Object identifiers of certificate and CRL extensions (RFC 5280 section 4.2, RFC 7633, RFC 6962,
 * RFC 8737).
 */
export const extensionOid = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  issuerAltName: "2.5.29.18",
  basicConstraints: "2.5.29.19",
  crlNumber: "2.5.29.20",
  reasonCode: "2.5.29.21",
  invalidityDate: "2.5.29.24",
  deltaCrlIndicator: "2.5.29.27",
  issuingDistributionPoint: "2.5.29.28",
  certificateIssuer: "2.5.29.29",
  nameConstraints: "2.5.29.30",
  crlDistributionPoints: "2.5.29.31",
  certificatePolicies: "2.5.29.32",
  policyMappings: "2.5.29.33",
  authorityKeyIdentifier: "2.5.29.35",
  policyConstraints: "2.5.29.36",
  extKeyUsage: "2.5.29.37",
  freshestCrl: "2.5.29.46",
  inhibitAnyPolicy: "2.5.29.54",
  noRevAvail: "2.5.29.56",
  authorityInfoAccess: "1.3.6.1.5.5.7.1.1",
  tlsFeature: "1.3.6.1.5.5.7.1.24",
  acmeIdentifier: "1.3.6.1.5.5.7.1.31",
  ocspNoCheck: "1.3.6.1.5.5.7.48.1.5",
  ctPoison: "1.3.6.1.4.1.11129.2.4.3",
  privateKeyUsagePeriod: "2.5.29.16",
  subjectDirectoryAttributes: "2.5.29.9",
  subjectInfoAccess: "1.3.6.1.5.5.7.1.11",
  netscapeCertType: "2.16.840.1.113730.1.1",
  ctTimestamps: "1.3.6.1.4.1.11129.2.4.2",
} as const;

/** Object identifiers of name attributes. */
export const nameOid = {
  commonName: "2.5.4.3",
  surname: "2.5.4.4",
  serialNumber: "2.5.4.5",
  country: "2.5.4.6",
  locality: "2.5.4.7",
  province: "2.5.4.8",
  street: "2.5.4.9",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
  title: "2.5.4.12",
  postalCode: "2.5.4.17",
  givenName: "2.5.4.42",
  userId: "0.9.2342.19200300.100.1.1",
  domainComponent: "0.9.2342.19200300.100.1.25",
  email: "1.2.840.113549.1.9.1",
} as const;

/** Object identifiers of CSR attributes, access methods and policy qualifiers. */
export const otherOid = {
  extensionRequest: "1.2.840.113549.1.9.14",
  challengePassword: "1.2.840.113549.1.9.7",
  accessOcsp: "1.3.6.1.5.5.7.48.1",
  accessCaIssuers: "1.3.6.1.5.5.7.48.2",
  policyCps: "1.3.6.1.5.5.7.2.1",
  policyNotice: "1.3.6.1.5.5.7.2.2",
} as const;

/** Object identifiers of OCSP: the basic response type and the nonce (RFC 6960 section 4). */
export const ocspOid = {
  basicResponse: "1.3.6.1.5.5.7.48.1.1",
  nonce: "1.3.6.1.5.5.7.48.1.2",
} as const;

/** Object identifiers of the hash algorithms in OCSP CertIDs, by WebCrypto name. */
export const hashOid = {
  "SHA-1": "1.3.14.3.2.26",
  "SHA-256": "2.16.840.1.101.3.4.2.1",
  "SHA-384": "2.16.840.1.101.3.4.2.2",
  "SHA-512": "2.16.840.1.101.3.4.2.3",
} as const;

/** Splits a camel-case name into words: `crlNumber` becomes `CRL Number`. */
const words = (text: string): string =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/^./, (first) => first.toUpperCase())
    .replace(/\b(Acme|Crl|Ct|Ocsp|Tls)\b/g, (short) => short.toUpperCase());

const extensionNames = new Map<string, string>(
  Object.entries(extensionOid).map(([name, oid]) => [oid, words(name)]),
);

/**
 * Returns the readable name of an extension, such as `Basic Constraints`, or undefined if it is
 * unknown.
 */
export const extensionName = (oid: string): string | undefined => extensionNames.get(oid);
