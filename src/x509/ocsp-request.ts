import { asBytes, type Bytes } from "../base/bytes.ts";
import {
  readDer,
  type Reader,
  absentPart,
  explicit,
  integer,
  nullValue,
  octets,
  oid,
  sequence,
  tlvOf,
} from "../base/der.ts";
import type { Certificate } from "./certificate.ts";
import { readExtensions, type Extension, encodeExtensions } from "./extension.ts";
import { ocspOid, hashOid } from "./oid.ts";
import { parsePublicKey } from "./public-key.ts";

/**
 * A CertID, which identifies a certificate by its serial number and the hashes of its issuer's name
 * and key (RFC 6960 section 4.1.1).
 */
export interface CertId {
  /** The encoding as sent, which responses repeat byte for byte. */
  readonly der: Uint8Array;
  /** Object identifier of the hash algorithm. */
  readonly hash: string;
  /**
   * Hash of the DER-encoded issuer field of the requested certificate (RFC 6960 section 4.1.1,
   * issuerNameHash).
   */
  readonly nameHash: Uint8Array;
  /** Hash of the content of the issuer's public key BIT STRING. */
  readonly keyHash: Uint8Array;
  /** Serial number, as the content of its INTEGER: unsigned, big-endian. */
  readonly serial: Uint8Array;
}
/** A parsed OCSP request. */
export interface OcspRequest {
  /** The certificates whose status is requested, at least one. */
  readonly certIds: readonly CertId[];
  /** Nonce, which the response repeats. */
  readonly nonce?: Uint8Array;
}

/** Maximum length of a request in bytes (B 2). */
export const maxOcspRequest = 2047;
/** Maximum length of a nonce in bytes (D 4, RFC 9654 section 2.1). */
const maxNonce = 128;

/**
 * Parses an OCSP request strictly (RFC 6960 section 4.1). Ignores its signature. Throws `CaError`
 * `malformed` if it cannot be parsed, if the nonce is empty or too long (RFC 9654 section 2.1), or
 * if a critical extension is unknown.
 */
export function parseOcspRequest(der: Uint8Array): OcspRequest {
  const outer = readDer(der, "OCSP request", maxOcspRequest).enter("OCSPRequest");
  const tbs = outer.enter("TBSRequest");
  outer.optional("the signature", 0xa0);
  outer.end();
  const version = tbs.optional("the version", 0xa0);
  if (version && version.number("the version") !== 0) throw tbs.refuse("the version is not 1");
  version?.end();
  tbs.optional("the requestor name", 0xa1);
  const list = tbs.enter("the request list");
  const certIds: CertId[] = [];
  while (list.tag !== undefined) certIds.push(readRequest(list));
  if (certIds.length === 0) throw list.refuse("is empty");
  const extensions = readKnownExtensions(tbs, "the request extensions", 0xa2);
  tbs.end();
  const nonce = readNonce(extensions);
  if (nonce && (nonce.length === 0 || nonce.length > maxNonce))
    throw tbs.refuse(`the nonce must have 1 to ${maxNonce} bytes, but has ${nonce.length}`);
  return nonce ? { certIds, nonce } : { certIds };
}

/**
 * Returns the nonce, if any, from the extensions of a request or response, regardless of its
 * length.
 */
export function readNonce(extensions: readonly Extension[]): Uint8Array | undefined {
  const extension = extensions.find(({ oid }) => oid === ocspOid.nonce);
  if (!extension) return undefined;
  return readDer(extension.value, "OCSP nonce").octets("the nonce");
}

function readRequest(list: Reader): CertId {
  const request = list.enter("a request");
  const certId = readCertId(request);
  readKnownExtensions(request, "the extensions of a request", 0xa0);
  request.end();
  return certId;
}

/** Parses the CertID at the reader's position. */
export function readCertId(reader: Reader): CertId {
  const der = reader.peek("the certificate id");
  const id = reader.enter("CertID");
  const algorithm = id.enter("the hash algorithm");
  const hash = algorithm.oid("its identifier");
  if (algorithm.tag !== undefined) algorithm.null("its parameters");
  algorithm.end();
  const certId = {
    der,
    hash,
    nameHash: id.octets("the hash of the issuer's name"),
    keyHash: id.octets("the hash of the issuer's key"),
    serial: id.unsigned("the serial number"),
  };
  id.end();
  return certId;
}

/**
 * Parses the tagged extensions of a request or response, if any. Throws `CaError` `malformed` for a
 * critical extension other than the nonce (RFC 6960 section 4.4).
 */
export function readKnownExtensions(
  reader: Reader,
  what: string,
  tag: number,
): readonly Extension[] {
  const tagged = reader.optional(what, tag);
  if (!tagged) return [];
  const extensions = readExtensions(tagged);
  tagged.end();
  const unknown = extensions.find(({ oid, critical }) => critical && oid !== ocspOid.nonce);
  if (unknown) throw reader.refuse(`unknown critical extension ${unknown.oid}`);
  return extensions;
}

/** Name of a hash algorithm that a CertID may use. */
export type IssuerHash = keyof typeof hashOid;

/**
 * The hashes that identify an issuer in OCSP: one of its subject (DER), and one of its public key's
 * bits.
 */
interface IssuerHashes {
  readonly nameHash: Bytes;
  readonly keyHash: Bytes;
}

// the keys of the table are the names of the hashes
const byOid = new Map((Object.keys(hashOid) as IssuerHash[]).map((hash) => [hashOid[hash], hash]));
/**
 * Returns the hash algorithm with an object identifier, or undefined if CertIDs with that algorithm
 * are not supported.
 */
export const issuerHashOf = (oid: string): IssuerHash | undefined =>
  // the map has no entry for any other string
  byOid.get(oid as (typeof hashOid)[IssuerHash]);

/** Computes the hashes by which OCSP identifies an issuer (RFC 6960 section 4.1.1). */
export async function issuerHashes(
  hash: IssuerHash,
  { subject, spki }: Pick<Certificate, "subject" | "spki">,
): Promise<IssuerHashes> {
  const digest = async (bytes: Uint8Array) =>
    new Uint8Array(await crypto.subtle.digest(hash, asBytes(bytes)));
  const [nameHash, keyHash] = await Promise.all([
    digest(subject),
    digest(parsePublicKey(spki).keyBits),
  ]);
  return { nameHash, keyHash };
}

/** Encodes the CertID of the certificate with the given serial number and issuer. */
export async function encodeCertId(
  hash: IssuerHash,
  issuer: Pick<Certificate, "subject" | "spki">,
  serial: Uint8Array,
): Promise<Bytes> {
  const { nameHash, keyHash } = await issuerHashes(hash, issuer);
  return sequence(
    sequence(oid(hashOid[hash]), nullValue),
    octets(nameHash),
    octets(keyHash),
    integer(serial),
  );
}

/** Encodes an unsigned OCSP request for certificates identified by their CertIDs. */
export function encodeOcspRequest(certIds: readonly Uint8Array[], nonce?: Uint8Array): Bytes {
  const list = tlvOf(
    0x30,
    certIds.map((certId) => sequence(certId)),
  );
  const value = nonce && octets(nonce);
  const extensions = value
    ? explicit(2, encodeExtensions([{ oid: ocspOid.nonce, critical: false, value }]))
    : absentPart;
  return sequence(sequence(list, extensions));
}
