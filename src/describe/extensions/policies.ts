import { readDer, type Reader } from "../../base/der.ts";
import { extensionOid, otherOid } from "../../x509/oid.ts";
import { elementText, integerText, namedOid, readText } from "../element-text.ts";
import type { ExtensionReaders } from "./reader.ts";

function noticeLine(qualifier: Reader): string {
  const notice = qualifier.enter("a notice");
  const reference = notice.optional("a reference", 0x30);
  const parts: string[] = [];
  if (reference) {
    const organization = readText(reference, "the organization");
    const list = reference.enter("the numbers");
    const numbers: string[] = [];
    while (list.tag !== undefined) numbers.push(integerText(list.integer("a number")));
    parts.push(`${organization}, notice ${numbers.join(", ")}`);
  }
  if (notice.tag !== undefined) parts.push(readText(notice, "the text"));
  return `User notice: ${parts.join(": ")}`;
}

function qualifierLine(qualifier: Reader): string {
  const type = qualifier.oid("the type");
  if (type === otherOid.policyCps) return `CPS: ${readText(qualifier, "the URI")}`;
  if (type === otherOid.policyNotice) return noticeLine(qualifier);
  return `Qualifier ${type}: ${elementText(qualifier.element("the qualifier"))}`;
}

/** Returns a line for each policy, followed by lines for its qualifiers. */
function policyLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "certificate policies").enter("CertificatePolicies");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const policy = list.enter("a policy");
    lines.push(namedOid(policy.oid("its identifier")));
    const qualifiers = policy.optional("the qualifiers", 0x30);
    while (qualifiers?.tag !== undefined)
      lines.push(qualifierLine(qualifiers.enter("a qualifier")));
  }
  return lines;
}

function mappingLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "policy mappings").enter("PolicyMappings");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const mapping = list.enter("a mapping");
    const own = namedOid(mapping.oid("the issuer's policy"));
    lines.push(
      `${own} is equivalent to ${namedOid(mapping.oid("the subject's policy"))} of the subject`,
    );
  }
  return lines;
}

/**
 * Describes where in a certificate chain a rule starts to apply, given the number of certificates
 * to skip.
 */
const after = (skipped: string): string =>
  skipped === "0" ? "from this certificate on" : `after ${skipped} more certificates`;

function constraintLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "policy constraints").enter("PolicyConstraints");
  const lines: string[] = [];
  if (body.tag === 0x80)
    lines.push(`A policy is required ${after(integerText(body.integer("the count", 0x80)))}`);
  if (body.tag === 0x81)
    lines.push(
      `Policy mappings are not allowed ${after(integerText(body.integer("the count", 0x81)))}`,
    );
  return lines;
}

const anyPolicyLines = (value: Uint8Array): readonly string[] => [
  `Any policy is ignored ${after(integerText(readDer(value, "inhibit anyPolicy").integer("the count")))}`,
];

/**
 * Readers of policy extensions (RFC 5280 sections 4.2.1.4, 4.2.1.5, 4.2.1.11 and 4.2.1.14), and of
 * Microsoft's application policies, which have the same format.
 */
export const policyReaders: ExtensionReaders = {
  [extensionOid.certificatePolicies]: policyLines,
  [extensionOid.policyMappings]: mappingLines,
  [extensionOid.policyConstraints]: constraintLines,
  [extensionOid.inhibitAnyPolicy]: anyPolicyLines,
  "1.3.6.1.4.1.311.21.10": policyLines,
  "1.3.6.1.4.1.311.21.11": mappingLines,
  "1.3.6.1.4.1.311.21.12": constraintLines,
};
