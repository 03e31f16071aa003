import { equalBytes, type Bytes } from "../base/bytes.ts";
import {
  absentPart,
  explicit,
  integer,
  Reader,
  readDer,
  sequence,
  tagAndLength,
  time,
  tlv,
  tlvOf,
} from "../base/der.ts";
import { encodeExtension, encodeExtensions, type Extension, readExtensions } from "./extension.ts";
import { extensionOid } from "./oid.ts";

/** Names and codes of revocation reasons (RFC 5280 section 5.3.1). */
export const revocationReasons = {
  unspecified: 0,
  keyCompromise: 1,
  cACompromise: 2,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  certificateHold: 6,
  removeFromCRL: 8,
  privilegeWithdrawn: 9,
  aACompromise: 10,
} as const;

/**
 * One entry of a CRL. `revokedAt` is in Unix seconds, and `reason` is a code of RFC 5280 section
 * 5.3.1.
 */
export interface RevokedEntry {
  /** Serial number, as the content of its INTEGER: unsigned, big-endian. */
  readonly serial: Uint8Array;
  readonly revokedAt: number;
  readonly reason?: number;
}

const reasonBlocks: ReadonlyMap<number, Bytes> = new Map(
  Object.values(revocationReasons).map((code) => [
    code,
    code === 0
      ? absentPart
      : sequence(
          encodeExtension({
            oid: extensionOid.reasonCode,
            critical: false,
            value: tlv(0x0a, Uint8Array.of(code)),
          }),
        ),
  ]),
);

/**
 * Encodes one entry of revokedCertificates. Omits the reason `unspecified`. Throws `TypeError` for
 * a reason code that RFC 5280 does not define.
 */
export function encodeRevokedEntry({ serial, revokedAt, reason = 0 }: RevokedEntry): Bytes {
  const block = reasonBlocks.get(reason);
  if (!block) throw new TypeError(`${reason} is not a revocation reason`);
  return sequence(integer(serial), time(revokedAt), block);
}

/** The fields of a CRL to be signed. Names and algorithm are DER; times are in Unix seconds. */
interface TbsCrlFields {
  readonly algorithm: Uint8Array;
  readonly issuer: Uint8Array;
  readonly thisUpdate: number;
  readonly nextUpdate: number;
  /** Encoded entries; each page may contain any number of them. */
  readonly pages: readonly Uint8Array[];
  readonly extensions: readonly Extension[];
}

const version2 = integer(1);

/** Encodes a version 2 TBSCertList. Copies each page once. */
export function encodeTbsCrl(fields: TbsCrlFields): Bytes {
  let length = 0;
  for (const page of fields.pages) length += page.length;
  // An empty list is omitted (RFC 5280 section 5.1.2.6).
  const revoked = length === 0 ? [] : [tagAndLength(0x30, length), ...fields.pages];
  return tlvOf(0x30, [
    version2,
    fields.algorithm,
    fields.issuer,
    time(fields.thisUpdate),
    time(fields.nextUpdate),
    ...revoked,
    fields.extensions.length > 0 ? explicit(0, encodeExtensions(fields.extensions)) : absentPart,
  ]);
}

/** A parsed CRL. Byte arrays are views of `der`; `eachRevoked` parses the entries. */
export interface Crl {
  readonly der: Uint8Array;
  readonly tbs: Uint8Array;
  readonly issuer: Uint8Array;
  readonly thisUpdate: number;
  readonly nextUpdate?: number;
  /** The encoded entries, concatenated. They can be passed to `encodeTbsCrl` as a page. */
  readonly entries: Uint8Array;
  readonly extensions: readonly Extension[];
  readonly algorithm: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Maximum size of a CRL in bytes, enough for about 1.5 million entries. Larger CRLs do not fit into
 * the memory of a Worker.
 */
const limit = 64 * 1024 * 1024;

function readBody(tbs: Reader): Omit<Crl, "der" | "tbs" | "signature"> {
  const second = tbs.tag === 0x02;
  if (second && tbs.number("the version") !== 1) throw tbs.refuse("the version is not 2");
  const algorithm = tbs.raw("the signature algorithm", 0x30);
  const issuer = tbs.raw("the issuer", 0x30);
  const thisUpdate = tbs.time("thisUpdate");
  const nextUpdate = tbs.tag === 0x17 || tbs.tag === 0x18 ? tbs.time("nextUpdate") : undefined;
  const listed = tbs.tag === 0x30;
  const entries = listed ? tbs.content("revokedCertificates", 0x30) : absentPart;
  if (listed && entries.length === 0)
    throw tbs.refuse("revokedCertificates is empty instead of absent");
  const tagged = tbs.optional("the extensions", 0xa0);
  if (tagged && !second) throw tbs.refuse("a CRL of version 1 must not have extensions");
  const extensions = tagged ? readExtensions(tagged) : [];
  tagged?.end();
  tbs.end();
  return {
    algorithm,
    issuer,
    thisUpdate,
    ...(nextUpdate !== undefined && { nextUpdate }),
    entries,
    extensions,
  };
}

/**
 * Parses a CRL of up to 64 MiB strictly (RFC 5280 section 5.1), except for its entries, which
 * `eachRevoked` parses. Throws `CaError` `malformed`.
 */
export function parseCrl(der: Uint8Array): Crl {
  const outer = readDer(der, "CRL", limit).enter("CertificateList");
  const { der: tbs } = outer.element("TBSCertList", 0x30);
  const algorithm = outer.raw("the signature algorithm", 0x30);
  const signature = outer.wholeBits("the signature");
  outer.end();
  const body = readBody(readDer(tbs, "CRL", limit).enter("TBSCertList"));
  if (!equalBytes(body.algorithm, algorithm))
    throw outer.refuse("the signature field of the TBSCertList differs from signatureAlgorithm");
  return { der, tbs, ...body, signature };
}

function readReason(extensions: readonly Extension[]): number | undefined {
  const extension = extensions.find((one) => one.oid === extensionOid.reasonCode);
  return extension && readDer(extension.value, "reason code").number("the code", 0x0a);
}

/**
 * Parses and yields the entries of a CRL of any length. Throws `CaError` `malformed` at the first
 * invalid entry.
 */
export function* eachRevoked(
  crl: Pick<Crl, "entries">,
): Generator<RevokedEntry & { readonly der: Uint8Array }> {
  const list = new Reader(crl.entries, "CRL, revokedCertificates");
  while (list.tag !== undefined) {
    const der = list.peek("an entry");
    const entry = list.enter("an entry");
    const serial = entry.unsigned("the serial number");
    const revokedAt = entry.time("the time");
    const reason = entry.tag === undefined ? undefined : readReason(readExtensions(entry));
    entry.end();
    yield { der, serial, revokedAt, ...(reason !== undefined && { reason }) };
  }
}

/** Returns a CRLNumber extension. */
export const crlNumber = (number: number): Extension => ({
  oid: extensionOid.crlNumber,
  critical: false,
  value: integer(number),
});

/**
 * Returns a critical DeltaCRLIndicator extension with the number of the complete CRL on which the
 * delta CRL is based.
 */
export const deltaIndicator = (base: number): Extension => ({
  oid: extensionOid.deltaCrlIndicator,
  critical: true,
  value: integer(base),
});
