import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Case } from "../request/case.ts";
import type { Breach, Named } from "./breach.ts";
import { chainBreach, constraintBreach, type Leaf } from "./constraints.ts";

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
