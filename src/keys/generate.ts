import type { KeyPair } from "../algorithms/algorithm.ts";
import { algorithmFor, type KnownAlgorithm } from "../algorithms/table.ts";
import { CaError } from "../base/errors.ts";
import { pause } from "../base/event-loop.ts";
import type { DirectCrypto } from "../engine/ports.ts";
import { trustGenerated } from "../x509/public-key.ts";
import type { TraditionalKey } from "./signer.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** A key pair, and the private key in its traditional format, if available. */
export interface GeneratedKey extends KeyPair {
  readonly traditional?: TraditionalKey;
}

/**
 * Validates `key_type` and `key_bits` and returns the effective number of bits: 0 is replaced by
 * 2048 for `rsa` and by 256 for `ec`, and stays 0 for types without a size, such as `ed25519` and
 * `any`. Throws `invalid_field` if the combination is not supported.
 */
export const checkKeyParameters = (type: string, bits: number): number =>
  type === "any" ? 0 : algorithmFor(type, bits).bits;

/** The sources of randomness and time for generating a key pair. */
interface KeySources {
  /** Source of random bytes for algorithms that WebCrypto lacks. */
  readonly random?: RandomBytes;
  /** Returns the time in Unix ms. */
  readonly now?: () => number;
  readonly crypto?: DirectCrypto;
}

/**
 * Generates a key pair. `bits` is the result of `checkKeyParameters`. RSA keys have the exponent
 * 65537. Throws `CaError`: `invalid_field` if the platform does not support the type or size, and
 * `busy` for an RSA key above 4096 bits while another such key is being generated, because this
 * takes seconds and may block the thread.
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

/**
 * Time in ms after which a turn counts as abandoned, because its request may have been cancelled.
 */
const maxTurn = 60_000;
/**
 * Time in ms after a turn during which calls are still rejected, because they arrived while the
 * thread was blocked.
 */
const blockedGrace = 100;
let turnStarted: number | undefined;
/**
 * Starts a turn to generate a large key, and returns a function that ends the turn. A process
 * generates one large key at a time. Other calls are rejected rather than queued, because on
 * Workers a call that waits for another request may wait forever.
 */
function startTurn(name: string, bits: number, now: () => number): () => void {
  const at = now();
  if (turnStarted !== undefined && at >= turnStarted && at - turnStarted < maxTurn)
    throw new CaError(
      "busy",
      `another large ${name} key is being generated, and generating one with ${bits} bits would block all other requests; try again`,
      { retryAfter: 10 },
    );
  turnStarted = at;
  return () => {
    if (turnStarted === at) turnStarted = undefined;
  };
}
