import { readDer, type Reader } from "../base/der.ts";
import { extensionOid, otherOid } from "../x509/oid.ts";
import { readValue } from "./extension-lints.ts";
import { firstDefect, firstRepeated, quoted, when, type Lint } from "./finding.ts";
import { stringName } from "./name-lints.ts";
import { latin1, type LintedCertificate } from "./subject.ts";

interface Qualifier {
  readonly type: string;
  /** URL of a certification practice statement. */
  readonly cps?: string;
  /** Text of a user notice, with the tag of its string type. */
  readonly notice?: { readonly tag: number; readonly text: string };
  readonly hasReference?: boolean;
}
interface LintedPolicy {
  readonly oid: string;
  readonly qualifiers: readonly Qualifier[];
}

function readQualifier(list: Reader): Qualifier {
  const qualifier = list.enter("a qualifier");
  const type = qualifier.oid("its type");
  if (type === otherOid.policyCps)
    return { type, cps: latin1(qualifier.element("the URI").content) };
  if (type !== otherOid.policyNotice) return { type };
  const notice = qualifier.enter("a notice");
  const hasReference = notice.tag === 0x30;
  if (hasReference) notice.element("a reference");
  if (notice.tag === undefined) return { type, hasReference };
  const { tag, content } = notice.element("the text");
  const text = new TextDecoder(tag === 0x1e ? "utf-16be" : "utf-8").decode(content);
  return { type, hasReference, notice: { tag, text } };
}
/** Returns the policies of a certificate, or none if the extension is absent or malformed. */
const policiesOf = (certificate: LintedCertificate): readonly LintedPolicy[] =>
  readValue(certificate, extensionOid.certificatePolicies, (value) => {
    const list = readDer(value, "certificate policies").enter("CertificatePolicies");
    const policies: LintedPolicy[] = [];
    while (list.tag !== undefined) {
      const policy = list.enter("a policy");
      const oid = policy.oid("its identifier");
      const inner = policy.optional("the qualifiers", 0x30);
      const qualifiers: Qualifier[] = [];
      while (inner?.tag !== undefined) qualifiers.push(readQualifier(inner));
      policies.push({ oid, qualifiers });
    }
    return policies;
  }) ?? [];

const section = "RFC 5280 4.2.1.4";
const eachQualifier =
  (defect: (qualifier: Qualifier, policy: string) => string | undefined) =>
  (certificate: LintedCertificate): string | undefined =>
    firstDefect(policiesOf(certificate), ({ oid, qualifiers }) =>
      firstDefect(qualifiers, (qualifier) => defect(qualifier, oid)),
    );
const eachNotice = (
  defect: (notice: NonNullable<Qualifier["notice"]>, policy: string) => string | undefined,
) => eachQualifier(({ notice }, policy) => notice && defect(notice, policy));

const anyPolicy = "2.5.29.32.0";
const maxNoticeCharacters = 200;
const [ia5, bmp, utf8] = [0x16, 0x1e, 0x0c];

/** Lints of certificate policies. */
export const policyLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "policy-repeated",
    section,
    (certificate) => {
      const repeated = firstRepeated(policiesOf(certificate).map(({ oid }) => oid));
      return repeated && `Policy ${repeated} occurs twice`;
    },
  ],
  [
    "error",
    "policy-any-qualifier",
    section,
    eachQualifier(({ type }, policy) =>
      when(
        policy === anyPolicy && type !== otherOid.policyCps && type !== otherOid.policyNotice,
        `Any policy with qualifier ${type}; only practice statements and notices are allowed`,
      ),
    ),
  ],
  [
    "info",
    "policy-qualifier-unknown",
    section,
    eachQualifier(({ type }, policy) =>
      when(
        policy !== anyPolicy && type !== otherOid.policyCps && type !== otherOid.policyNotice,
        `Policy ${policy} with qualifier ${type}, which no client reads`,
      ),
    ),
  ],
  [
    "warning",
    "policy-notice-reference",
    section,
    eachQualifier(({ hasReference }, policy) =>
      when(
        hasReference === true,
        `Policy ${policy} has a notice with a reference, which CAs should not include`,
      ),
    ),
  ],
  [
    "warning",
    "policy-notice-long",
    section,
    eachNotice(({ text }, policy) => {
      const { length } = [...text];
      return when(
        length > maxNoticeCharacters,
        `Notice of policy ${policy} of ${length} characters; at most ${maxNoticeCharacters} allowed`,
      );
    }),
  ],
  [
    "error",
    "policy-notice-ia5",
    "RFC 6818 3",
    eachNotice(({ tag }, policy) =>
      when(tag === ia5, `Notice of policy ${policy} is an IA5String, which is not allowed`),
    ),
  ],
  [
    "warning",
    "policy-notice-type",
    "RFC 6818 3",
    eachNotice(({ tag }, policy) =>
      when(
        tag !== utf8 && tag !== ia5,
        `Notice of policy ${policy} is a ${stringName(tag)}; it should be a UTF8String`,
      ),
    ),
  ],
  [
    "warning",
    "policy-notice-control-character",
    section,
    eachNotice(({ text }, policy) =>
      when(
        /\p{Cc}/u.test(text),
        `Notice of policy ${policy} contains a control character: ${quoted(text)}`,
      ),
    ),
  ],
  [
    "warning",
    "policy-notice-normalization",
    section,
    eachNotice(({ tag, text }, policy) =>
      when(
        (tag === utf8 || tag === bmp) && text !== text.normalize("NFC"),
        `Notice of policy ${policy} is not in normalization form C`,
      ),
    ),
  ],
  [
    "warning",
    "policy-statement-address",
    section,
    eachQualifier(({ cps }, policy) =>
      when(
        cps !== undefined && !/^https?:\/\/[^\s/]+/i.test(cps),
        `Practice statement ${quoted(cps ?? "")} of policy ${policy} is not an http or https URL`,
      ),
    ),
  ],
];
