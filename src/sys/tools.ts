import { concat, fromBase64, toBase64, toHex } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { systemEndpoint } from "../wire/endpoint.ts";
import { int, secret, text } from "../wire/field.ts";
import { envelope } from "../wire/style.ts";
import type { RandomBytes } from "../base/random-text.ts";

const formats = { hex: toHex, base64: toBase64 } as const;
type Format = keyof typeof formats;
const isFormat = (name: string): name is Format => Object.hasOwn(formats, name);
/** Returns the encoder for a format. Throws `malformed` if the format is unknown. */
function encoderOf(name: string): (bytes: Uint8Array) => string {
  if (!isFormat(name))
    throw new CaError("malformed", `unsupported format "${quoted(name)}": use hex or base64`);
  return formats[name];
}
const quoted = (name: string): string => name.slice(0, 64);

const algorithms = ["sha2-224", "sha2-256", "sha2-384", "sha2-512"] as const;

export const hashData = systemEndpoint({
  id: "hashData",
  at: ["POST /tools/hash(/:urlalgorithm)"],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Hashes data. An algorithm in the path overrides the algorithm in the body.",
  body: {
    input: secret.required("Data, base64."),
    algorithm: text.default("sha2-256", "Hash function.", algorithms),
    format: text.default("hex", "Encoding of the hash.", ["hex", "base64"]),
  },
  reply: { sum: text.required("The hash.") },
  refuses: ["malformed"],
  audits: false,
  run: async (_, { input, algorithm, urlalgorithm = algorithm, format }) => {
    const encode = encoderOf(format);
    const data = fromBase64(input);
    if (!data)
      throw new CaError("malformed", "input must be base64 of the standard alphabet with padding");
    const { digests } = await import("../keys/digest.ts");
    const digest = digests.get(urlalgorithm);
    if (!digest)
      throw new CaError(
        "malformed",
        `unsupported algorithm "${quoted(urlalgorithm)}": use one of ${algorithms.join(", ")}`,
      );
    return { sum: encode(digest(data)) };
  },
});

/** Maximum number of random bytes per request, and per call to `crypto.getRandomValues`. */
const [maxBytes, maxChunk] = [131_072, 65_536];
const sources: readonly string[] = ["platform", "all"];

interface RandomRequest {
  readonly bytes: number;
  readonly source: string;
  /** The source, or the number of bytes if this is the last segment of the path. */
  readonly urlsource?: string;
  readonly urlbytes?: string;
}
/**
 * Returns the requested number of bytes. Throws `malformed` if the number or the source is invalid.
 */
function countOf({ bytes, source, urlsource, urlbytes }: RandomRequest): number {
  const isCount = urlsource !== undefined && urlbytes === undefined && /^-?\d+$/.test(urlsource);
  const chosen = isCount ? source : (urlsource ?? source);
  if (chosen === "seal")
    throw new CaError(
      "malformed",
      'unsupported source "seal": the seal does not provide random bytes; use platform',
    );
  if (!sources.includes(chosen))
    throw new CaError("malformed", `unsupported source "${quoted(chosen)}": use platform or all`);
  const requested = (isCount ? urlsource : urlbytes) ?? String(bytes);
  const count = /^\d{1,6}$/.test(requested) ? Number(requested) : 0;
  if (count < 1 || count > maxBytes)
    throw new CaError("malformed", `bytes must be 1 to ${maxBytes}, got ${quoted(requested)}`);
  return count;
}
/** Generates random bytes in chunks that every platform supports. */
function generate(random: RandomBytes, count: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let left = count; left > 0; left -= maxChunk) pieces.push(random(Math.min(left, maxChunk)));
  return concat(pieces);
}

export const randomBytes = systemEndpoint({
  id: "randomBytes",
  at: [
    "POST /tools/random",
    "POST /tools/random/:urlsource",
    "POST /tools/random/:urlsource/:urlbytes",
  ],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Returns random bytes. The source and the number of bytes in the path override those in the body. A path with one segment contains the number.",
  body: {
    bytes: int.default(32, `Number of bytes, 1 to ${maxBytes}.`),
    format: text.default("base64", "Encoding of the bytes.", ["hex", "base64"]),
    source: text.default(
      "platform",
      "Source of the bytes; `platform` is the only source.",
      sources,
    ),
  },
  reply: { random_bytes: secret.required("The bytes.") },
  refuses: ["malformed"],
  audits: false,
  run: async ({ ports }, { format, ...request }) => {
    const encode = encoderOf(format);
    return { random_bytes: encode(generate(ports.random, countOf(request))) };
  },
});
