import { CaError } from "../../base/errors.ts";
import { certificateNames, type Certificate } from "../../x509/certificate.ts";
import { nameValues } from "../../x509/name.ts";
import { nameOid } from "../../x509/oid.ts";
import { noNames, type GeneralNames } from "../../x509/san.ts";
import type { Template } from "./template.ts";

/**
 * The name that a search goes by: of the alternative names the first DNS name, mail address, IP
 * address or URI, else the common name, else the first other name.
 */
const chosen = ({ dns, email, ip, uri, other }: GeneralNames, common: string | undefined): string =>
  dns[0] || email[0] || ip[0] || uri[0] || common || other[0]?.value || "";

/**
 * The names of a stored certificate as far as they can be read: one that came from outside to be
 * revoked may hold what no endpoint here would sign, and must not stand in the way of others.
 */
export function readableNames(certificate: Certificate): ReturnType<typeof certificateNames> {
  for (const extensions of [certificate.extensions, []])
    try {
      return certificateNames({ ...certificate, extensions });
    } catch (error) {
      if (!(error instanceof CaError)) throw error;
    }
  return { ...noNames, common: [] };
}

/** The name by which a search finds a certificate; "" for one without any. */
export function firstName(certificate: Certificate): string {
  const names = readableNames(certificate);
  return chosen(names, names.common[0]);
}

/** The same of a certificate to be, without taking it apart. */
export function templateName({ names, subject }: Pick<Template, "names" | "subject">): string {
  if (!(subject instanceof Uint8Array))
    return chosen(names, subject.flat().find(({ oid }) => oid === nameOid.commonName)?.value);
  return chosen(names, nameValues(subject, nameOid.commonName)[0]);
}
