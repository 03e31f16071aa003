import { equalBytes } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import type { IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findExtension, type Certificate } from "../../x509/certificate.ts";
import { isUnknown } from "../../x509/critical.ts";
import { readBasicConstraints } from "../../x509/basic-constraints.ts";
import { readExtKeyUsage } from "../../x509/usage.ts";
import { nameText } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { NameBreach } from "../../x509/name-breach.ts";
import { certificateOf, chainRows, maySignCertificates } from "./issuer.ts";
import { cachedPath } from "./path.ts";

/** The constraints that a certificate in a chain imposes on all leaves below it. */
interface Link {
  readonly certificate: Certificate;
  /** The rule that the certificate violates for every leaf, if any. */
  readonly breach: NameBreach | undefined;
  /** Allowed extended key usages, or undefined if all are allowed. */
  readonly purposes: readonly string[] | undefined;
  /**
   * True if the certificate has name constraints and their check is not disabled for the issuer.
   */
  readonly constrains: boolean;
}
/** Returns the constraints of an issuer's chain, parsed once per configuration. */
export const linksOf = memoize((config: Snapshot) =>
  memoize(
    (
      issuer: IssuerRow,
    ): { readonly gap: NameBreach | undefined; readonly links: readonly Link[] } => {
      const path = cachedPath(config, issuer);
      const { checks } = issuer;
      const linkOf = (certificate: Certificate, depth: number): Link => ({
        certificate,
        breach:
          usageBreach(certificate) ??
          (checks.disable_critical_extension_checks ? undefined : unknownCritical(certificate)) ??
          (checks.disable_path_length_checks
            ? undefined
            : tooDeep(certificate, path.slice(0, depth))),
        purposes: purposesIn(certificate),
        constrains:
          !checks.disable_name_constraint_checks &&
          findExtension(certificate, extensionOid.nameConstraints) !== undefined,
      });
      return {
        gap: checks.disable_name_checks ? undefined : nameGap(config, issuer, path),
        links: path.map(linkOf),
      };
    },
  ),
);

/**
 * Returns the violation at which a manual chain breaks: the first certificate whose subject is
 * neither the issuer nor the subject of a certificate before it. Returns undefined if there is no
 * such certificate, or if the path reaches a root (RFC 5280 section 6.1.3 (a)(4)). Automatic chains
 * always have matching names.
 */
function nameGap(
  config: Snapshot,
  issuer: IssuerRow,
  path: readonly Certificate[],
): NameBreach | undefined {
  const last = path.at(-1);
  if (issuer.manual_chain.length === 0 || !last || equalBytes(last.subject, last.issuer))
    return undefined;
  const chain = chainRows(config, issuer).map(certificateOf);
  const follows = ({ subject }: Certificate, i: number) =>
    i === 0 ||
    chain
      .slice(0, i)
      .some((before) => equalBytes(before.issuer, subject) || equalBytes(before.subject, subject));
  const stray = chain.find((certificate, i) => !follows(certificate, i));
  return (
    stray && {
      rule: "names along the chain (6.1.3)",
      why: `${nameText(stray.subject)} is in the manual chain of the issuer, but is not the issuer of any certificate before it`,
    }
  );
}

/** Name of the rule about critical extensions in error messages. */
export const criticalRule = "critical extensions (4.2)";
function unknownCritical(certificate: Certificate): NameBreach | undefined {
  const unknownExtension = certificate.extensions.find(isUnknown);
  return (
    unknownExtension && {
      rule: criticalRule,
      why: `a certificate in the chain has the unknown critical extension ${unknownExtension.oid}`,
    }
  );
}

function tooDeep(certificate: Certificate, below: readonly Certificate[]): NameBreach | undefined {
  const extension = findExtension(certificate, extensionOid.basicConstraints);
  const limit = extension ? readBasicConstraints(extension.value).pathLength : undefined;
  // self-issued certificates do not count (4.2.1.9)
  const between = below.filter((one) => !equalBytes(one.subject, one.issuer)).length;
  return limit !== undefined && between > limit
    ? {
        rule: "path length constraint (4.2.1.9)",
        why: `a certificate in the chain allows ${limit} CAs below it, but there are ${between}`,
      }
    : undefined;
}

/**
 * Returns the violation if a CA may not sign certificates, because this invalidates all paths
 * through the CA (RFC 5280 section 6.1.4 (n)).
 */
export function usageBreach(certificate: Certificate): NameBreach | undefined {
  return maySignCertificates(certificate)
    ? undefined
    : {
        rule: "key usage along the chain (4.2.1.3)",
        why: `the key usage of ${nameText(certificate.subject)} lacks keyCertSign`,
      };
}

const anyPurpose = "2.5.29.37.0";
function purposesIn(certificate: Certificate): readonly string[] | undefined {
  const extension = findExtension(certificate, extensionOid.extKeyUsage);
  const allowed = extension && readExtKeyUsage(extension.value);
  return allowed?.includes(anyPurpose) ? undefined : allowed;
}
