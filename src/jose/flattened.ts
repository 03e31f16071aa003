import { fromBase64Url, utf8 } from "../base/bytes.ts";
import { recode, malformed } from "../base/errors.ts";
import { readJson } from "../base/json-members.ts";
import type { JsonMembers } from "./jwk.ts";
import { parseAlgorithm, type SignedInput } from "./signature.ts";

/** A JWS whose signature has not been verified yet. */
export interface Jws extends SignedInput {
  readonly header: JsonMembers;
  readonly payload: Uint8Array;
}

/** Maximum number of members and list items, in the JWS, in its header and in its payload. */
const maxMembers = 2000;

/**
 * Parses a JSON object. `what` is the name of the object for errors, such as `the payload`. Throws
 * CaError `malformed`.
 */
export const parseMembers = (bytes: Uint8Array, what: string): JsonMembers =>
  recode("malformed", () => readJson(bytes, null, false, maxMembers), `${what}: `);

function decodeMember(from: JsonMembers, name: string): readonly [text: string, bytes: Uint8Array] {
  const text = from[name];
  if (typeof text !== "string") throw malformed(`${name} of the JWS must be a string`);
  const bytes = fromBase64Url(text);
  if (!bytes) throw malformed(`${name} of the JWS must be base64url without padding`);
  return [text, bytes];
}

/**
 * Parses a JWS in Flattened JSON Serialization (RFC 7515 section 7.2.2, RFC 8555 section 6.2). It
 * must have exactly one signature, a header that is entirely protected, no critical extensions, and
 * a payload in base64url. `algOf` validates `alg`, which must be a signature algorithm by default.
 * Throws CaError.
 */
export function parseFlattened(
  members: JsonMembers,
  algOf: (alg: unknown) => string = parseAlgorithm,
): Jws {
  if (Object.hasOwn(members, "signatures") || Object.hasOwn(members, "header"))
    throw malformed(
      "the JWS must have a single signature, and its whole header must be in `protected`",
    );
  const [head, headBytes] = decodeMember(members, "protected");
  const [body, payload] = decodeMember(members, "payload");
  const [, signature] = decodeMember(members, "signature");
  if (headBytes.length === 0) throw malformed("the JWS has an empty protected header");
  const header = parseMembers(headBytes, "the protected header");
  for (const name of ["crit", "b64"])
    if (Object.hasOwn(header, name))
      throw malformed(`${name} in the protected header is not supported`);
  return {
    header,
    alg: algOf(header["alg"]),
    payload,
    data: utf8(`${head}.${body}`),
    signature,
  };
}
