/** Object identifiers of PKCS#12, PKCS#5 and what they are made of (RFC 7292, 8018, 9579). */
export const id = {
  data: "1.2.840.113549.1.7.1",
  encryptedData: "1.2.840.113549.1.7.6",
  keyBag: "1.2.840.113549.1.12.10.1.1",
  shroudedKeyBag: "1.2.840.113549.1.12.10.1.2",
  certBag: "1.2.840.113549.1.12.10.1.3",
  crlBag: "1.2.840.113549.1.12.10.1.4",
  safeContents: "1.2.840.113549.1.12.10.1.6",
  x509Certificate: "1.2.840.113549.1.9.22.1",
  friendlyName: "1.2.840.113549.1.9.20",
  localKeyId: "1.2.840.113549.1.9.21",
  /** What marks a certificate as trusted for Java. */
  trustedKeyUsage: "2.16.840.1.113894.746875.1.1",
  anyExtendedKeyUsage: "2.5.29.37.0",
  pbkdf2: "1.2.840.113549.1.5.12",
  pbes2: "1.2.840.113549.1.5.13",
  pbmac1: "1.2.840.113549.1.5.14",
  aes256: "2.16.840.1.101.3.4.1.42",
  aes128: "2.16.840.1.101.3.4.1.2",
  hmacSha256: "1.2.840.113549.2.9",
  sha256: "2.16.840.1.101.3.4.2.1",
} as const;
