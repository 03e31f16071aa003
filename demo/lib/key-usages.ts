/** Key usages of end-entity certificates, by API name. */
export const keyUsageLabels = [
  ["DigitalSignature", "Digital signature"],
  ["ContentCommitment", "Content commitment"],
  ["KeyEncipherment", "Key encipherment"],
  ["DataEncipherment", "Data encipherment"],
  ["KeyAgreement", "Key agreement"],
  ["EncipherOnly", "Encipher only"],
  ["DecipherOnly", "Decipher only"],
] as const;

/** Extended key usages for which roles have no flag, by API name. */
export const extKeyUsageLabels = [
  ["TimeStamping", "Time stamping"],
  ["OCSPSigning", "OCSP signing"],
  ["IPSECEndSystem", "IPsec end system"],
  ["IPSECTunnel", "IPsec tunnel"],
  ["IPSECUser", "IPsec user"],
  ["MicrosoftCommercialCodeSigning", "Microsoft commercial code signing"],
  ["MicrosoftKernelCodeSigning", "Microsoft kernel code signing"],
  ["MicrosoftServerGatedCrypto", "Microsoft server gated crypto"],
  ["NetscapeServerGatedCrypto", "Netscape server gated crypto"],
  ["Any", "Any use"],
] as const;
