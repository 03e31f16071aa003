import { fromBase64Url, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { readJson } from "../wire/json.ts";
import { refusedAs } from "./refused.ts";
import { demandAlgorithm } from "./signature.ts";

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** A JWS that was taken apart and not verified yet. */
export interface Jws {
  readonly header: Members;
  /** The algorithm of the header, one that is taken. */
  readonly alg: string;
  readonly payload: Uint8Array;
  /** What was signed. */
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}

const malformed = (why: string): CaError => new CaError("malformed", why);
/** Most members and list items of a JWS, its header and its payload, each. */
const mostMembers = 2000;

/** The members of JSON text. Throws CaError `malformed`; `what` it is: `the payload`. */
export function membersOf(bytes: Uint8Array, what: string): Members {
  return refusedAs("malformed", () => readJson(bytes, null, false, mostMembers), `${what}: `);
}
function part(from: Members, name: string): readonly [text: string, bytes: Uint8Array] {
  const text = from[name];
  if (typeof text !== "string") throw malformed(`the JWS has no text as ${name}`);
  const bytes = fromBase64Url(text);
  if (!bytes) throw malformed(`${name} of the JWS must be base64url without padding`);
  return [text, bytes];
}

/**
 * Takes a JWS in Flattened JSON Serialization apart (RFC 7515 section 7.2.2, RFC 8555 section 6.2):
 * all of its header is protected, it has one signature, nothing in it is critical, and the payload
 * is base64url. `algOf` judges `alg`; those of signatures unless given. Throws CaError.
 */
export function takeApart(
  members: Members,
  algOf: (alg: unknown) => string = demandAlgorithm,
): Jws {
  if (Object.hasOwn(members, "signatures") || Object.hasOwn(members, "header"))
    throw malformed("send one signature, and all of the header as `protected`");
  const [head, headBytes] = part(members, "protected");
  const [body, payload] = part(members, "payload");
  const [, signature] = part(members, "signature");
  if (headBytes.length === 0) throw malformed("the JWS has an empty protected header");
  const header = membersOf(headBytes, "the protected header");
  if (Object.hasOwn(header, "crit")) throw malformed("crit in the protected header is not taken");
  if (Object.hasOwn(header, "b64")) throw malformed("b64 in the protected header is not taken");
  return {
    header,
    alg: algOf(header["alg"]),
    payload,
    data: utf8(`${head}.${body}`),
    signature,
  };
}
