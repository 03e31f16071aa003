import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeCertificate, type DescribedExtension } from "../../src/describe/describe.ts";
import { describeCrl, describeCsr } from "../../src/describe/describe-others.ts";
import { ipToBytes, ipToText } from "../../src/x509/address.ts";

interface Item {
  readonly name: string;
  readonly pem: string;
  /** The output of `openssl -text`. */
  readonly text: string;
}
const corpus = readFileSync(join(import.meta.dirname, "corpus/corpus.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Item);

interface Section {
  readonly title: string;
  readonly critical: boolean;
  readonly lines: readonly string[];
}

/** Parses the extensions in the output of openssl: a title, and deeper lines below it. */
function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  let depth: number | undefined;
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const indent = line.search(/\S/);
    const begins = /^ *(?:X509v3 extensions|Requested Extensions|CRL(?: entry)? extensions):/.test(
      line,
    );
    if (begins) depth = indent + 4;
    else if (depth === undefined) continue;
    else if ((indent > 0 && indent < depth) || /^(?:No )?Revoked Cert/.test(line))
      depth = undefined;
    else if (indent === depth) {
      lines = [];
      const [, title = "", flag = ""] = /^ *(.*?): *(critical)?$/.exec(line) ?? [];
      sections.push({ title, critical: flag !== "", lines });
    } else lines.push(line.trim());
  }
  return sections;
}

/** Words of openssl with the equivalent words of the description. */
const synonyms: readonly (readonly [openssl: RegExp, own: string])[] = [
  [/CA:TRUE/, "Certificate authority"],
  [/CA:FALSE/, "Not a certificate authority"],
  [/pathlen:/, "Path length "],
  [/Path Length Constraint/, "Path length"],
  [/Certificate Sign/, "CertSign"],
  [/TLS Web Server Authentication/, "ServerAuth"],
  [/TLS Web Client Authentication/, "ClientAuth"],
  [/Digital Signature/, "DigitalSignature"],
  [/E-mail Protection/, "EmailProtection"],
  [/Any Extended Key Usage/, "Any"],
  [/Microsoft Server Gated Crypto/, "MicrosoftServerGatedCrypto"],
  [/Microsoft Commercial Code Signing/, "MicrosoftCommercialCodeSigning"],
  [/Microsoft Encrypted File System/, "Microsoft encrypting file system"],
  [/Microsoft Smartcard Login/, "Microsoft smart card logon"],
  [/Signing KDC Response/, "Kerberos PKINIT KDC"],
  [/PKINIT Client Auth/, "Kerberos PKINIT client"],
  [/ipsec Internet Key Exchange/, "IPsec IKE"],
  [/Ctrl\/provision WAP Access/, "CAPWAP access controller"],
  [/dmdName/, "dmdName"],
  [/Non Repudiation/, "ContentCommitment"],

  [/email:/, "E-mail "],
  [/DirName:\/?/, ""],
  [/\/(?=[A-Z]+=)/, " "],
  [/10\.0\.0\.0\/255\.0\.0\.0/, "10.0.0.0/8"],
  [/IP:2001:DB8:0:0:0:0:0:0\/FFFF:FFFF:0:0:0:0:0:0/, "2001:db8::/32"],
  [/Brand Indicator for Message Identification/, "brand indicator (BIMI)"],
  [/: 02$/, ": 2"],
  [/1\.3\.6\.1\.4\.1\.311\.10\.3\.12/, "Microsoft document signing"],
  [/:Enterprises/, " 1.3.6.1.4.1"],
  [/Require Explicit Policy:0/, "A policy is required from this certificate on"],
  [/othername:/, ""],
  [/UPN::/, "User principal name "],
  [/SRVName::/, "SRV name "],
  [/SmtpUTF8Mailbox::/, "International mailbox "],
  [/XmppAddr::/, "XMPP address "],
  [/NAIRealm::/, "NAI realm "],
  [/CA Issuers - /, "Issuer "],
  [/AD Time Stamping - /, "time stamping "],
  [/ad dvcs - /, "DVCS "],
  [/(?:OCSP|CA Repository) - /, ""],
  [/Full Name:|Relative Name:|URI:/, ""],
  [/Policy: /, ""],
  [/X509v3 Any Policy/, "any policy"],
  [/Explicit Text:|Organization:|Numbers:/, ""],
  [/Require Explicit Policy:/, "A policy is required"],
  [/Inhibit Policy Mapping:0/, "Policy mappings are not allowed"],
  [/Inhibit Policy Mapping:/, "Policy mappings are not allowed"],
  [/IP Address:|IP:/, "IP "],
  [/DNS:/, "DNS "],
  [/Not Before: .*? GMT/, "From 2026-01-02 03:04:05 UTC"],
  [/Not After: .*? GMT/, "Until 2027-01-02 03:04:05 UTC"],
  [/Jan {2}2 03:04:05 (\d+) GMT/, "$1-01-02 03:04:05 UTC"],
  [/Timestamp : Jan {2}2 01:08:05\.384 2026 GMT/, "2026-01-02 01:08:05.384 UTC"],
  [/Signed Certificate Timestamp:/, "Timestamp"],
  [/Version {3}: v1 \(0x0\)/, "version 1"],
  [/Extensions: none/, ""],
  [/ecdsa-with-SHA256/, "ECDSA with SHA-256"],
  [/Hold Instruction Reject/, "reject"],
  [/Only User Certificates/, "Only end-entity certificates"],
  [/Only CA Certificates/, "Only CA certificates"],
  [/Indirect CRL/, "Indirect"],
  [/Only Some Reasons/, "Only these reasons"],
  [/CRL Issuer:/, "CRL issuer"],
  [/SSL Client/, "SSL client"],
  [/serial:/, "Serial "],
  [/Autonomous System Numbers:/, "AS"],
  [/Routing Domain Identifiers:/, "Routing domain"],
  [/inherit$/, "inherited from the issuer"],
  [/Policy Language: Any language/, "Policy language: any language"],
  [/Policy Text: /, "Policy "],
  [/TLS feature|status_request(?:_v2)?/, "status_request"],
  [/^9$|, 9$/, " TLS extension 9"],
  [/Permitted:|Excluded:/, ""],
];

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}.@/*_-]+/gu, " ");

/** Returns the words of a line of openssl that are missing in the description. */
function missing(line: string, own: string): readonly string[] {
  let said = line;
  for (const [openssl, words] of synonyms)
    said = said.replace(new RegExp(openssl, "g"), ` ${words} `);
  said = said.replace(/\b(?:[0-9A-F]{1,4}:){7}[0-9A-F]{1,4}\b/g, (text) => {
    const bytes = ipToBytes(text);
    return bytes ? ipToText(bytes) : text;
  });
  const has = plain(own).replace(/[ -]/g, "");
  return plain(said)
    .split(/[ ]|(?<=\d)-(?=\d)/)
    .filter((word) => word.length > 0 && !has.includes(word.replace(/-/g, "")));
}

const isBareOid = (text: string): boolean => /^\d+(?:\.\d+)+$/.test(text);
const isHex = (text: string): boolean => /^(?:[0-9a-f]{2}){2,}$/.test(text);
/** Reports whether openssl prints bytes, with dots for those that are not printable, or NULL. */
const isDump = (line: string): boolean => /\.\.|^\.|^NULL$/.test(line);

function extensionsOf({ pem }: Item): readonly DescribedExtension[] {
  if (pem.includes("CERTIFICATE REQUEST")) return describeCsr(pem).extensions;
  if (!pem.includes("X509 CRL")) return describeCertificate(pem).extensions;
  const crl = describeCrl(pem);
  const entries = crl.revoked.flatMap(({ reason, extensions = [] }) => [
    ...(reason === undefined
      ? []
      : [{ oid: "2.5.29.21", name: "Reason Code", critical: false, value: [reason] }]),
    ...extensions,
  ]);
  return [...crl.extensions, ...entries];
}

it.each(corpus)(
  "describe: every extension of $name that openssl names is named, with all its values",
  (item) => {
    const own = extensionsOf(item);
    const sections = sectionsOf(item.text);
    expect(own.map(({ critical }) => critical)).toEqual(sections.map(({ critical }) => critical));
    sections.forEach(({ title, lines }, i) => {
      const { name = "", value = [] } = own[i] ?? {};
      if (!isBareOid(title)) expect(isBareOid(name), `name of ${title}`).toBe(false);
      if (isBareOid(title) && !title.startsWith("1.2.3.4"))
        expect(isBareOid(name), `name of ${title}`).toBe(false);
      // the description does not know these either, or they have no contents
      if (!/^1\.2\.3\.4\.6|^SET /.test(name))
        expect(
          value.filter((text) => isHex(text) && !lines.includes(text)),
          `bytes of ${title}`,
        ).toEqual([]);
      if (isBareOid(title) || lines.some(isDump)) return;
      const lost = lines.flatMap((line) => missing(line, [name, ...value].join("\n")));
      expect(lost, `${title}: ${lines.join(" | ")} as ${value.join(" | ")}`).toEqual([]);
    });
  },
);

it("describe: keys, subject attributes and CSR attributes that openssl names are named", () => {
  const dotted = /(?:^|[,+])\d+(?:\.\d+)+=/;
  for (const { name, pem } of corpus) {
    if (pem.includes("X509 CRL")) continue;
    const { subject, key } = pem.includes("REQUEST") ? describeCsr(pem) : describeCertificate(pem);
    expect(subject, name).not.toMatch(dotted);
    expect(key, name).not.toMatch(/\d\.\d|unsupported/);
  }
  const keys = corpus.filter(({ name }) => name.startsWith("openssl: key "));
  expect(keys.map(({ pem }) => describeCertificate(pem).key)).toEqual([
    "Ed448",
    "EC secp256k1",
    "EC brainpoolP256r1",
    "RSA 2048 for PSS only",
    "RSA 1024",
    "EC of 384 bits, with explicit parameters",
  ]);
  const attributes = corpus.find(({ name }) => name === "openssl: CSR with attributes");
  expect(describeCsr(attributes?.pem ?? "").attributes).toEqual([
    { oid: "1.2.840.113549.1.9.7", name: "challenge password", value: ["secret12"] },
    { oid: "1.2.840.113549.1.9.2", name: "unstructured name", value: ["unstructured"] },
  ]);
});
