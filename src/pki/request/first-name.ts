import { certificateNames, type Certificate } from "../../x509/certificate.ts";
import { nameValues } from "../../x509/name.ts";
import { nameOid } from "../../x509/oid.ts";
import type { GeneralNames } from "../../x509/san.ts";
import type { Template } from "./template.ts";

/**
 * The name that a search goes by: of the alternative names the first DNS name, mail address, IP
 * address or URI, else the common name, else the first other name.
 */
const chosen = ({ dns, email, ip, uri, other }: GeneralNames, common: string | undefined): string =>
  dns[0] || email[0] || ip[0] || uri[0] || common || other[0]?.value || "";

/** The name by which a search finds a certificate; "" for one without any. */
export function firstName(certificate: Certificate): string {
  const names = certificateNames(certificate);
  return chosen(names, names.common[0]);
}

/** The same of a certificate to be, without taking it apart. */
export function templateName({ names, subject }: Pick<Template, "names" | "subject">): string {
  if (!(subject instanceof Uint8Array))
    return chosen(names, subject.flat().find(({ oid }) => oid === nameOid.commonName)?.value);
  return chosen(names, nameValues(subject, nameOid.commonName)[0]);
}
