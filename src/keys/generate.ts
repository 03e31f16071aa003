import type { KeyPair } from "../algorithms/algorithm.ts";
import { algorithmFor, type KnownAlgorithm } from "../algorithms/table.ts";
import { CaError } from "../base/errors.ts";
import { pause } from "../base/event-loop.ts";
import type { DirectCrypto } from "../engine/ports.ts";
import { trustGenerated } from "../x509/public-key.ts";
import type { TraditionalKey } from "./signer.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** A key pair, and the private key in its pre-PKCS#8 form if known. */
export interface GeneratedKey extends KeyPair {
  readonly traditional?: TraditionalKey;
}

/**
 * Validates `key_type` and `key_bits` and returns the effective bits: 0 becomes 2048 for `rsa` and
 * 256 for `ec`; `ed25519` and `any` have none and return 0. Rejects others as `invalid_field`.
 */
export const checkKeyParameters = (type: string, bits: number): number =>
  type === "any" ? 0 : algorithmFor(type, bits).bits;

/** Randomness and time for a key pair. */
interface KeySources {
  /** Used for algorithms that WebCrypto lacks. */
  readonly random?: RandomBytes;
  /** Unix milliseconds. */
  readonly now?: () => number;
  readonly crypto?: DirectCrypto;
}

/**
 * Generates a key pair; `bits` as in `checkKeyParameters`. RSA uses the exponent 65537. Throws
 * `CaError` `invalid_field` for a kind or size that the platform does not support, and `busy` for
 * an RSA key above 4096 bits while another is being generated: it takes seconds, which may block
 * the serving thread.
 */
export async function generateKey(
  type: string,
  bits: number,
  { random = platformRandom, now = Date.now, crypto: direct }: KeySources = {},
): Promise<GeneratedKey> {
  const { algorithm, bits: size } = algorithmFor(type, bits);
  if (size <= (algorithm.slowAbove ?? size))
    return await generateWith(algorithm, size, { random, direct });
  const giveBack = startTurn(algorithm.name, size, now);
  try {
    const pair = await generateWith(algorithm, size, { random, direct });
    await pause(blockedGrace);
    return pair;
  } finally {
    giveBack();
  }
}

async function generateWith(
  algorithm: KnownAlgorithm,
  bits: number,
  { random, direct }: { readonly random: RandomBytes; readonly direct: DirectCrypto | undefined },
): Promise<GeneratedKey> {
  try {
    const pair = await algorithm.generate(bits, random, direct);
    trustGenerated(algorithm, bits, pair);
    const { type, older } = algorithm;
    return older && pair.older
      ? { ...pair, traditional: { type, label: older.label, der: pair.older } }
      : pair;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new CaError(
      "invalid_field",
      `this platform cannot generate ${algorithm.describe(bits)} keys`,
      {
        cause: error,
      },
    );
  }
}

const platformRandom: RandomBytes = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));

/** Milliseconds after which a turn counts as abandoned because its request ended. */
const maxTurn = 60_000;
/**
 * Milliseconds after a turn in which calls that arrived while the thread was blocked are still
 * rejected.
 */
const blockedGrace = 100;
let turnStarted: number | undefined;
/**
 * Takes the turn to generate a large key; one at a time per process. Nobody waits for it: on
 * Workers, waiting for another request may never end.
 */
function startTurn(name: string, bits: number, now: () => number): () => void {
  const at = now();
  if (turnStarted !== undefined && at >= turnStarted && at - turnStarted < maxTurn)
    throw new CaError(
      "busy",
      `another large ${name} key is being generated, and one of ${bits} bits would block all other requests; try again`,
      { retryAfter: 10 },
    );
  turnStarted = at;
  return () => {
    if (turnStarted === at) turnStarted = undefined;
  };
}
