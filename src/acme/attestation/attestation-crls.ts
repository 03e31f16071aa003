import { CaError } from "../../base/errors.ts";
import { decodePem } from "../../base/pem.ts";
import { crlEntries } from "../../verify/crl-entries.ts";
import { loadCrl, type LoadedCrl } from "../../verify/loaded-crl.ts";

/**
 * Parses CRLs in PEM. Throws `CaError` `malformed` if one cannot be parsed, or if verification
 * would ignore it because of an unknown critical extension (RFC 5280 section 5.2).
 */
export function parseAttestationCrls(pem: string): readonly LoadedCrl[] {
  return decodePem(pem).map(({ label, der }, at) => {
    if (label !== "X509 CRL")
      throw new CaError("malformed", `block ${at + 1} is a ${label}, not an X509 CRL`);
    const loaded = loadCrl(der);
    for (const entry of crlEntries(loaded.crl))
      if (entry.isUnknown)
        throw new CaError("malformed", "CRL: unknown critical extension in an entry");
    return loaded;
  });
}
