import { findExtension, isCa, type Certificate } from "../../../src/x509/certificate.ts";
import { parseCrl } from "../../../src/x509/crl.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { readKeyUsage } from "../../../src/x509/usage.ts";
import type { CrlView } from "../x509/crl-view.ts";
import type { CertificateView } from "../x509/decode.ts";
import { beforeKeys, sameName, signersOf } from "./verify-signature.ts";
import { nodeOf, orElse, refusedVerification, type Verification } from "./verify-node.ts";

/** Reports whether the key usage of a CA certificate allows signing CRLs. */
const maySign = (certificate: Certificate): boolean =>
  orElse(false, () => {
    const usage = findExtension(certificate, extensionOid.keyUsage);
    return isCa(certificate) && (!usage || readKeyUsage(usage.value).includes("CRLSign"));
  });

/** Verifies the signature of a CRL against the given certificates. */
export async function verifyCrl(
  view: CrlView,
  among: readonly CertificateView[],
): Promise<Verification> {
  const crl = parseCrl(view.der);
  const early = beforeKeys(crl);
  if (early) return early;
  const named = among
    .map((one) => nodeOf(one))
    .filter((node) => sameName(node.certificate.subject, crl.issuer));
  const signers = await signersOf(crl, named, "");
  if (!("length" in signers)) return signers;
  const title = signers[0]?.view.title ?? "";
  if (!signers.some(({ certificate }) => maySign(certificate)))
    return refusedVerification(
      "The issuer is not authorized to sign CRLs",
      `${title} signed it but is not authorized to sign CRLs`,
    );
  return { standing: "signature", text: "Signature verified", why: `Signed by ${title}` };
}
