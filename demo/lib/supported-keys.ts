import { keyAlgorithms } from "../../src/algorithms/table.ts";
import { keyText } from "./key-label.ts";
import { place } from "./place.ts";
import { useLoad } from "./use-load.ts";
import { useStore } from "./store.ts";

/** Key types such as `ec 521`, with their labels. */
type Kinds = ReadonlyMap<string, string>;

const none: Kinds = new Map();

/**
 * Determines the key types that this browser cannot generate by trying each. Skips types that do
 * not need WebCrypto. Also skips RSA, because generating its keys takes a long time, and every
 * browser supports the usual sizes.
 */
async function unsupportedKeys(): Promise<Kinds> {
  const random = (bytes: number): Uint8Array<ArrayBuffer> =>
    crypto.getRandomValues(new Uint8Array(bytes));
  const tried = keyAlgorithms
    .filter(({ type, signing }) => type !== "rsa" && signing.platform)
    .flatMap((algorithm) =>
      (algorithm.sizes.length > 0 ? algorithm.sizes : [0]).map(async (bits) => {
        const isSupported = await algorithm.generate(bits, random).then(
          () => true,
          () => false,
        );
        return isSupported
          ? []
          : [[`${algorithm.type} ${bits}`, keyText(algorithm, bits)] as const];
      }),
    );
  return new Map((await Promise.all(tried)).flat());
}

let unsupported: Promise<Kinds> | undefined;
/**
 * Returns the key types that this browser cannot generate, or none if a server generates the keys.
 */
export function useUnsupportedKeys(): Kinds {
  const here = useStore(place, ({ kind }) => kind === "browser");
  const result = useLoad(
    async () => (here ? await (unsupported ??= unsupportedKeys()) : none),
    [here],
  );
  return result.value ?? none;
}

/** Returns a note about generating keys of this type in this browser, or an empty string. */
export function generationText(kind: string, cannot: Kinds): string {
  const name = cannot.get(kind);
  if (name !== undefined)
    return `This browser cannot generate ${name} keys, but can sign CSRs with such keys.`;
  if (kind === "rsa 8192" && place.get().kind === "browser")
    return "Generating this key takes up to a minute and fails in WebKitGTK.";
  return "";
}
