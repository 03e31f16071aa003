import { type Bytes } from "../base/bytes.ts";
import { checkDer, integer, oid, readDer, sequence, set, tlv, type Reader } from "../base/der.ts";
import { verifySignature } from "./public-key.ts";
import { encodeExtensions, type Extension, readExtensions } from "./extension.ts";
import { otherOid } from "./oid.ts";

/** A parsed certificate signing request (PKCS#10). Byte arrays are views of `der`. */
export interface Csr {
  readonly der: Uint8Array;
  /** DER-encoded CertificationRequestInfo, which is the signed content. */
  readonly info: Uint8Array;
  /** DER-encoded name of the subject. */
  readonly subject: Uint8Array;
  /** DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** The requested extensions. */
  readonly extensions: readonly Extension[];
  /** DER-encoded AlgorithmIdentifier. */
  readonly algorithm: Uint8Array;
  readonly signature: Uint8Array;
}

/** Maximum size of a CSR in bytes. A CSR with a thousand names has about 30 KiB. */
const limit = 64 * 1024;

function readAttributes(attributes: Reader | undefined): readonly Extension[] {
  let extensions: readonly Extension[] | undefined;
  while (attributes?.tag !== undefined) {
    const attribute = attributes.enter("an attribute");
    const type = attribute.oid("the type");
    const values = attribute.enter("the values", 0x31);
    attribute.end();
    if (type !== otherOid.extensionRequest) continue;
    if (extensions) throw attributes.refuse("more than one attribute requests extensions");
    extensions = readExtensions(values);
    values.end();
  }
  return extensions ?? [];
}

/**
 * Parses a CSR strictly (RFC 2986). Does not check its signature or key; see `verifyCsr` and
 * `checkPublicKey`. Throws `CaError` `malformed` if it cannot be parsed, is larger than 64 KiB, or
 * has duplicate extensions.
 */
export function parseCsr(der: Uint8Array): Csr {
  checkDer(der, "CSR", limit);
  const outer = readDer(der, "CSR").enter("CertificationRequest");
  const { der: info } = outer.element("CertificationRequestInfo", 0x30);
  const algorithm = outer.raw("the signature algorithm", 0x30);
  const signature = outer.wholeBits("the signature");
  outer.end();
  const body = readDer(info, "CSR").enter("CertificationRequestInfo");
  // RFC 2986 only defines v1, but some clients send a certificate version instead, which has no
  // effect
  if (body.number("the version") > 2) throw body.refuse("the version is not 1, 2 or 3");
  const subject = body.raw("the subject", 0x30);
  const spki = body.raw("the public key", 0x30);
  // RFC 2986 requires the attributes even if they are empty, but some devices omit them
  const extensions = readAttributes(body.optional("the attributes", 0xa0));
  body.end();
  return { der, info, subject, spki, extensions, algorithm, signature };
}

/** Reports whether a CSR is signed with its own key and a trusted algorithm. */
export const verifyCsr = (csr: Csr): Promise<boolean> =>
  verifySignature(csr.spki, csr.algorithm, csr.info, csr.signature);

const version1 = integer(0);

/** Encodes a CertificationRequestInfo. Without extensions, its attributes are empty. */
export function encodeCsrInfo(fields: {
  readonly subject: Uint8Array;
  readonly spki: Uint8Array;
  readonly extensions: readonly Extension[];
}): Bytes {
  const attributes =
    fields.extensions.length > 0
      ? [sequence(oid(otherOid.extensionRequest), set(encodeExtensions(fields.extensions)))]
      : [];
  return sequence(version1, fields.subject, fields.spki, tlv(0xa0, ...attributes));
}
