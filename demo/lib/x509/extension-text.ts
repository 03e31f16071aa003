import { describeExtension } from "../../../src/describe/describe.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import type { Extension } from "../../../src/x509/extension.ts";
import { visible } from "../visible-text.ts";

/** An extension for display. */
interface ExtensionText {
  readonly name: string;
  readonly oid: string;
  readonly critical: boolean;
  readonly lines: readonly string[];
}

/** Plain English names of common extensions. */
const plainNames: Readonly<Record<string, string>> = {
  [extensionOid.basicConstraints]: "Basic constraints",
  [extensionOid.keyUsage]: "Key usage",
  [extensionOid.extKeyUsage]: "Extended key usage",
  [extensionOid.subjectAltName]: "Alternative names",
  [extensionOid.subjectKeyIdentifier]: "Subject key identifier",
  [extensionOid.authorityKeyIdentifier]: "Authority key identifier",
  [extensionOid.authorityInfoAccess]: "Authority information access",
  [extensionOid.crlDistributionPoints]: "CRL distribution points",
  [extensionOid.nameConstraints]: "Name constraints",
};

/** Describes extensions. All untrusted text has been escaped with `visible`. */
export const describeExtensions = (extensions: readonly Extension[]): readonly ExtensionText[] =>
  extensions.map(describeExtension).map(({ oid, name, critical, value }) => ({
    name: plainNames[oid] ?? name,
    oid,
    critical,
    lines: value.map(visible),
  }));
