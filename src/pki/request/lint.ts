import { CaError } from "../../base/errors.ts";
import { isHostName } from "../../base/names.ts";
import { nameOid } from "../../x509/oid.ts";
import { parseName, type Rdn } from "../../x509/name.ts";
import { parsePublicKey, type PublicKey } from "../../x509/public-key.ts";
import type { UrlSet } from "../rows/records.ts";
import type { Policy, Template } from "./template.ts";

/** A finding about a planned certificate. It never rejects what the contract allows. */
export interface Finding {
  readonly severity: "error" | "warning" | "info";
  readonly rule: string;
  readonly section: string;
}
interface Subject {
  readonly template: Template;
  readonly rdns: readonly Rdn[];
  readonly key: PublicKey;
  readonly urls: UrlSet;
}
type Lint = readonly [
  severity: Finding["severity"],
  section: string,
  rule: string,
  breaks: (subject: Subject) => boolean,
];

const values = ({ rdns }: Subject, oid: string): readonly string[] =>
  rdns
    .flat()
    .filter((part) => part.oid === oid)
    .map((part) => part.value);
const longer = (oid: string, limit: number) => (subject: Subject) =>
  values(subject, oid).some((value) => [...value].length > limit);
const serverAuth = "1.3.6.1.5.5.7.3.1";
const isServer = ({ template }: Subject) => template.extKeyUsage.includes(serverAuth);
const oidOf = (policy: Policy): string => (typeof policy === "string" ? policy : policy.oid);
const nameCount = ({ template: { names } }: Subject) =>
  names.dns.length +
  names.email.length +
  names.ip.length +
  names.uri.length +
  names.other.length +
  (names.device?.length ?? 0);

const nameLints: readonly Lint[] = [
  [
    "error",
    "RFC 5280 A.1",
    "a common name has at most 64 characters",
    longer(nameOid.commonName, 64),
  ],
  [
    "error",
    "RFC 5280 A.1",
    "an organization has at most 64 characters",
    longer(nameOid.organization, 64),
  ],
  [
    "error",
    "RFC 5280 A.1",
    "an organizational unit has at most 64 characters",
    longer(nameOid.organizationalUnit, 64),
  ],
  ["error", "RFC 5280 A.1", "a locality has at most 128 characters", longer(nameOid.locality, 128)],
  ["error", "RFC 5280 A.1", "a province has at most 128 characters", longer(nameOid.province, 128)],
  [
    "error",
    "RFC 5280 A.1",
    "a subject serial number has at most 64 characters",
    longer(nameOid.serialNumber, 64),
  ],
  [
    "error",
    "RFC 5280 A.1",
    "a country has two letters",
    (subject) => values(subject, nameOid.country).some((value) => !/^[A-Z]{2}$/.test(value)),
  ],
  [
    "error",
    "RFC 5280 4.1.2.6",
    "a certificate without subject has alternative names",
    (subject) => subject.rdns.length === 0 && nameCount(subject) === 0,
  ],
  [
    "warning",
    "RFC 9525 6.3",
    "a server is named by alternative names; clients do not read the common name",
    (subject) =>
      isServer(subject) &&
      subject.template.names.dns.length + subject.template.names.ip.length === 0,
  ],
  [
    "warning",
    "RFC 5280 4.2.1.6",
    "a DNS name is a host name",
    ({ template }) => template.names.dns.some((name) => !isHostName(name.replace(/^\*\./, ""))),
  ],
  // a numeric last label, also octal or hexadecimal, makes the name an address (URL Standard,
  // section 3.5)
  [
    "error",
    "RFC 5280 4.2.1.6",
    "an address is not a DNS name",
    ({ template }) => template.names.dns.some((name) => /(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(name)),
  ],
  [
    "error",
    "RFC 5280 4.2.1.4",
    "no policy is repeated",
    ({ template: { policies = [] } }) => new Set(policies.map(oidOf)).size < policies.length,
  ],
  [
    "warning",
    "RFC 5280 4.2.1.4",
    "the text of a notice has at most 200 characters",
    ({ template: { policies = [] } }) =>
      policies.some(
        (policy) => typeof policy !== "string" && [...(policy.notice ?? "")].length > 200,
      ),
  ],
  [
    "warning",
    "RFC 9525 6.3",
    "a wildcard is the whole first label",
    ({ template }) =>
      template.names.dns.some((name) => name.includes("*") && !name.startsWith("*.")),
  ],
  [
    "warning",
    "RFC 5280 4.2.1.6",
    "an e-mail address is ASCII",
    ({ template }) => template.names.email.some((name) => !/^[\x21-\x7e]+$/.test(name)),
  ],
];
const usageLints: readonly Lint[] = [
  [
    "warning",
    "RFC 5280 4.2.1.12",
    "any purpose stands alone",
    ({ template }) =>
      template.extKeyUsage.includes("2.5.29.37.0") && template.extKeyUsage.length > 1,
  ],
  [
    "warning",
    "RFC 5280 4.2.1.3",
    "encipherOnly and decipherOnly go with key agreement",
    ({ template }) =>
      template.keyUsage.some((usage) => usage.endsWith("Only")) &&
      !template.keyUsage.includes("KeyAgreement"),
  ],
  [
    "warning",
    "RFC 5280 4.2.1.3",
    "a certificate says what its key is for",
    ({ template }) => template.keyUsage.length === 0,
  ],
  [
    "info",
    "RFC 5280 4.2.2.1",
    "a certificate says where its issuer's certificate is",
    ({ urls }) => urls.issuing_certificates.length === 0,
  ],
  [
    "info",
    "RFC 5280 4.2.1.13",
    "a certificate says where its revocation can be looked up",
    ({ urls }) => urls.crl_distribution_points.length + urls.ocsp_servers.length === 0,
  ],
];

/** Lints key usages that do not fit the key's algorithm. */
const keyLints = ({ algorithm }: PublicKey): readonly Lint[] =>
  algorithm.misuses.map(({ section, rule, isMisused }) => [
    "warning",
    section,
    rule,
    ({ template }) => template.keyUsage.some(isMisused),
  ]);

/** The number of rules that apply to every certificate. */
export const lintCount = nameLints.length + usageLints.length;

/** Lints a template with the key and URLs of its certificate. */
export function lint(template: Template, urls: UrlSet): readonly Finding[] {
  const rdns =
    template.subject instanceof Uint8Array ? readName(template.subject) : template.subject;
  const subject = { template, rdns, key: parsePublicKey(template.spki), urls };
  return [...nameLints, ...keyLints(subject.key), ...usageLints]
    .filter(([, , , breaks]) => breaks(subject))
    .map(([severity, section, rule]) => ({ severity, section, rule }));
}
function readName(der: Uint8Array): readonly Rdn[] {
  try {
    return parseName(der);
  } catch (error) {
    if (error instanceof CaError) return [];
    throw error;
  }
}
