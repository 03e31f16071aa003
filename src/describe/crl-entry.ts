import { readDer } from "../base/der.ts";
import { readExtensions, type Extension } from "../x509/extension.ts";
import { extensionOid } from "../x509/oid.ts";
import { describeExtension, type DescribedExtension } from "./describe.ts";

function extensionsOf(entry: Uint8Array): readonly Extension[] {
  const body = readDer(entry, "CRL entry").enter("an entry");
  for (const what of ["the serial number", "the time"]) body.element(what);
  return body.tag === undefined ? [] : readExtensions(body);
}

/**
 * Describes the extensions of a CRL entry (DER), except the reason code. Throws `CaError`
 * `malformed`.
 */
export const describeEntry = (entry: Uint8Array): readonly DescribedExtension[] =>
  extensionsOf(entry)
    .filter(({ oid }) => oid !== extensionOid.reasonCode)
    .map(describeExtension);
