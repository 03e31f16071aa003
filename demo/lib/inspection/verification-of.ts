import { parseCertificate } from "../../../src/x509/certificate.ts";
import type { PathReason, ReasonCode } from "../../../src/verify/reasons.ts";
import type { PathResult } from "../../../src/verify/best-path.ts";
import { extensionName, extensionOid } from "../../../src/x509/oid.ts";
import type { CertificateView } from "../x509/decode.ts";
import { visible } from "../visible-text.ts";
import { beforeKeys, hashOf } from "./verify-signature.ts";
import {
  bySigner,
  refusedVerification,
  unknownVerification,
  type Verification,
} from "./verify-node.ts";

/** The result of verifying a certificate, from which the description is derived. */
export interface Result {
  readonly view: CertificateView;
  readonly result: PathResult;
  /** The certificates above this one in its path, beginning with its issuer. */
  readonly above: readonly CertificateView[];
  /**
   * The state of the certificate's self-signature; undefined if the certificate was signed with
   * another key.
   */
  readonly own: "valid" | "invalid" | "unverifiable" | undefined;
  /** Whether the last certificate of the path has an invalid self-signature. */
  readonly isTopForged: boolean;
}

const isTime = (code: ReasonCode): boolean => code === "expired" || code === "not_yet_valid";

/**
 * Reports whether a reason is that the certificate itself is expired or not yet valid, which is
 * shown elsewhere.
 */
export const isOwnTime = ({ code, at }: PathReason, { path }: PathResult): boolean =>
  isTime(code) && at === path[0];

/**
 * Describes a result in words. Set `isTrusted` if the path ends at a root of the server.
 * `uncompared` states why the roots of the server are not known; empty if they are.
 */
export function verificationOf(of: Result, isTrusted: boolean, uncompared: string): Verification {
  const { view, result, above, own } = of;
  return (
    ownRefusal(view, result) ??
    (own !== undefined && above.length === 0
      ? selfSigned(view, own)
      : (chainRefusal(of) ?? outcome(of, isTrusted, uncompared)))
  );
}

/** Titles for reasons to reject the certificate itself. */
const refusals: Partial<Readonly<Record<ReasonCode, string>>> = {
  malformed: "Not readable",
  malformed_extension: "Malformed extension",
  bad_signature: "Signature does not verify",
  weak_key: "Weak key",
  name_constraints: "Name not allowed",
  policy: "Policy not allowed",
  revoked: "Revoked",
};

/**
 * Returns the verification of a certificate that is rejected for a reason in the certificate
 * itself, or undefined if there is no such reason.
 */
function ownRefusal(
  view: CertificateView,
  { path, reasons }: PathResult,
): Verification | undefined {
  for (const { code, message, at } of reasons) {
    const text = refusals[code];
    if (at !== path[0]) continue;
    if (code === "weak_signature") return beforeKeys(parseCertificate(view.der));
    if (code === "bad_signature" && text)
      return refusedVerification(
        text,
        `The signature does not verify with the key of ${view.issuerTitle}, the stated issuer`,
      );
    if (code === "unknown_critical_extension") return unknownCritical(view, message);
    if (text)
      return {
        ...refusedVerification(text, sentence(message)),
        ...(code === "revoked" && { isRevoked: true }),
      };
  }
  return undefined;
}

/**
 * Returns the verification of a certificate, such as a precertificate, that is rejected because of
 * a critical extension.
 */
function unknownCritical({ extensions }: CertificateView, message: string): Verification {
  const isPoisoned = extensions.some(({ oid }) => oid === extensionOid.ctPoison);
  if (isPoisoned)
    return refusedVerification(
      "Precertificate",
      "Precertificate: for Certificate Transparency logs, not for use",
    );
  const named = message.replace(/\d+(?:\.\d+)+/, (oid) => {
    const name = extensionName(oid);
    return name === undefined ? oid : `${name} (${oid})`;
  });
  return refusedVerification("Unknown critical extension", sentence(named));
}

const sentence = (message: string): string =>
  visible(message.charAt(0).toUpperCase() + message.slice(1));

/** Reports whether a reason means that the verification is incomplete rather than failed. */
const isOpen = (code: ReasonCode): boolean =>
  isTime(code) ||
  code === "issuer_unknown" ||
  code === "untrusted_root" ||
  code === "unsupported_signature" ||
  code === "too_complex";

/**
 * Returns the result for a certificate that is rejected because of another certificate in its
 * chain, or undefined if there is no such problem.
 */
function chainRefusal({ result, above, isTopForged }: Result): Verification | undefined {
  const { path, reasons } = result;
  const [by] = above;
  if (!by) return undefined;
  const problem = reasons.find(({ code, at }) => !isOpen(code) && at !== path[0]);
  const at = problem ? path.indexOf(problem.at) : above.length;
  if (problem && at === 1 && (problem.code === "not_a_ca" || problem.code === "key_usage"))
    return refusedVerification(
      "The issuer is not a CA",
      `Signed by ${by.title}, which is not allowed to sign certificates`,
    );
  if (problem || isTopForged) {
    const who = at === 1 ? "which" : `below ${above[at - 1]?.title ?? ""}, which`;
    const why = problem ? visible(problem.message) : "its own signature does not verify";
    return refusedVerification(
      "Chain does not verify",
      `Signed by ${by.title}, ${who} has a problem: ${why}`,
    );
  }
  return isTooLong(path)
    ? refusedVerification(
        "Chain is too long",
        `Signed by ${by.title}, which is not allowed to sign CA certificates`,
      )
    : undefined;
}

/** Reports whether a path has more CAs below a CA than its path length constraint allows. */
const isTooLong = (path: PathResult["path"]): boolean =>
  path[0]?.isCa === true &&
  !path[0].isSelfIssued &&
  path
    .slice(1)
    .some(
      ({ pathLength }, i) =>
        path.slice(0, i + 1).filter(({ isSelfIssued }) => !isSelfIssued).length > pathLength,
    );

function selfSigned(view: CertificateView, own: NonNullable<Result["own"]>): Verification {
  if (own === "valid")
    return {
      standing: "self",
      text: "Self-signed",
      why: "Self-signed: no other authority vouches for it",
    };
  if (own === "invalid")
    return refusedVerification(
      "Signature does not verify",
      `The signature does not verify with the key of ${view.title}, the stated issuer`,
    );
  const early = beforeKeys(parseCertificate(view.der));
  if (early?.standing === "refused")
    return { ...early, standing: "unknown", text: `Self-signed, ${hashOf(view.signature)}` };
  return early ?? unsupportedKey;
}

const unsupportedKey = unknownVerification(
  "Not verified: this browser does not support the issuer’s key",
);

function outcome(
  { view, result, above }: Result,
  isTrusted: boolean,
  uncompared: string,
): Verification {
  const { path, reasons } = result;
  const [by] = above;
  const ofChain = reasons.filter((reason) => !isOwnTime(reason, result));
  if (by && ofChain.some(({ code }) => isTime(code)))
    return {
      standing: "stale",
      text: "Chain is out of date",
      why: `Signed by ${by.title}, but that CA or one above it is expired or not yet valid`,
    };
  if (ofChain.some(({ code }) => code === "too_complex"))
    return unknownVerification("Not verified: there are too many certificates");
  if (ofChain.some(({ code, at }) => code === "unsupported_signature" && at === path[0]))
    return beforeKeys(parseCertificate(view.der)) ?? unsupportedKey;
  if (!by) return unknownVerification("Not verified: the issuer is not known here");
  if (ofChain.length > 0) return bySigner(by.title);
  const signedText = `Signed by ${by.title}; every signature up to the root is valid`;
  if (isTrusted)
    return {
      standing: "chain",
      text: "Chain verified",
      why: `${signedText}, a root of this server`,
    };
  return {
    standing: "pasted",
    text: "Chain ends at a pasted root",
    why: uncompared
      ? `${signedText}. The root was not compared with those of this server: ${uncompared}`
      : `${signedText}, but that root is not a current root of this server`,
  };
}
