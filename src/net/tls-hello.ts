import { asBytes, concat, equalBytes, fromHex, utf8, type Bytes } from "../base/bytes.ts";
import { lowerAscii } from "../base/names.ts";
import { violation } from "./tls-error.ts";
import { schemes } from "./tls-signature.ts";
import { groups, suites, type Group, type Suite, type TlsVersion } from "./tls-suites.ts";
import { uint, vector, WireReader } from "./tls-wire.ts";

/** Numbers of the extensions that are used. */
export const extensionType = {
  serverName: 0,
  supportedGroups: 10,
  pointFormats: 11,
  signatureAlgorithms: 13,
  alpn: 16,
  extendedMasterSecret: 23,
  supportedVersions: 43,
  cookie: 44,
  keyShare: 51,
  renegotiationInfo: 0xff01,
} as const;
type Extensions = ReadonlyMap<number, Uint8Array>;

/** The client's key pair for a group. */
interface Share {
  readonly group: Group;
  readonly pair: CryptoKeyPair;
  /** The public key as sent in the key share. */
  readonly point: Uint8Array;
}
/** The contents of the ClientHello. */
export interface Offer {
  /** The random value of 32 bytes. */
  readonly random: Uint8Array;
  readonly session: Uint8Array;
  readonly serverName: string | undefined;
  readonly alpn: readonly string[];
  readonly shares: readonly Share[];
  readonly cookie?: Uint8Array;
}

/** Generates a key pair for a group. */
export async function newShare(group: Group): Promise<Share> {
  const pair = await crypto.subtle.generateKey(group.algorithm, false, ["deriveBits"]);
  // according to the types, the method may return a key or a key pair
  if (!("privateKey" in pair)) throw new TypeError("the platform did not generate a key pair");
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return { group, pair, point };
}

/** Computes the shared secret. Throws `TlsError` if the peer's public key is invalid. */
export async function sharedSecret({ group, pair }: Share, point: Uint8Array): Promise<Bytes> {
  const wrong = () =>
    violation("illegal_parameter", "the server sent an invalid public key in the key exchange");
  if (point.length !== group.length || (group.algorithm.namedCurve && point[0] !== 4))
    throw wrong();
  let secret: Bytes;
  try {
    const other = await crypto.subtle.importKey("raw", asBytes(point), group.algorithm, false, []);
    const parameters = { name: group.algorithm.name, public: other };
    secret = new Uint8Array(
      await crypto.subtle.deriveBits(parameters, pair.privateKey, group.bits),
    );
  } catch {
    throw wrong();
  }
  // rejects points of small order (RFC 7748 section 6.1), which some platforms accept
  if (secret.every((byte) => byte === 0)) throw wrong();
  return secret;
}

const extension = (type: number, ...parts: readonly Uint8Array[]): Bytes =>
  concat([uint(type, 2), vector(2, ...parts)]);
const numbers = (list: readonly { readonly id: number }[]): Bytes =>
  vector(2, ...list.map(({ id }) => uint(id, 2)));

/** Encodes the body of a ClientHello (RFC 8446 section 4.1.2). */
export function clientHello(offer: Offer): Bytes {
  const { random, session, serverName, alpn, shares, cookie } = offer;
  const type = extensionType;
  const extensions = [
    ...(serverName === undefined
      ? []
      : [extension(type.serverName, vector(2, Uint8Array.of(0), vector(2, utf8(serverName))))]),
    extension(type.supportedGroups, numbers(groups)),
    extension(type.pointFormats, vector(1, Uint8Array.of(0))),
    extension(type.signatureAlgorithms, numbers(schemes)),
    ...(alpn.length === 0
      ? []
      : [extension(type.alpn, vector(2, ...alpn.map((name) => vector(1, utf8(name)))))]),
    extension(type.extendedMasterSecret),
    extension(type.renegotiationInfo, vector(1)),
    extension(type.supportedVersions, vector(1, uint(0x0304, 2), uint(0x0303, 2))),
    ...(cookie ? [extension(type.cookie, vector(2, cookie))] : []),
    extension(
      type.keyShare,
      vector(2, ...shares.map(({ group, point }) => concat([uint(group.id, 2), vector(2, point)]))),
    ),
  ];
  return concat([
    uint(0x0303, 2),
    random,
    vector(1, session),
    numbers(suites),
    vector(1, Uint8Array.of(0)),
    vector(2, ...extensions),
  ]);
}

/** The choices of the server. */
export interface ServerHello {
  readonly version: TlsVersion;
  readonly suite: Suite;
  readonly random: Uint8Array;
  readonly extensions: Extensions;
  /** Whether the message is a HelloRetryRequest rather than a ServerHello. */
  readonly retry: boolean;
}

/** The random value that marks a ServerHello as a HelloRetryRequest (RFC 8446 section 4.1.3). */
const retryRandom = fromHex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");
/**
 * The beginning of the last eight random bytes of a TLS 1.3 server that negotiates an older version
 * (RFC 8446 section 4.1.3).
 */
const downgraded = utf8("DOWNGRD");

/** Reads a ServerHello. Rejects a ServerHello that does not match the offer. */
export function readServerHello(body: Uint8Array, offer: Offer): ServerHello {
  const reader = new WireReader(body, "the ServerHello");
  const legacy = reader.number(2);
  const random = reader.bytes(32);
  const session = reader.vector(1);
  const id = reader.number(2);
  const compression = reader.number(1);
  const extensions = reader.done ? new Map<number, Uint8Array>() : readExtensions(reader);
  reader.end();
  const version = versionOf(legacy, extensions);
  const suite = suites.find((one) => one.id === id && one.version === version);
  if (!suite)
    throw violation("illegal_parameter", "the server selected a cipher suite that was not offered");
  if (compression !== 0) throw violation("illegal_parameter", "compression");
  if (equalBytes(session, offer.session) !== (version === "1.3"))
    throw violation("illegal_parameter", "the server selected a session that was not offered");
  const retry = equalBytes(random, retryRandom);
  if (version === "1.2" && equalBytes(random.subarray(24, 31), downgraded))
    throw violation("illegal_parameter", "an attacker downgraded the connection");
  const { serverName, pointFormats, alpn, keyShare, cookie } = extensionType;
  const { extendedMasterSecret, renegotiationInfo, supportedVersions } = extensionType;
  requireKnownExtensions(
    extensions,
    version === "1.2"
      ? [serverName, pointFormats, alpn, extendedMasterSecret, renegotiationInfo]
      : [supportedVersions, keyShare, ...(retry ? [cookie] : [])],
  );
  return { version, suite, random, extensions, retry };
}

function versionOf(legacy: number, extensions: Extensions): TlsVersion {
  const chosen = extensions.get(extensionType.supportedVersions);
  if (legacy !== 0x0303 || (chosen && chosen.length !== 2))
    throw violation("protocol_version", "the server supports neither TLS 1.2 nor TLS 1.3");
  if (!chosen) return "1.2";
  if (chosen[0] !== 3 || chosen[1] !== 4)
    throw violation("illegal_parameter", "the server selected a version that was not offered");
  return "1.3";
}

/** Reads a list of extensions. Rejects duplicates. */
export function readExtensions(reader: WireReader): Extensions {
  const list = reader.enter(2);
  const extensions = new Map<number, Uint8Array>();
  while (!list.done) {
    const type = list.number(2);
    if (extensions.has(type))
      throw violation("illegal_parameter", "the server sent an extension twice");
    extensions.set(type, list.vector(2));
  }
  return extensions;
}

/** Rejects extensions whose type is not in `types`. */
export function requireKnownExtensions(extensions: Extensions, types: readonly number[]): void {
  for (const type of extensions.keys())
    if (!types.includes(type))
      throw violation(
        "unsupported_extension",
        `the server sent an extension that was not offered (${type})`,
      );
}

/**
 * Returns the selected protocol, or undefined if there is none (RFC 7301 section 3.2). Rejects a
 * protocol that was not offered.
 */
export function chosenProtocol(
  extensions: Extensions,
  offered: readonly string[],
): string | undefined {
  const value = extensions.get(extensionType.alpn);
  if (!value) return undefined;
  const outer = new WireReader(value, "the selected protocol");
  const list = outer.enter(2);
  const name = list.vector(1);
  list.end();
  outer.end();
  const chosen = offered.find((one) => equalBytes(utf8(one), name));
  if (chosen === undefined)
    throw violation("illegal_parameter", "the server selected a protocol that was not offered");
  return chosen;
}

/**
 * Returns a host name as sent in SNI: in lower case, without a final dot. Throws `TypeError` if the
 * name is not valid.
 */
export function sniName(name: string): string {
  const plain = lowerAscii(name.endsWith(".") ? name.slice(0, -1) : name);
  if (!/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(plain) || plain.length > 253)
    throw new TypeError("options: serverName is not an ASCII host name");
  return plain;
}
