import { bigintOf } from "../algorithms/form.ts";
import { modulusWeakness } from "../algorithms/rsa-modulus.ts";
import { keyAlgorithms } from "../algorithms/table.ts";
import { toHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { tryRead } from "../base/try-read.ts";
import { when, type Lint } from "./finding.ts";
import type { LintedCertificate } from "./subject.ts";

const [rsaOid, ecOid] = ["1.2.840.113549.1.1.1", "1.2.840.10045.2.1"];
/** Object identifiers of algorithms outside the table whose keys have no parameters. */
const [x25519Oid, x448Oid, ed448Oid] = ["1.3.101.110", "1.3.101.111", "1.3.101.113"];
/** Object identifiers of keys that must have no parameters. */
const bareKeys: ReadonlySet<string> = new Set([
  ...keyAlgorithms
    .filter(({ identifier }) => identifier.parameters.length === 0)
    .map(({ identifier }) => identifier.oid),
  x25519Oid,
  x448Oid,
  ed448Oid,
]);

interface Parts {
  readonly oid: string;
  /** Parameters as hexadecimal DER, or "" if there are none. */
  readonly parameters: string;
  readonly keyBits: Uint8Array;
}
function partsOf(spki: Uint8Array): Parts | undefined {
  return tryRead(() => {
    const outer = readDer(spki, "public key").enter("SubjectPublicKeyInfo");
    const identifier = outer.enter("the algorithm");
    const oid = identifier.oid("its type");
    const parameters = identifier.tag === undefined ? "" : toHex(identifier.raw("the parameters"));
    return { oid, parameters, keyBits: outer.wholeBits("the key") };
  });
}
/** Modulus and exponent of an RSA key: the contents of the INTEGERs. */
interface RsaParts {
  readonly modulus: Uint8Array;
  readonly exponent: Uint8Array;
}
function rsaOf(certificate: LintedCertificate): RsaParts | undefined {
  const parts = partsOf(certificate.spki);
  if (parts?.oid !== rsaOid) return undefined;
  return tryRead(() => {
    const key = readDer(parts.keyBits, "RSA public key").enter("RSAPublicKey");
    return {
      modulus: key.content("the modulus", 0x02),
      exponent: key.content("the exponent", 0x02),
    };
  });
}
const isNegative = (integer: Uint8Array): boolean => (integer[0] ?? 0) >= 0x80;
const bitsOf = (integer: Uint8Array): number => {
  const n = bigintOf(integer);
  return n === 0n ? 0 : n.toString(2).length;
};

const [minRsaBits, minExponent] = [2048, 65537n];
const maxExponentBits = 256;
/**
 * Number of bits above which much software rejects RSA keys, because operations with them are slow.
 */
const maxRsaBits = 8192;

const rsaLint =
  (defect: (key: RsaParts) => string | undefined) =>
  (certificate: LintedCertificate): string | undefined => {
    const key = rsaOf(certificate);
    return key && defect(key);
  };
const exponentLint = (defect: (exponent: bigint) => string | undefined) =>
  rsaLint(({ exponent }) => (isNegative(exponent) ? undefined : defect(bigintOf(exponent))));

const rsaLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "rsa-size",
    "NIST SP 800-131A",
    rsaLint(({ modulus }) =>
      when(
        !isNegative(modulus) && bitsOf(modulus) < minRsaBits,
        `RSA key of ${bitsOf(modulus)} bits; at least ${minRsaBits} required`,
      ),
    ),
  ],
  [
    "warning",
    "rsa-size-large",
    "Common practice",
    rsaLint(({ modulus }) =>
      when(
        bitsOf(modulus) > maxRsaBits,
        `RSA key of ${bitsOf(modulus)} bits; much software rejects more than ${maxRsaBits}`,
      ),
    ),
  ],
  [
    "warning",
    "rsa-size-odd",
    "CA/Browser Forum BR 6.1.5",
    rsaLint(({ modulus }) =>
      when(
        bitsOf(modulus) % 8 !== 0,
        `RSA key of ${bitsOf(modulus)} bits, which is not a multiple of 8`,
      ),
    ),
  ],
  [
    "error",
    "rsa-modulus-negative",
    "RFC 8017 3.1",
    rsaLint(({ modulus }) => when(isNegative(modulus), "RSA key with a negative modulus")),
  ],
  [
    "error",
    "rsa-modulus-weak",
    "NIST SP 800-89 5.3.3",
    rsaLint(({ modulus }) => {
      const bits = bitsOf(modulus);
      const weakness =
        isNegative(modulus) || bits === 0 || bits > maxRsaBits
          ? undefined
          : modulusWeakness(bigintOf(modulus));
      return weakness && `RSA private key can be computed: ${weakness}`;
    }),
  ],
  [
    "error",
    "rsa-exponent-negative",
    "RFC 8017 3.1",
    rsaLint(({ exponent }) => when(isNegative(exponent), "RSA key with a negative exponent")),
  ],
  [
    "error",
    "rsa-exponent-even",
    "RFC 8017 3.1",
    exponentLint((e) => when(e % 2n === 0n, `RSA key with exponent ${e}, which is even`)),
  ],
  [
    "error",
    "rsa-exponent-one",
    "RFC 8017 3.1",
    exponentLint((e) => when(e === 1n, "RSA key with exponent 1, which does not encrypt")),
  ],
  [
    "warning",
    "rsa-exponent-small",
    "NIST SP 800-89 5.3.3",
    exponentLint((e) =>
      when(
        e > 1n && e < minExponent && e % 2n === 1n,
        `RSA key with exponent ${e}; at least ${minExponent} recommended`,
      ),
    ),
  ],
  [
    "warning",
    "rsa-exponent-large",
    "NIST SP 800-89 5.3.3",
    rsaLint(({ exponent }) =>
      when(
        bitsOf(exponent) > maxExponentBits,
        `RSA key with an exponent of ${bitsOf(exponent)} bits; at most ${maxExponentBits} recommended`,
      ),
    ),
  ],
  [
    "error",
    "rsa-parameters",
    "RFC 3279 2.3.1",
    ({ spki }) => {
      const parts = partsOf(spki);
      return when(
        parts?.oid === rsaOid && parts.parameters !== "0500",
        "RSA key without NULL as its parameters",
      );
    },
  ],
];

const [compressedPoints, explicitTag] = [new Set([2, 3]), "30"];

const otherLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "key-unreadable",
    "RFC 5280 4.1.2.7",
    ({ spki }) =>
      when(partsOf(spki) === undefined, "Public key that is not a SubjectPublicKeyInfo"),
  ],
  [
    "info",
    "key-unsupported",
    "Sealwright",
    ({ spki, key }) => {
      const parts = partsOf(spki);
      return when(
        parts !== undefined && key === undefined && !isKnownBroken(parts),
        `Key of type ${parts?.oid ?? ""}, which these lints do not check`,
      );
    },
  ],
  [
    "error",
    "ec-parameters-explicit",
    "RFC 5480 2.1.1",
    ({ spki }) => {
      const parts = partsOf(spki);
      return when(
        parts?.oid === ecOid && parts.parameters.startsWith(explicitTag),
        "EC key with explicit curve parameters; a named curve is required",
      );
    },
  ],
  [
    "error",
    "ec-parameters-missing",
    "RFC 5480 2.1.1",
    ({ spki }) => {
      const parts = partsOf(spki);
      return when(
        parts?.oid === ecOid && !/^(?:06|30)/.test(parts.parameters),
        "EC key without a named curve",
      );
    },
  ],
  [
    "warning",
    "ec-point-compressed",
    "RFC 5480 2.2",
    ({ spki }) => {
      const parts = partsOf(spki);
      return when(
        parts?.oid === ecOid && compressedPoints.has(parts.keyBits[0] ?? 0),
        "EC key with a compressed point, which much software cannot read",
      );
    },
  ],
  [
    "error",
    "key-parameters-present",
    "RFC 8410 3, RFC 9881 4",
    ({ spki }) => {
      const parts = partsOf(spki);
      return when(
        parts !== undefined && bareKeys.has(parts.oid) && parts.parameters !== "",
        `Key of type ${parts?.oid ?? ""} with parameters, which must be absent`,
      );
    },
  ],
  [
    "error",
    "key-invalid",
    "RFC 5480 2.2, RFC 8410 3",
    ({ key }) => {
      // the lints of RSA keys are more specific
      if (!key || key.type === "rsa") return undefined;
      try {
        key.algorithm.check(key.keyBits);
        return undefined;
      } catch (error) {
        if (error instanceof CaError) return `Invalid key: ${error.message}`;
        throw error;
      }
    },
  ],
  [
    "error",
    "key-length",
    "RFC 5480 2.2, RFC 8410 4, RFC 9881 4",
    ({ spki, key }) => {
      const parts = partsOf(spki);
      const size = parts && keyOctets.get(parts.oid);
      return when(
        parts !== undefined &&
          key === undefined &&
          size !== undefined &&
          parts.keyBits.length !== size,
        `Key of ${parts?.keyBits.length ?? 0} octets; ${size ?? 0} expected`,
      );
    },
  ],
];
/** Length of public keys in octets, for algorithms with a single size. */
const keyOctets: ReadonlyMap<string, number> = new Map([
  ...keyAlgorithms.flatMap(({ identifier, keyOctets: octets }) =>
    octets === undefined ? [] : [[identifier.oid, octets] as const],
  ),
  [ed448Oid, 57],
]);
/** Reports whether another lint states why the key cannot be parsed. */
const isKnownBroken = ({ oid, parameters, keyBits }: Parts): boolean =>
  (oid === rsaOid && tryRead(() => readDer(keyBits, "RSA public key")) !== undefined) ||
  (oid === ecOid && !parameters.startsWith("06")) ||
  (oid === ecOid && compressedPoints.has(keyBits[0] ?? 0)) ||
  (bareKeys.has(oid) && keyOctets.has(oid));

/** Lints of the public key. */
export const keyLints: readonly Lint<LintedCertificate>[] = [...rsaLints, ...otherLints];
