import type { KeyAlgorithm } from "../algorithms/algorithm.ts";
import { extensionOid } from "../x509/oid.ts";
import { extKeyUsageName, extKeyUsageOid, keyUsages, type KeyUsage } from "../x509/usage.ts";
import { firstDefect, firstRepeated, when, type Lint } from "./finding.ts";
import { hasExtension, valueOf, type LintedCertificate } from "./subject.ts";

const purposeOf = (name: string): string => extKeyUsageOid(name) ?? "";
const [anyPurpose, serverAuth, timeStamping, ocspSigning] = [
  purposeOf("Any"),
  purposeOf("ServerAuth"),
  purposeOf("TimeStamping"),
  purposeOf("OCSPSigning"),
];
/**
 * For each extended key usage, the key usages that are consistent with it, one of which is required
 * (RFC 5280 section 4.2.1.12).
 */
const consistent: ReadonlyMap<string, readonly KeyUsage[]> = new Map([
  [serverAuth, ["DigitalSignature", "KeyEncipherment", "KeyAgreement"]],
  [purposeOf("ClientAuth"), ["DigitalSignature", "KeyAgreement"]],
  [purposeOf("CodeSigning"), ["DigitalSignature"]],
  [
    purposeOf("EmailProtection"),
    ["DigitalSignature", "ContentCommitment", "KeyEncipherment", "KeyAgreement"],
  ],
  [timeStamping, ["DigitalSignature", "ContentCommitment"]],
  [ocspSigning, ["DigitalSignature", "ContentCommitment"]],
]);
const nameOfPurpose = (oid: string): string => extKeyUsageName(oid) ?? oid;
const hasUsage = (certificate: LintedCertificate): boolean =>
  hasExtension(certificate, extensionOid.keyUsage);
const signing: ReadonlySet<KeyUsage> = new Set([
  "DigitalSignature",
  "ContentCommitment",
  "CertSign",
  "CRLSign",
]);
/** Reports whether keys of an algorithm can only sign: all other key usages are misuses. */
const onlySigns = ({ misuses }: Pick<KeyAlgorithm, "misuses">): boolean =>
  keyUsages.every((usage) => signing.has(usage) || misuses.some((one) => one.isMisused(usage)));

const keyUsageLints: readonly Lint<LintedCertificate>[] = [
  [
    "warning",
    "key-usage-missing",
    "RFC 5280 4.2.1.3",
    (certificate) =>
      when(!hasUsage(certificate) && !certificate.isCa, "No key usage, so any use is allowed"),
  ],
  [
    "error",
    "key-usage-empty",
    "RFC 5280 4.2.1.3",
    (certificate) =>
      when(
        hasUsage(certificate) && certificate.keyUsage.length === 0,
        "Key usage without any bit set",
      ),
  ],
  [
    "warning",
    "key-usage-only-without-agreement",
    "RFC 5280 4.2.1.3",
    ({ keyUsage }) => {
      const only = keyUsage.find((usage) => usage.endsWith("Only"));
      return when(
        only !== undefined && !keyUsage.includes("KeyAgreement"),
        `Key usage ${only ?? ""} without KeyAgreement, which it restricts`,
      );
    },
  ],
  [
    "error",
    "key-usage-only-both",
    "RFC 5280 4.2.1.3",
    ({ keyUsage }) =>
      when(
        keyUsage.includes("EncipherOnly") && keyUsage.includes("DecipherOnly"),
        "Key usages EncipherOnly and DecipherOnly together, which exclude each other",
      ),
  ],
  [
    "warning",
    "key-usage-misused",
    "RFC 3279 2.3.1, RFC 8813 3, RFC 8410 5, RFC 9881 5",
    ({ key, keyUsage }) =>
      key &&
      firstDefect(key.algorithm.misuses, ({ rule, isMisused }) => {
        const misused = keyUsage.filter((usage) => isMisused(usage));
        return when(misused.length > 0, `Key usage ${misused.join(", ")}: ${rule}`);
      }),
  ],
  [
    "error",
    "key-usage-without-signing",
    "RFC 8410 5, RFC 9881 5",
    ({ key, keyUsage }) =>
      when(
        key !== undefined &&
          onlySigns(key.algorithm) &&
          keyUsage.length > 0 &&
          !keyUsage.some((usage) => signing.has(usage)),
        `Key usage ${keyUsage.join(", ")} does not allow signatures, but the key can only sign`,
      ),
  ],
];

const purposeLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "ext-key-usage-empty",
    "RFC 5280 4.2.1.12",
    (certificate) => {
      const value = valueOf(certificate, extensionOid.extKeyUsage);
      return when(value?.length === 2, "Extended key usage without purposes");
    },
  ],
  [
    "warning",
    "ext-key-usage-repeated",
    "RFC 5280 4.2.1.12",
    ({ extKeyUsage }) => {
      const repeated = firstRepeated(extKeyUsage);
      return repeated && `Purpose ${nameOfPurpose(repeated)} occurs twice`;
    },
  ],
  [
    "warning",
    "ext-key-usage-any",
    "RFC 5280 4.2.1.12",
    ({ extKeyUsage }) =>
      when(
        extKeyUsage.includes(anyPurpose) && extKeyUsage.length > 1,
        `Any purpose together with ${nameOfPurpose(extKeyUsage.find((oid) => oid !== anyPurpose) ?? anyPurpose)}, so the others restrict nothing`,
      ),
  ],
  [
    "warning",
    "ext-key-usage-any-critical",
    "RFC 5280 4.2.1.12",
    ({ extKeyUsage, extensions }) =>
      when(
        extKeyUsage.includes(anyPurpose) &&
          extensions.some(({ oid, critical }) => oid === extensionOid.extKeyUsage && critical),
        "Critical extended key usage with any purpose; it should not be critical",
      ),
  ],
  [
    "warning",
    "ext-key-usage-inconsistent",
    "RFC 5280 4.2.1.12",
    ({ isCa, keyUsage, extKeyUsage }) =>
      isCa || keyUsage.length === 0
        ? undefined
        : firstDefect(extKeyUsage, (oid) => {
            const needed = consistent.get(oid);
            return when(
              needed !== undefined && !needed.some((usage) => keyUsage.includes(usage)),
              `Purpose ${nameOfPurpose(oid)} with key usage ${keyUsage.join(", ")}; it needs ${(needed ?? []).join(" or ")}`,
            );
          }),
  ],
  [
    "warning",
    "tls-without-signature",
    "RFC 8446 4.4.2.2",
    ({ isCa, key, keyUsage, extKeyUsage }) =>
      when(
        !isCa &&
          extKeyUsage.includes(serverAuth) &&
          key !== undefined &&
          key.type !== "rsa" &&
          keyUsage.length > 0 &&
          !keyUsage.includes("DigitalSignature"),
        `Server certificate with key usage ${keyUsage.join(", ")}; TLS 1.3 needs DigitalSignature`,
      ),
  ],
  [
    "error",
    "time-stamping-alone",
    "RFC 3161 2.3",
    ({ isCa, extKeyUsage }) =>
      when(
        !isCa && extKeyUsage.includes(timeStamping) && extKeyUsage.length > 1,
        "Purpose TimeStamping together with others; it must be the only one",
      ),
  ],
  [
    "error",
    "time-stamping-critical",
    "RFC 3161 2.3",
    ({ isCa, extKeyUsage, extensions }) =>
      when(
        !isCa &&
          extKeyUsage.includes(timeStamping) &&
          extensions.some(({ oid, critical }) => oid === extensionOid.extKeyUsage && !critical),
        "Purpose TimeStamping in an extended key usage that is not critical",
      ),
  ],
  [
    "info",
    "ocsp-signing-check",
    "RFC 6960 4.2.2.2.1",
    (certificate) =>
      when(
        !certificate.isCa &&
          certificate.extKeyUsage.includes(ocspSigning) &&
          !hasExtension(certificate, extensionOid.ocspNoCheck),
        "OCSP responder without OCSP No Check; clients may check its revocation status",
      ),
  ],
  [
    "warning",
    "ocsp-no-check-purpose",
    "RFC 6960 4.2.2.2.1",
    (certificate) =>
      when(
        hasExtension(certificate, extensionOid.ocspNoCheck) &&
          !certificate.extKeyUsage.includes(ocspSigning),
        "OCSP No Check in a certificate that is not for an OCSP responder",
      ),
  ],
];

/** Lints of key usage and extended key usage. */
export const usageLints: readonly Lint<LintedCertificate>[] = [...keyUsageLints, ...purposeLints];
