import type { KeyFields as NewKeyFields, ManagedKeyFields } from "../../src/client/pki.ts";
import { isKeyType, keyAlgorithms, type KnownAlgorithm } from "../../src/algorithms/table.ts";
import { keyText } from "./key-label.ts";
import { visible } from "./format.ts";

/** Types that few programs support, or that take long to generate: only the API offers them. */
const unusual: ReadonlySet<string> = new Set(["ec 224", "rsa 8192"]);
const rank = ({ type, explicitOnly }: KnownAlgorithm): number =>
  explicitOnly ? 2 : Number(type === "rsa");
/** Types of CA keys that can be generated: RSA after the others, then those of few programs. */
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
/** Types of keys that a role for any type allows. */
export const kindsOfAny = keyKinds.filter(([kind]) => !isExplicitOnly(kind));
/** Returns a note about the programs that support a type of key; empty for none. */
export const compatibilityNote = (kind: string): string =>
  isExplicitOnly(kind)
    ? "ML-DSA resists quantum computers. Servers and clients need OpenSSL 3.5 or a library as new; not every browser accepts it."
    : "";
/** The prefix of managed keys among the choices of key types. */
const managed = "kms:";

/** Returns the managed keys as choices after the types of keys. */
export const managedKinds = (
  names: readonly string[],
): readonly (readonly [kind: string, words: string])[] =>
  names.map((name) => [`${managed}${name}`, `Managed key ${visible(name)}`] as const);

/** The request fields for a key: its type, or a managed key. */
export type KeyFields =
  | Required<Pick<NewKeyFields, "key_type" | "key_bits">>
  | Required<Pick<ManagedKeyFields, "managed_key_name">>;

/** Returns the request fields of a key type. */
export function fieldsOfKind(kind: string): KeyFields {
  if (kind.startsWith(managed)) return { managed_key_name: kind.slice(managed.length) };
  const [type = "ec", bits = "0"] = kind.split(" ");
  return { key_type: isKeyType(type) ? type : "ec", key_bits: Number(bits) };
}
