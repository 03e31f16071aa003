import { checkDer, readDer, type Reader } from "../base/der.ts";
import { tryRead } from "../base/try-read.ts";
import { berToDer } from "./ber.ts";

/** The certificates and CRLs (DER) of a CMS message, in the same order as in the message. */
interface MessageContents {
  readonly certificates: readonly Uint8Array[];
  readonly crls: readonly Uint8Array[];
}

const where = "CMS";
const maxBytes = 16 * 1024 * 1024;
const idSignedData = "1.2.840.113549.1.7.2";

function elementsOf(set: Reader | undefined): readonly Uint8Array[] {
  const elements: Uint8Array[] = [];
  while (set?.tag !== undefined) {
    const { tag, der } = set.element("an element");
    // skip attribute certificates and other formats
    if (tag === 0x30) elements.push(der);
  }
  return elements;
}

/**
 * Returns the certificates and CRLs in a SignedData message (RFC 5652 section 5.1), which may be
 * BER or DER. Ignores content and signers. Does not verify signatures. Throws `CaError`
 * `malformed`.
 */
export function readSignedData(bytes: Uint8Array): MessageContents {
  const isDer = tryRead(() => (checkDer(bytes, where, maxBytes), true)) ?? false;
  const der = isDer ? bytes : berToDer(bytes, where);
  const info = readDer(der, where, maxBytes).enter("ContentInfo");
  const type = info.oid("the type");
  if (type !== idSignedData)
    throw info.refuse(`has the type ${type}, which cannot contain certificates`);
  const signed = info.enter("the content", 0xa0).enter("SignedData");
  signed.number("the version");
  signed.raw("the digest algorithms", 0x31);
  signed.raw("the encapsulated content", 0x30);
  return {
    certificates: elementsOf(signed.optional("the certificates", 0xa0)),
    crls: elementsOf(signed.optional("the CRLs", 0xa1)),
  };
}
