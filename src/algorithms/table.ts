import { joinWithOr } from "../base/choice.ts";
import { equalBytes, type Bytes } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { ExplicitOnly, Hash, KeyAlgorithm, SignatureScheme } from "./algorithm.ts";
import { ed25519 } from "./ed25519.ts";
import { identifierOf } from "./form.ts";
import { mlDsa44, mlDsa65, mlDsa87 } from "./ml-dsa.ts";
import { p256, p384, p521 } from "./nist-curves.ts";
import { p224 } from "./p224.ts";
import { rsa } from "./rsa.ts";

/** All key algorithms. All other code takes its information about algorithms from this table. */
const table = [rsa, p224, p256, p384, p521, ed25519, mlDsa44, mlDsa65, mlDsa87] as const;

type Entry = (typeof table)[number];
/** The type of a key: `key_type` in requests and records. */
export type KeyType = Entry["type"];
/** The type of a key that a role must specify, because `any` does not include it. */
export type ExplicitKeyType = Extract<Entry, ExplicitOnly>["type"];
/** A signature scheme with which a key can sign. Some keys have several. */
export interface Scheme {
  /** Name of the signature algorithm. */
  readonly name: Entry["schemes"][number]["scheme"]["name"];
  /** Hash function, if the algorithm supports several. */
  readonly hash?: Hash;
}
/** An algorithm from the table. */
export type KnownAlgorithm = KeyAlgorithm<KeyType, Scheme["name"]> & Partial<ExplicitOnly>;
/** A signature scheme from the table, with all its names and encodings. */
export type KnownScheme = SignatureScheme<Scheme["name"]>;

/** All key algorithms, grouped by `key_type`. */
export const keyAlgorithms: readonly KnownAlgorithm[] = table;
/** All signature schemes, without duplicates. */
export const signatureSchemes: readonly KnownScheme[] = [
  ...new Set(keyAlgorithms.flatMap(({ schemes }): readonly KnownScheme[] => schemes)),
];
/** All values of `key_type`. */
export const keyTypes: readonly KeyType[] = [...new Set(keyAlgorithms.map(({ type }) => type))];

/** All values of `key_type`, formatted for the description of a field. */
export const keyTypeDoc = `Type of the key: ${joinWithOr(keyTypes.map((type) => `\`${type}\``))}`;
/** The meaning of 0 in `key_bits`, for the description of a field: `2048 (rsa) or 256 (ec)`. */
export const usualSizeDoc = joinWithOr(
  keyAlgorithms.flatMap(({ type, usualSize }) => (usualSize ? [`${usualSize} (${type})`] : [])),
);

/** Reports whether a string is a valid `key_type`. */
export const isKeyType = (text: string): text is KeyType => typeNames.has(text);
const typeNames: ReadonlySet<string> = new Set(keyTypes);

/** Returns the error message for a key with too few bits, or undefined if it has enough. */
export function tooSmall({ name, minSize }: KeyAlgorithm, bits: number): string | undefined {
  return minSize !== undefined && bits < minSize
    ? `${name} keys < ${minSize} bits are unsafe and not supported`
    : undefined;
}

/**
 * Returns the algorithm for `key_type` and `key_bits`, and the key size. `key_bits` 0 selects the
 * default size. For a type with a single size, `key_bits` is ignored and the size is 0. Throws
 * `invalid_field` for unknown types and unsupported sizes.
 */
export function algorithmFor(type: string, bits: number): SizedAlgorithm {
  const key = `${type} ${bits}`;
  const cached = sizedAlgorithms.get(key);
  if (cached) return cached;
  const sized = sizedAlgorithmFor(type, bits);
  // types with a single size accept any number, so a cache of them could grow without limit
  if (sized.bits > 0) sizedAlgorithms.set(key, sized);
  return sized;
}
/** An algorithm and its key size. The size is 0 for a key type with a single size. */
interface SizedAlgorithm {
  readonly algorithm: KnownAlgorithm;
  readonly bits: number;
}
const sizedAlgorithms = new Map<string, SizedAlgorithm>();
function sizedAlgorithmFor(type: string, bits: number): SizedAlgorithm {
  const [first, ...more] = keyAlgorithms.filter((algorithm) => algorithm.type === type);
  if (!first)
    throw new CaError(
      "invalid_field",
      `unknown key type ${type.slice(0, 80)}: use ${joinWithOr(keyTypes)}`,
    );
  if (first.sizes.length === 0) return { algorithm: first, bits: 0 };
  const all = [first, ...more];
  const algorithm =
    bits === 0
      ? all.find(({ usualSize }) => usualSize !== undefined)
      : all.find(({ sizes }) => sizes.includes(bits));
  if (algorithm) return { algorithm, bits: bits || (algorithm.usualSize ?? 0) };
  const unsafe = tooSmall(first, bits);
  throw new CaError(
    "invalid_field",
    unsafe
      ? `${unsafe}: got ${bits}`
      : `unsupported bit length for ${type.toUpperCase()} key: ${bits}`,
  );
}

const identifiers: readonly (readonly [Bytes, KnownAlgorithm])[] = keyAlgorithms.map(
  (algorithm) => [identifierOf(algorithm), algorithm],
);

/**
 * Returns the algorithm that a key's AlgorithmIdentifier identifies. `what` is the name of the
 * structure, such as `public key`, for messages. Throws `CaError` `bad_key` if the algorithm is not
 * supported, and `malformed` if the identifier is malformed.
 */
export function algorithmOf(identifier: Uint8Array, what: string): KnownAlgorithm {
  for (const [own, algorithm] of identifiers) if (equalBytes(own, identifier)) return algorithm;
  throw unknownAlgorithm(identifier, what);
}

/** Object identifier of RSA keys that are restricted to RSASSA-PSS. */
const rsaPss = "1.2.840.113549.1.1.10";

function unknownAlgorithm(identifier: Uint8Array, what: string): CaError {
  const reader = readDer(identifier, what).enter("the algorithm");
  const kind = reader.oid("the key type");
  const match = keyAlgorithms.find((algorithm) => algorithm.identifier.oid === kind);
  if (!match)
    return new CaError(
      "bad_key",
      `${what}: unsupported type ${kind}` +
        (kind === rsaPss ? " (RSASSA-PSS); use an rsaEncryption key" : ""),
    );
  if (match.identifier.parameters[0] !== 0x06) {
    if (match.identifier.parameters.length > 0) reader.null("the parameters");
    reader.end();
  } else if (reader.tag === 0x06) {
    const curve = reader.oid("the curve");
    reader.end();
    return new CaError("bad_key", `EC ${what}: unsupported curve ${curve}`);
  }
  return new CaError(
    "bad_key",
    `EC ${what}: only named curves are supported, not explicit or absent parameters`,
  );
}
