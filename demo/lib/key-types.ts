import type { KeyFields as NewKeyFields, ManagedKeyFields } from "../../src/client/pki.ts";
import {
  isKeyType,
  keyAlgorithms,
  type ExplicitKeyType,
  type KnownAlgorithm,
} from "../../src/algorithms/table.ts";
import { keyText } from "./key-label.ts";
import { visible } from "./visible-text.ts";

/**
 * Key types that only the API offers, because few programs support them or because generating them
 * takes a long time.
 */
const unusual: ReadonlySet<string> = new Set(["ec 224", "rsa 8192"]);
const rank = ({ type, explicitOnly }: KnownAlgorithm): number =>
  explicitOnly ? 2 : Number(type === "rsa");
/**
 * Key types that can be generated for CAs. RSA comes after the others, and types that few programs
 * support come last.
 */
export const keyKinds: readonly (readonly [kind: string, words: string])[] = keyAlgorithms
  .toSorted((a, b) => rank(a) - rank(b))
  .flatMap((algorithm) =>
    (algorithm.sizes.length > 0 ? algorithm.sizes : [0]).map(
      (bits) => [`${algorithm.type} ${bits}`, keyText(algorithm, bits)] as const,
    ),
  )
  .filter(([kind]) => !unusual.has(kind));
const isExplicitOnly = (kind: string): boolean =>
  keyAlgorithms.some(({ type, explicitOnly }) => explicitOnly && kind.startsWith(`${type} `));
/** Key types that a role with the `any` key type allows. */
export const kindsOfAny = keyKinds.filter(([kind]) => !isExplicitOnly(kind));
const mlDsaNote =
  "ML-DSA resists quantum computers. Servers and clients need OpenSSL 3.5 or another library that supports it; not every browser does.";
/** The programs that support key types that few programs support. */
const compatibilityNotes: Readonly<Record<ExplicitKeyType, string>> = {
  "ml-dsa-44": mlDsaNote,
  "ml-dsa-65": mlDsaNote,
  "ml-dsa-87": mlDsaNote,
};
/** Returns a note about the programs that support a key type, or an empty string. */
export const compatibilityNote = (kind: string): string =>
  Object.entries(compatibilityNotes).find(([type]) => kind.startsWith(`${type} `))?.[1] ?? "";
/** Prefix of managed keys among the choices for a key. */
const managed = "kms:";

/** Returns the choices for managed keys. */
export const managedKinds = (
  names: readonly string[],
): readonly (readonly [kind: string, words: string])[] =>
  names.map((name) => [`${managed}${name}`, `Managed key ${visible(name)}`] as const);

/** The request fields that select a key: the type of a new key, or a managed key. */
export type KeyFields =
  | Required<Pick<NewKeyFields, "key_type" | "key_bits">>
  | Required<Pick<ManagedKeyFields, "managed_key_name">>;

/**
 * Returns the request fields for a value of the key choice, such as `ec 256` or `kms:` and a name.
 */
export function fieldsOfKind(kind: string): KeyFields {
  if (kind.startsWith(managed)) return { managed_key_name: kind.slice(managed.length) };
  const [type = "ec", bits = "0"] = kind.split(" ");
  return { key_type: isKeyType(type) ? type : "ec", key_bits: Number(bits) };
}
