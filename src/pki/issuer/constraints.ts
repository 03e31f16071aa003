import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { isUnknown } from "../../x509/critical.ts";
import type { Extension } from "../../x509/extension.ts";
import type { Case } from "../request/case.ts";
import type { Template } from "../request/template.ts";
import { nameBreach, type Breach, type Named } from "../../x509/name-breach.ts";
import { criticalRule, linksOf, usageBreach } from "./chain-links.ts";
import { knownPath } from "./path.ts";

/** What of a leaf the rules look at. */
type Leaf = Named & Pick<Template, "extKeyUsage" | "extra">;

/**
 * What the chain of an issuer forbids of a leaf that it would sign (A 6.10; RFC 5280 sections
 * 4.2.1.9, 4.2.1.10, 6.1): the first breach, or nothing. Each kind of check can be switched off at
 * the issuer.
 */
function chainBreach(config: Snapshot, issuer: IssuerRow, leaf: Leaf): Breach | undefined {
  const { gap, links } = linksOf(config)(issuer);
  if (gap) return gap;
  const stray = strayBreach(issuer, leaf.extra);
  if (stray) return stray;
  for (const { certificate, breach, purposes, constrains } of links) {
    const found =
      breach ??
      purposeBreach(purposes, leaf.extKeyUsage) ??
      (constrains ? nameBreach(certificate, leaf) : undefined);
    if (found) return found;
  }
  return undefined;
}

/** A critical extension that is not known here, unless the issuer does not mind. */
function strayBreach(
  { checks }: IssuerRow,
  extra: readonly Extension[] | undefined,
): Breach | undefined {
  const stray = checks.disable_critical_extension_checks ? undefined : extra?.find(isUnknown);
  return (
    stray && {
      rule: criticalRule,
      why: `the certificate would have the critical extension ${stray.oid}, which is not known here`,
    }
  );
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
  if (ca.unit.features["chainChecks"] === false) return;
  const breach = chainBreach(config, issuer, leaf);
  const rule = breach?.rule ?? "the chain's constraints (4.2.1.10)";
  judge.demand(rule, issuer.name || issuer.id, breach === undefined, () => refusalOf(breach));
}
/** Refuses critical extensions that are not known here, unless the issuer does not mind. */
export function assertKnown(issuer: IssuerRow, extra: readonly Extension[] | undefined): void {
  const breach = strayBreach(issuer, extra);
  if (breach) throw refusalOf(breach);
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
    ca.unit.features["chainChecks"] === false ? undefined : constraintBreach(config, issuer, named);
  if (breach) throw refusalOf(breach);
}
const refusalOf = (breach: Breach | undefined): CaError =>
  new CaError("constraint", `the certificate would break ${breach?.rule}: ${breach?.why}`);
