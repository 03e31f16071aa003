import { CaError } from "../../../src/base/errors.ts";
import { nameBreach } from "../../../src/x509/name-breach.ts";
import { findExtension, type Certificate } from "../../../src/x509/certificate.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { noNames, parseSan } from "../../../src/x509/san.ts";
import { refusedVerification, type Node, type Verification } from "./verify-node.ts";
import { visible } from "../format.ts";

const isConstraining = (certificate: Certificate): boolean =>
  findExtension(certificate, extensionOid.nameConstraints) !== undefined;

/**
 * Returns why the name constraints above a certificate reject it; malformed names or constraints do
 * too. Self-issued CA certificates are exempt (RFC 5280 section 4.2.1.10).
 */
export function namesRefused(
  { certificate, view }: Node,
  above: readonly Certificate[],
): Verification | undefined {
  if ((view.selfIssued && view.authority) || !above.some(isConstraining)) return undefined;
  try {
    const extension = findExtension(certificate, extensionOid.subjectAltName);
    const named = {
      subject: certificate.subject,
      names: extension ? parseSan(extension.value) : noNames,
    };
    const breach = above.map((one) => nameBreach(one, named)).find((one) => one !== undefined);
    return (
      breach &&
      refusedVerification(
        "Name not allowed",
        `The name constraints of an issuing CA forbid it: ${visible(breach.why)}`,
      )
    );
  } catch (error) {
    if (error instanceof CaError)
      return refusedVerification(
        "Name not allowed",
        `The names or the constraints cannot be read: ${visible(error.message)}`,
      );
    throw error;
  }
}
