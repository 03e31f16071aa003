import type { Extension } from "./extension.ts";
import { extensionOid } from "./oid.ts";

const understood: ReadonlySet<string> = new Set([
  extensionOid.keyUsage,
  extensionOid.extKeyUsage,
  extensionOid.basicConstraints,
  extensionOid.nameConstraints,
  extensionOid.subjectAltName,
  extensionOid.certificatePolicies,
  extensionOid.subjectKeyIdentifier,
  extensionOid.authorityKeyIdentifier,
  extensionOid.crlDistributionPoints,
  extensionOid.policyConstraints,
  extensionOid.inhibitAnyPolicy,
  extensionOid.policyMappings,
]);

/** Reports whether an extension is critical and unknown (RFC 5280 section 4.2). */
export const isUnknown = ({ oid, critical }: Extension): boolean =>
  critical && !understood.has(oid);
