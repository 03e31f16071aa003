import type { KeyPair } from "../algorithms/algorithm.ts";
import { algorithmFor, type KnownAlgorithm } from "../algorithms/table.ts";
import { CaError } from "../base/errors.ts";
import { pause } from "../base/event-loop.ts";
import type { DirectCrypto } from "../engine/ports.ts";
import { trustGenerated } from "../x509/public-key.ts";
import type { TraditionalKey } from "./signer.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** A key pair, and the private key in the form its kind had before PKCS#8 where that is known. */
export interface GeneratedKey extends KeyPair {
  readonly traditional?: TraditionalKey;
}

/**
 * Checks `key_type` and `key_bits` and tells the bits meant: 0 becomes 2048 for `rsa` and 256 for
 * `ec`; `ed25519` and `any` have none and give 0. Refuses others as `invalid_field`.
 */
export const checkKeyParameters = (type: string, bits: number): number =>
  type === "any" ? 0 : algorithmFor(type, bits).bits;

/** Where a key pair takes chance and time from. */
interface KeySources {
  /** Serves algorithms that WebCrypto lacks: it makes the others by itself. */
  readonly random?: RandomBytes;
  /** Unix milliseconds. */
  readonly now?: () => number;
  readonly crypto?: DirectCrypto;
}

/**
 * Makes a key pair; `bits` as `checkKeyParameters` takes them. RSA has the exponent 65537. Throws
 * `CaError` `invalid_field` for a kind or size that the platform does not make, and `busy` for an
 * RSA key above 4096 bits while another is being made: such a key takes seconds, and where
 * WebCrypto works on the thread that serves, everybody waits for it.
 */
export async function generateKey(
  type: string,
  bits: number,
  { random = platformRandom, now = Date.now, crypto: direct }: KeySources = {},
): Promise<GeneratedKey> {
  const { algorithm, bits: size } = algorithmFor(type, bits);
  if (size <= (algorithm.slowAbove ?? size)) return await make(algorithm, size, { random, direct });
  const giveBack = takeTurn(algorithm.name, size, now);
  try {
    const pair = await make(algorithm, size, { random, direct });
    await pause(whileHeldUp);
    return pair;
  } finally {
    giveBack();
  }
}

async function make(
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
    throw new CaError("invalid_field", `this platform cannot make ${algorithm.words(bits)} keys`, {
      cause: error,
    });
  }
}

const platformRandom: RandomBytes = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));

/**
 * A turn that was not given back, because its request ended early, ends after these milliseconds.
 */
const maxTurn = 60_000;
/**
 * Who asked while the thread was held up is heard only afterwards, and is refused like all others
 * while the turn still lasts, these milliseconds.
 */
const whileHeldUp = 100;
let takenAt: number | undefined;
/**
 * One large key at a time in this process. Nobody waits for a turn: on Workers what waits for
 * another request may wait forever.
 */
function takeTurn(name: string, bits: number, now: () => number): () => void {
  const at = now();
  if (takenAt !== undefined && at >= takenAt && at - takenAt < maxTurn)
    throw new CaError(
      "busy",
      `another large ${name} key is being made, and one of ${bits} bits would hold up all others; try again`,
      { retryAfter: 10 },
    );
  takenAt = at;
  return () => {
    if (takenAt === at) takenAt = undefined;
  };
}
