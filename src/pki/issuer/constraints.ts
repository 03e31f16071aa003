import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { memo } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findExtension, type Certificate } from "../../x509/certificate.ts";
import { isUnknown } from "../../x509/critical.ts";
import { readBasicConstraints } from "../../x509/basic-constraints.ts";
import { readExtKeyUsage } from "../../x509/usage.ts";
import { nameText } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { Case } from "../request/case.ts";
import { nameBreach, type Breach, type Named } from "./breach.ts";
import { certificateOf, chainRows, maySignCertificates } from "./issuer.ts";
import { knownPath } from "./path.ts";
import type { Template } from "../request/template.ts";

/** What of a leaf the rules look at. */
type Leaf = Named & Pick<Template, "extKeyUsage" | "extra">;

/** What a certificate of a chain demands of every leaf below. */
interface Link {
  readonly certificate: Certificate;
  /** What it breaks itself, whatever the leaf. */
  readonly breach: Breach | undefined;
  /** Purposes that it allows; undefined for any. */
  readonly purposes: readonly string[] | undefined;
  /** Whether it constrains names. */
  readonly constrains: boolean;
}
/** What is known of an issuer's chain before any leaf, read once for each configuration. */
const linksOf = memo((config: Snapshot) =>
  memo(
    (issuer: IssuerRow): { readonly gap: Breach | undefined; readonly links: readonly Link[] } => {
      const path = knownPath(config, issuer);
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
 * What the chain of an issuer forbids of a leaf that it would sign (A 6.10; RFC 5280 sections
 * 4.2.1.9, 4.2.1.10, 6.1): the first breach, or nothing. Each kind of check can be switched off at
 * the issuer.
 */
function chainBreach(config: Snapshot, issuer: IssuerRow, leaf: Leaf): Breach | undefined {
  const { checks } = issuer;
  const { gap, links } = linksOf(config)(issuer);
  if (gap) return gap;
  const stray = checks.disable_critical_extension_checks ? undefined : leaf.extra?.find(isUnknown);
  if (stray)
    return {
      rule: criticalRule,
      why: `the certificate would have the critical extension ${stray.oid}, which is not known here`,
    };
  for (const { certificate, breach, purposes, constrains } of links) {
    const found =
      breach ??
      purposeBreach(purposes, leaf.extKeyUsage) ??
      (constrains ? nameBreach(certificate, leaf) : undefined);
    if (found) return found;
  }
  return undefined;
}

/**
 * What an issuer's chain forbids of a CA that it would sign: name constraints hold for every
 * certificate of a path (RFC 5280 section 4.2.1.10), and each CA of it must be allowed to sign
 * certificates (6.1.4 (n)). The first breach, or nothing.
 */
function constraintBreach(config: Snapshot, issuer: IssuerRow, named: Named): Breach | undefined {
  for (const certificate of knownPath(config, issuer)) {
    const breach =
      usageBreach(certificate) ??
      (issuer.checks.disable_name_constraint_checks ? undefined : nameBreach(certificate, named));
    if (breach) return breach;
  }
  return undefined;
}

/**
 * Where a chain that was set by hand stops short of a root because nobody in it bears the name that
 * is wanted: the first certificate there that is neither a parent nor another certificate of a CA
 * before it (RFC 5280 section 6.1.3 (a)(4)). Chains of our own building follow names always.
 */
function nameGap(
  config: Snapshot,
  issuer: IssuerRow,
  path: readonly Certificate[],
): Breach | undefined {
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
      why: `${nameText(stray.subject)} stands in the chain that was set for the issuer, and no certificate before it names it as its issuer`,
    }
  );
}

const criticalRule = "critical extensions (4.2)";
function unknownCritical(certificate: Certificate): Breach | undefined {
  const found = certificate.extensions.find(isUnknown);
  return (
    found && {
      rule: criticalRule,
      why: `a certificate of the chain has the critical extension ${found.oid}, which is not known here`,
    }
  );
}

function tooDeep(certificate: Certificate, below: readonly Certificate[]): Breach | undefined {
  const extension = findExtension(certificate, extensionOid.basicConstraints);
  const limit = extension ? readBasicConstraints(extension.value).pathLength : undefined;
  // self-issued certificates do not count (4.2.1.9)
  const between = below.filter((one) => !equalBytes(one.subject, one.issuer)).length;
  return limit !== undefined && between > limit
    ? {
        rule: "path length (4.2.1.9)",
        why: `a certificate of the chain allows ${limit} CAs below it, and there are ${between}`,
      }
    : undefined;
}

/**
 * A path through a CA that may not sign certificates is valid to nobody (RFC 5280 section 6.1.4
 * (n)).
 */
function usageBreach(certificate: Certificate): Breach | undefined {
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
function purposeBreach(
  allowed: readonly string[] | undefined,
  purposes: readonly string[],
): Breach | undefined {
  const missing = allowed && purposes.find((oid) => !allowed.includes(oid));
  return missing === undefined
    ? undefined
    : {
        rule: "extended key usage along the chain (4.2.1.12)",
        why: `a certificate of the chain does not allow the purpose ${missing}`,
      };
}

/**
 * Refuses a leaf that the constraints of the issuer's chain forbid, unless the operator switched
 * that off (A 6.10).
 */
export function demandChain(
  { ca, config, judge }: Pick<Case<unknown>, "ca" | "config" | "judge">,
  issuer: IssuerRow,
  leaf: Leaf,
): void {
  if (ca.ports.chainChecks === false) return;
  const breach = chainBreach(config, issuer, leaf);
  const rule = breach?.rule ?? "the chain's constraints (4.2.1.10)";
  judge.demand(rule, issuer.name || issuer.id, breach === undefined, () => refusalOf(breach));
}
/**
 * Refuses a CA with names that the constraints of the issuer's chain forbid, unless the operator
 * switched that off.
 */
export function assertConstraints(
  ca: Mount,
  config: Snapshot,
  issuer: IssuerRow,
  named: Named,
): void {
  const breach =
    ca.ports.chainChecks === false ? undefined : constraintBreach(config, issuer, named);
  if (breach) throw refusalOf(breach);
}
const refusalOf = (breach: Breach | undefined): CaError =>
  new CaError("constraint", `the certificate would break ${breach?.rule}: ${breach?.why}`);
