import type { Bytes } from "../base/bytes.ts";
import { absent, explicit, integer, nullValue, octets, oid, sequence, tlvOf } from "../base/der.ts";
import type { Certificate } from "./certificate.ts";
import { encodeExtensions } from "./extension.ts";
import { issuerHashes, type IssuerHash } from "./ocsp-issuer.ts";
import { hashOid, ocspOid } from "./oid.ts";

/** The CertID of a serial number below an issuer, DER. */
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

/** An unsigned OCSP request for certificates named by their CertIDs, DER. */
export function encodeOcspRequest(certIds: readonly Uint8Array[], nonce?: Uint8Array): Bytes {
  const list = tlvOf(
    0x30,
    certIds.map((certId) => sequence(certId)),
  );
  const value = nonce && octets(nonce);
  const extensions = value
    ? explicit(2, encodeExtensions([{ oid: ocspOid.nonce, critical: false, value }]))
    : absent;
  return sequence(sequence(list, extensions));
}
