import { algorithmIdentifier } from "../../x509/public-key.ts";
import { authorityKeyIdentifier } from "../../x509/key-identifiers.ts";
import { encodeTbsCrl, crlNumber } from "../../x509/crl.ts";
import type { Signed } from "../../log/rows/signed.ts";
import type { Extension } from "../../x509/extension.ts";
import { type SigningIssuer, revocationScheme, signLogged } from "../issuer/issuer.ts";

/** The contents of a CRL except its issuer. Times are in Unix seconds. */
export interface CrlFields {
  readonly thisUpdate: number;
  readonly nextUpdate: number;
  readonly number: number;
  /** Encoded entries; a page contains any number of them. */
  readonly pages: readonly Uint8Array[];
  /**
   * Extensions in addition to the authority key identifier and the CRL number. Undefined elements
   * are omitted.
   */
  readonly extensions: readonly (Extension | undefined)[];
}

/**
 * Signs a CRL; no other code signs CRLs. Throws `unusable_issuer` if the issuer's key creates an
 * invalid signature.
 */
export function signCrl(issuer: SigningIssuer, crl: CrlFields): Promise<Signed> {
  const scheme = revocationScheme(issuer);
  const { number, extensions, ...fields } = crl;
  const tbs = encodeTbsCrl({
    ...fields,
    algorithm: algorithmIdentifier(scheme),
    issuer: issuer.certificate.subject,
    extensions: [authorityKeyIdentifier(issuer.keyId), crlNumber(number), ...extensions].filter(
      (extension) => extension !== undefined,
    ),
  });
  return signLogged(issuer, scheme, { type: "crl", number }, tbs);
}
