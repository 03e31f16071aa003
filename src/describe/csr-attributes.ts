import { readDer } from "../base/der.ts";
import { otherOid } from "../x509/oid.ts";
import { elementText } from "./element-text.ts";
import { oidName } from "./oid-names.ts";

/** A human-readable description of a CSR attribute. */
export interface DescribedAttribute {
  readonly oid: string;
  /** Name such as `challenge password`, or the object identifier if the attribute is unknown. */
  readonly name: string;
  /** The values, one line for each. */
  readonly value: readonly string[];
}

/**
 * Describes the attributes of a CSR other than the requested extensions, given its
 * CertificationRequestInfo (DER). Throws `CaError` `malformed`.
 */
export function describeAttributes(info: Uint8Array): readonly DescribedAttribute[] {
  const body = readDer(info, "CSR").enter("CertificationRequestInfo");
  for (const what of ["the version", "the subject", "the public key"]) body.element(what);
  const list = body.optional("the attributes", 0xa0);
  const attributes: DescribedAttribute[] = [];
  while (list?.tag !== undefined) {
    const attribute = list.enter("an attribute");
    const oid = attribute.oid("the type");
    if (oid === otherOid.extensionRequest) continue;
    const values = attribute.enter("the values", 0x31);
    const value: string[] = [];
    while (values.tag !== undefined) value.push(elementText(values.element("a value")));
    attributes.push({ oid, name: oidName(oid) ?? oid, value });
  }
  return attributes;
}
