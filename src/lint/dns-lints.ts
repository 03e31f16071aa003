import { endsInNumber, lowerAscii } from "../base/names.ts";
import { decodePunycode, encodePunycode } from "../base/punycode.ts";
import { firstDefect, quoted, when, type Finding, type Lint } from "./finding.ts";
import type { LintedCertificate } from "./subject.ts";

/** Context tag of a dNSName. */
export const dnsTag = 0x82;
const dnsLint = (
  id: string,
  defect: (name: string) => string | undefined,
  severity: Finding["severity"] = "error",
  source = "RFC 5280 4.2.1.6",
): Lint<LintedCertificate> => [
  severity,
  `dns-${id}`,
  source,
  ({ names, issuerNames }) =>
    firstDefect(
      [...names, ...issuerNames].filter(({ tag }) => tag === dnsTag),
      ({ text }) => defect(text),
    ),
];
const [maxLabelOctets, maxNameOctets] = [63, 253];
/**
 * Returns the labels of a name, without a leading wildcard label and the empty label after a final
 * dot. Returns no labels if the name is too long, which another lint reports.
 */
const labelsOf = (name: string): readonly string[] => {
  if (name.length > maxNameOctets + "*..".length) return [];
  return name.replace(/^\*\./, "").replace(/\.$/, "").split(".");
};
const labelLint = (
  id: string,
  defect: (label: string, name: string) => string | undefined,
  severity: Finding["severity"] = "error",
  source = "RFC 1034 3.5",
): Lint<LintedCertificate> =>
  dnsLint(
    id,
    (name) => firstDefect(labelsOf(name), (label) => defect(label, name)),
    severity,
    source,
  );

/** Reports whether a string consists of printable ASCII characters. */
export const isAsciiText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
const isAlabel = (label: string): boolean => /^xn--/i.test(label);
const unicodeOf = (label: string): string | undefined => decodePunycode(lowerAscii(label.slice(4)));

/** Lints of the DNS names among subject and issuer alternative names. */
export const dnsLints: readonly Lint<LintedCertificate>[] = [
  dnsLint("empty", (name) => when(name === "", "Empty DNS name")),
  dnsLint("blank", (name) => when(name === " ", 'DNS name " "; an absent name is omitted')),
  dnsLint("ascii", (name) =>
    when(
      /\P{ASCII}/u.test(name),
      `DNS name ${quoted(name)} is not ASCII; other characters need the xn-- form`,
    ),
  ),
  dnsLint("control-character", (name) =>
    when(
      /\p{Cc}/u.test(name),
      `DNS name ${quoted(name)} contains a control character, at which software may truncate it`,
    ),
  ),
  dnsLint(
    "long",
    (name) => {
      const { length } = name.replace(/\.$/, "");
      return when(
        length > maxNameOctets,
        `DNS name of ${length} octets; at most ${maxNameOctets} allowed`,
      );
    },
    "error",
    "RFC 1035 2.3.4",
  ),
  dnsLint("leading-dot", (name) =>
    when(name.startsWith("."), `DNS name ${quoted(name)} begins with a dot`),
  ),
  dnsLint("final-dot", (name) =>
    when(name.length > 1 && name.endsWith("."), `DNS name ${quoted(name)} ends with a dot`),
  ),
  dnsLint("empty-label", (name) =>
    when(/[^.]\.\./.test(name), `DNS name ${quoted(name)} has an empty label`),
  ),
  dnsLint("address", (name) =>
    when(
      endsInNumber(name) || /^\[?[0-9a-f]*:[0-9a-f:.]+\]?$/i.test(name),
      `DNS name ${quoted(name)} is read as an IP address, which has its own name type`,
    ),
  ),
  dnsLint(
    "wildcard-alone",
    (name) => when(name === "*" || name === "*.", 'DNS name "*" without a domain'),
    "error",
    "RFC 9525 6.3",
  ),
  dnsLint(
    "wildcard-position",
    (name) =>
      when(
        name.includes(".") && name.includes("*", name.indexOf(".")),
        `DNS name ${quoted(name)} has * outside its first label, where no client matches it`,
      ),
    "error",
    "RFC 9525 6.3",
  ),
  dnsLint(
    "wildcard-partial",
    (name) =>
      when(
        /^(?:[^.*]+\*|\*[^.]+)/.test(name),
        `DNS name ${quoted(name)} has * as part of a label; clients match only a whole first label`,
      ),
    "warning",
    "RFC 9525 6.3",
  ),
  dnsLint(
    "wildcard-wide",
    (name) =>
      when(
        /^\*\.[^.]+\.?$/.test(name),
        `DNS name ${quoted(name)} covers a whole top-level domain; many clients reject that`,
      ),
    "warning",
    "RFC 9525 6.3",
  ),
  labelLint(
    "label-long",
    (label) =>
      when(
        label.length > maxLabelOctets,
        `DNS label ${quoted(label)} of ${label.length} octets; at most ${maxLabelOctets} allowed`,
      ),
    "error",
    "RFC 1035 2.3.4",
  ),
  labelLint("label-hyphen", (label, name) =>
    when(
      /^-|-$/.test(label),
      `DNS name ${quoted(name)}: label ${quoted(label)} begins or ends with a hyphen`,
    ),
  ),
  labelLint("label-characters", (label, name) =>
    when(
      isAsciiText(label) && /[^\w*-]/.test(label),
      `DNS name ${quoted(name)}: label ${quoted(label)} has characters other than letters, digits and hyphens`,
    ),
  ),
  labelLint(
    "label-underscore",
    (label, name) => when(label.includes("_"), `DNS name ${quoted(name)} contains an underscore`),
    "warning",
  ),
  labelLint(
    "label-reserved",
    (label, name) =>
      when(
        /^..--/.test(label) && !isAlabel(label),
        `DNS name ${quoted(name)}: label ${quoted(label)} has hyphens at positions 3 and 4, which are reserved`,
      ),
    "warning",
    "RFC 5890 2.3.1",
  ),
  labelLint(
    "idn-malformed",
    (label, name) =>
      when(
        isAlabel(label) && unicodeOf(label) === undefined,
        `DNS name ${quoted(name)}: label ${quoted(label)} is not valid Punycode`,
      ),
    "error",
    "RFC 5890 2.3.2.1",
  ),
  labelLint(
    "idn-normalization",
    (label, name) => {
      const text = isAlabel(label) ? unicodeOf(label) : undefined;
      return when(
        text !== undefined && text !== text.normalize("NFC"),
        `DNS name ${quoted(name)}: label ${quoted(label)} is not in normalization form C`,
      );
    },
    "error",
    "RFC 5891 4.1",
  ),
  labelLint(
    "idn-round-trip",
    (label, name) => {
      const text = isAlabel(label) ? unicodeOf(label) : undefined;
      if (text === undefined) return undefined;
      const again = encodePunycode(Array.from(text, (char) => char.codePointAt(0) ?? 0));
      return when(
        again !== lowerAscii(label.slice(4)) || text !== text.toLowerCase(),
        `DNS name ${quoted(name)}: label ${quoted(label)} is not the Punycode of a lower-case label`,
      );
    },
    "warning",
    "RFC 5891 4.1",
  ),
];
