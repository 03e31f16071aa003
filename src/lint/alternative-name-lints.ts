import { isMailAddress, lowerAscii } from "../base/names.ts";
import { uriHost } from "../base/uri.ts";
import { ipToBytes, ipToText } from "../x509/address.ts";
import { extensionOid, nameOid } from "../x509/oid.ts";
import { extKeyUsageOid } from "../x509/usage.ts";
import { firstDefect, firstRepeated, quoted, when, type Lint } from "./finding.ts";
import { dnsLints, dnsTag, isAsciiText } from "./dns-lints.ts";
import {
  hasExtension,
  valueOf,
  type LintedCertificate,
  type LintedGeneralName,
} from "./subject.ts";

/** Context tags of some GeneralName choices. */
const [emailTag, uriTag, ipTag, directoryTag] = [0x81, 0x86, 0x87, 0xa4];
const nameTags: ReadonlySet<number> = new Set([
  0xa0,
  emailTag,
  dnsTag,
  0xa3,
  directoryTag,
  0xa5,
  uriTag,
  ipTag,
  0x88,
]);

const section = "RFC 5280 4.2.1.6";
const all = ({ names, issuerNames }: LintedCertificate): readonly LintedGeneralName[] => [
  ...names,
  ...issuerNames,
];
/** Returns a lint that checks each subject or issuer alternative name with the given tag. */
const each =
  (tag: number, defect: (name: LintedGeneralName) => string | undefined) =>
  (certificate: LintedCertificate): string | undefined =>
    firstDefect(
      all(certificate).filter((name) => name.tag === tag),
      defect,
    );
const addressText = ({ content }: LintedGeneralName): string =>
  content.length === 4 || content.length === 16 ? ipToText(content) : "";

const otherNameLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "ip-length",
    section,
    each(ipTag, ({ content: { length } }) =>
      when(length !== 4 && length !== 16, `IP address of ${length} octets; 4 or 16 expected`),
    ),
  ],
  [
    "warning",
    "ip-unspecified",
    "RFC 1122 3.2.1.3",
    each(ipTag, (name) =>
      when(
        name.content.length > 0 && name.content.every((byte) => byte === 0),
        `IP address ${addressText(name)} is the unspecified address, which no host has`,
      ),
    ),
  ],
  [
    "error",
    "email-format",
    section,
    each(emailTag, ({ text }) =>
      when(
        isAsciiText(text) && (!isMailAddress(text) || /[<>()]/.test(text)),
        `E-mail address ${quoted(text)} does not have the form local@domain`,
      ),
    ),
  ],
  [
    "warning",
    "email-ascii",
    section,
    each(emailTag, ({ text }) =>
      when(
        !isAsciiText(text),
        `E-mail address ${quoted(text)} is not ASCII; RFC 9598 has a name type for it`,
      ),
    ),
  ],
  [
    "error",
    "uri-ascii",
    section,
    each(uriTag, ({ text }) =>
      when(!isAsciiText(text), `URI ${quoted(text)} is not printable ASCII`),
    ),
  ],
  [
    "error",
    "uri-relative",
    section,
    each(uriTag, ({ text }) =>
      when(!/^[a-z][a-z0-9+.-]*:/i.test(text), `URI ${quoted(text)} has no scheme`),
    ),
  ],
  [
    "error",
    "uri-format",
    section,
    each(uriTag, ({ text }) =>
      when(
        isAsciiText(text) &&
          /^[a-z][a-z0-9+.-]*:/i.test(text) &&
          (/:(?:\/\/)?$/.test(text) || uriHost(text) === undefined),
        `URI ${quoted(text)} is malformed`,
      ),
    ),
  ],
  [
    "warning",
    "uri-host",
    section,
    each(uriTag, ({ text }) => {
      const host = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? uriHost(text) : undefined;
      return when(
        host !== undefined &&
          host !== "" &&
          !host.startsWith("[") &&
          ipToBytes(host) === undefined &&
          // SPIFFE IDs have a trust domain, which need not be in the DNS
          !/^spiffe:/i.test(text) &&
          !host.includes("."),
        `URI ${quoted(text)}: host ${quoted(host ?? "")} is neither a full domain name nor an address`,
      );
    }),
  ],
  [
    "error",
    "directory-name-empty",
    section,
    each(directoryTag, ({ content }) =>
      when(content.length <= 2, "Empty directory name among the alternative names"),
    ),
  ],
  [
    "error",
    "name-kind-unknown",
    section,
    (certificate) =>
      firstDefect(all(certificate), ({ tag }) =>
        when(!nameTags.has(tag), `Alternative name of unknown kind 0x${tag.toString(16)}`),
      ),
  ],
  [
    "error",
    "names-empty",
    section,
    (certificate) =>
      firstDefect([extensionOid.subjectAltName, extensionOid.issuerAltName], (oid) => {
        const value = valueOf(certificate, oid);
        return when(
          value?.length === 2 && value[1] === 0,
          `${oid === extensionOid.subjectAltName ? "Subject" : "Issuer"} Alternative Name without names`,
        );
      }),
  ],
  [
    "warning",
    "names-repeated",
    "Common practice",
    ({ names }) => {
      const keys = names.map(
        ({ tag, text }) => `${tag} ${tag === dnsTag ? lowerAscii(text) : text}`,
      );
      const repeated = firstRepeated(keys);
      return repeated && `Alternative name ${quoted(repeated.replace(/^\d+ /, ""))} occurs twice`;
    },
  ],
];

const serverAuth = extKeyUsageOid("ServerAuth") ?? "";
const commonNames = ({ subject }: LintedCertificate): readonly string[] =>
  subject.rdns
    .flat()
    .filter(({ oid }) => oid === nameOid.commonName)
    .map(({ text }) => text);
/**
 * Reports whether clients may interpret a string as a fully qualified domain name or an IP address.
 */
const isHostLike = (text: string): boolean => {
  const inner = text.slice(1, -1);
  return (
    (inner.includes(".") && !/[\s@]/.test(text)) ||
    (inner.includes(":") && /^[0-9a-f:]+$/i.test(text))
  );
};
const isServer = ({ isCa, extKeyUsage }: LintedCertificate): boolean =>
  !isCa && extKeyUsage.includes(serverAuth);

const relatedLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "subject-nameless",
    "RFC 5280 4.1.2.6",
    (certificate) =>
      when(
        certificate.subject.rdns.length === 0 &&
          !hasExtension(certificate, extensionOid.subjectAltName),
        "No name: the subject is empty, and there are no alternative names",
      ),
  ],
  [
    "error",
    "names-critical",
    section,
    ({ subject, extensions }) =>
      when(
        subject.rdns.length === 0 &&
          extensions.some(({ oid, critical }) => oid === extensionOid.subjectAltName && !critical),
        "Alternative names that are not critical although the subject is empty",
      ),
  ],
  [
    "warning",
    "names-needlessly-critical",
    section,
    ({ subject, extensions }) =>
      when(
        subject.rdns.length > 0 &&
          extensions.some(({ oid, critical }) => oid === extensionOid.subjectAltName && critical),
        "Critical alternative names although there is a subject; they should not be critical",
      ),
  ],
  [
    "warning",
    "server-nameless",
    "RFC 9525 6.3",
    (certificate) =>
      when(
        isServer(certificate) &&
          !certificate.names.some(({ tag }) => tag === dnsTag || tag === ipTag),
        "Server certificate without a DNS name or IP address among its alternative names; clients do not read the common name",
      ),
  ],
  [
    "warning",
    "common-name-not-in-names",
    "RFC 9525 2",
    (certificate) => {
      if (!isServer(certificate) || certificate.names.length === 0) return undefined;
      const texts = new Set(certificate.names.map(({ text }) => lowerAscii(text)));
      const addresses = new Set(certificate.names.map(addressText));
      return firstDefect(commonNames(certificate), (name) =>
        when(
          isHostLike(name) && !texts.has(lowerAscii(name)) && !addresses.has(name),
          `Common name ${quoted(name)} is not among the alternative names, so clients do not match it`,
        ),
      );
    },
  ],
];

/** Lints of alternative names, and of the names in server certificates. */
export const alternativeNameLints: readonly Lint<LintedCertificate>[] = [
  ...relatedLints,
  ...dnsLints,
  ...otherNameLints,
];
