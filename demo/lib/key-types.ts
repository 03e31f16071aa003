import { keyAlgorithms } from "../../src/algorithms/table.ts";
import { keyWords } from "./key-label.ts";
import { visible } from "./format.ts";

/** Few programs take these, or few have the time for them: the API alone makes them. */
const unusual: ReadonlySet<string> = new Set(["ec 224", "rsa 8192"]);
/** Kinds of CA keys that can be made, RSA last. */
export const keyKinds: readonly (readonly [kind: string, words: string])[] = keyAlgorithms
  .toSorted((a, b) => Number(a.type === "rsa") - Number(b.type === "rsa"))
  .flatMap((algorithm) =>
    (algorithm.sizes.length > 0 ? algorithm.sizes : [0]).map(
      (bits) => [`${algorithm.type} ${bits}`, keyWords(algorithm, bits)] as const,
    ),
  )
  .filter(([kind]) => !unusual.has(kind));
/** What stands before the name of a managed key where a kind of key is chosen. */
const managed = "kms:";

/** Managed keys beside the kinds of keys that can be made. */
export const managedKinds = (
  names: readonly string[],
): readonly (readonly [kind: string, words: string])[] =>
  names.map((name) => [`${managed}${name}`, `Managed key ${visible(name)}`] as const);

/** Where the key of a kind comes from, as paths say it. */
export const sourceOf = (kind: string): "internal" | "kms" =>
  kind.startsWith(managed) ? "kms" : "internal";

/** What says which key: what it is made as, or the managed one that it is. */
export type KeyFields =
  | { readonly key_type: string; readonly key_bits: number }
  | { readonly managed_key_name: string };

/** What a kind is called in requests. */
export function fieldsOfKind(kind: string): KeyFields {
  if (kind.startsWith(managed)) return { managed_key_name: kind.slice(managed.length) };
  const [type = "ec", bits = "0"] = kind.split(" ");
  return { key_type: type, key_bits: Number(bits) };
}
