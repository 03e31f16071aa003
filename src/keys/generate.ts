import { shortBase64Url } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { pause } from "../base/turn.ts";
import { keyOid } from "../x509/oid.ts";
import { ecForms, type PrivateKeyType } from "./form.ts";

/** A new key pair: PKCS#8 and SubjectPublicKeyInfo, DER. */
export interface KeyPair {
  readonly pkcs8: Uint8Array;
  readonly spki: Uint8Array;
}

const rsaSizes: readonly number[] = [2048, 3072, 4096, 8192];
const ecSizes: readonly number[] = [224, 256, 384, 521];

/**
 * Checks `key_type` and `key_bits` and tells the bits meant: 0 becomes 2048 for `rsa` and 256 for
 * `ec`; `ed25519` and `any` have none and give 0. Refuses others as `invalid_field`.
 */
export function checkKeyParameters(type: string, bits: number): number {
  const refuse = (why: string): CaError => new CaError("invalid_field", why);
  switch (type) {
    case "rsa":
      if (bits === 0) return 2048;
      if (bits < 2048)
        throw refuse(`RSA keys < 2048 bits are unsafe and not supported: got ${bits}`);
      if (!rsaSizes.includes(bits)) throw refuse(`unsupported bit length for RSA key: ${bits}`);
      return bits;
    case "ec":
      if (bits === 0) return 256;
      if (!ecSizes.includes(bits)) throw refuse(`unsupported bit length for EC key: ${bits}`);
      return bits;
    case "ed25519":
    case "any":
      return 0;
    default:
      throw refuse(`unknown key type ${type.slice(0, 80)}: use rsa, ec or ed25519`);
  }
}

/** Where a key pair takes chance and time from. */
export interface KeySources {
  /** Serves P-224 only: WebCrypto makes the others by itself. */
  readonly random?: (bytes: number) => Uint8Array;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Makes a key pair; `bits` as `checkKeyParameters` takes them. RSA has the exponent 65537. Throws
 * `CaError` `invalid_field` for a kind or size that the platform does not make, and `busy` for an
 * RSA key above 4096 bits while another is being made.
 */
export async function generateKey(
  type: PrivateKeyType,
  bits: number,
  { random = platformRandom, now = Date.now }: KeySources = {},
): Promise<KeyPair> {
  if (type === "ec" && bits === 224) return await p224Pair(random);
  const size = checkKeyParameters(type, bits);
  if (type !== "rsa" || size <= promptRsa) return await anyPair(type, size);
  const giveBack = takeTurn(size, now);
  try {
    const pair = await anyPair(type, size);
    await pause(whileHeldUp);
    return pair;
  } finally {
    giveBack();
  }
}

/**
 * RSA keys above this size take seconds, and where WebCrypto works on the thread that serves,
 * everybody waits for them.
 */
const promptRsa = 4096;
/**
 * A turn that was not given back, because its request ended early, ends after these milliseconds.
 */
const longestTurn = 60_000;
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
function takeTurn(bits: number, now: () => number): () => void {
  const at = now();
  if (takenAt !== undefined && at >= takenAt && at - takenAt < longestTurn)
    throw new CaError(
      "busy",
      `another large RSA key is being made, and one of ${bits} bits would hold up all others; try again`,
      { retryAfter: 10 },
    );
  takenAt = at;
  return () => {
    if (takenAt === at) takenAt = undefined;
  };
}

async function anyPair(type: PrivateKeyType, size: number): Promise<KeyPair> {
  // WebKitGTK loses one of 128 Ed25519 keys to a zero in front. RSA is not worth a second wait.
  for (let tries = type === "rsa" ? 1 : 4; ; tries--) {
    try {
      return await platformPair(type, size);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      if (tries === 1)
        throw new CaError("invalid_field", `this platform cannot make ${kindName(type, size)}`, {
          cause: error,
        });
    }
  }
}

const kindName = (type: PrivateKeyType, bits: number): string =>
  type === "rsa"
    ? `RSA keys of ${bits} bits`
    : type === "ec"
      ? `keys on P-${bits}`
      : "Ed25519 keys";

async function platformPair(type: PrivateKeyType, bits: number): Promise<KeyPair> {
  const pair = await crypto.subtle.generateKey(parameters(type, bits), true, ["sign", "verify"]);
  // Ed25519 is typed as giving one key or two, because the same method makes secret keys.
  if (!("privateKey" in pair)) throw new TypeError("the platform did not make a key pair");
  // Measured in Node: one export as JWK takes an eighth of the time of PKCS#8 and
  // SubjectPublicKeyInfo.
  if (type === "ec") return ecPair(bits, await crypto.subtle.exportKey("jwk", pair.privateKey));
  const [pkcs8, spki] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
    crypto.subtle.exportKey("spki", pair.publicKey),
  ]);
  return { pkcs8: new Uint8Array(pkcs8), spki: new Uint8Array(spki) };
}

const platformRandom = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

async function p224Pair(random: (bytes: number) => Uint8Array): Promise<KeyPair> {
  const { newPair } = await import("./p224.ts");
  const { scalar, point } = newPair(random);
  const forms = ecForms(keyOid.p224, scalar, point.subarray(1, 29), point.subarray(29));
  scalar.fill(0);
  return forms;
}

const curveOids: Readonly<Record<number, string>> = {
  256: keyOid.p256,
  384: keyOid.p384,
  521: keyOid.p521,
};

/**
 * The pair of an EC key as JWK: `d`, `x` and `y` at the full length of the curve (RFC 7518 sections
 * 6.2.1 and 6.2.2).
 */
function ecPair(bits: number, { d = "", x = "", y = "" }: JsonWebKey): KeyPair {
  const [scalar, across, up] = [shortBase64Url(d), shortBase64Url(x), shortBase64Url(y)];
  const curve = curveOids[bits];
  const size = Math.ceil(bits / 8);
  if (
    curve === undefined ||
    scalar?.length !== size ||
    across?.length !== size ||
    up?.length !== size
  )
    throw new TypeError("the platform exported an EC key of another form");
  return ecForms(curve, scalar, across, up);
}

function parameters(
  type: PrivateKeyType,
  bits: number,
): RsaHashedKeyGenParams | EcKeyGenParams | Algorithm {
  if (type === "ed25519") return { name: "Ed25519" };
  if (type === "rsa")
    return {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: bits,
      publicExponent: Uint8Array.of(1, 0, 1),
    };
  return { name: "ECDSA", namedCurve: `P-${bits}` };
}
