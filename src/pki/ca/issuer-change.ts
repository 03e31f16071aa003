import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import {
  usages,
  type IssuerId,
  type IssuerRow,
  type NotAfterBehavior,
  type UrlSet,
  type Usage,
  rowPrefixes,
} from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import {
  supportsScheme,
  schemeFromName,
  schemeName,
  schemeNames,
  parsePublicKey,
} from "../../x509/public-key.ts";
import { certificateOf, findIssuer } from "../issuer/issuer.ts";
import { maySignCrls } from "../issuer/new-issuer.ts";
import { checkUrls, urlsFor } from "../issuer/urls.ts";
import { storedRole } from "../leaf/role.ts";
import type { IssuanceContext } from "../request/rule-checker.ts";
import type { IssuerInput } from "./issuer-fields.ts";

/** The context of a change to an issuer: mount, configuration and caller. */
export type IssuerCase = Pick<IssuanceContext<unknown>, "mount" | "config" | "caller">;
/** The requested changes to an issuer. Undefined members stay unchanged. */
export type RequestedChange = { readonly [K in keyof IssuerInput]?: IssuerInput[K] | undefined };

/**
 * Returns the row of an issuer with the requested changes, after validating each. Throws
 * `malformed` for an invalid value, or `unknown_issuer` if the manual chain names an unknown
 * issuer.
 */
export function changedIssuer(
  { mount, config, caller }: IssuerCase,
  row: IssuerRow,
  changes: RequestedChange,
): IssuerRow {
  const name = changes.issuer_name ?? row.name;
  const templating = changes.enable_aia_url_templating ?? row.enable_aia_url_templating;
  const urls = urlsOf(row.urls, changes, templating);
  const checks = {
    disable_critical_extension_checks:
      changes.disable_critical_extension_checks ?? row.checks.disable_critical_extension_checks,
    disable_path_length_checks:
      changes.disable_path_length_checks ?? row.checks.disable_path_length_checks,
    disable_name_checks: changes.disable_name_checks ?? row.checks.disable_name_checks,
    disable_name_constraint_checks:
      changes.disable_name_constraint_checks ?? row.checks.disable_name_constraint_checks,
  };
  const next: IssuerRow = {
    ...row,
    name,
    leaf_not_after_behavior:
      changes.leaf_not_after_behavior === undefined
        ? row.leaf_not_after_behavior
        : readBehavior(changes.leaf_not_after_behavior),
    manual_chain:
      changes.manual_chain === undefined
        ? row.manual_chain
        : readChain(config, row, changes.manual_chain),
    usage: changes.usage === undefined ? row.usage : readUsage(row, changes.usage),
    revocation_signature_algorithm:
      changes.revocation_signature_algorithm === undefined
        ? row.revocation_signature_algorithm
        : readAlgorithm(row, changes.revocation_signature_algorithm),
    urls,
    enable_aia_url_templating: templating,
    checks,
    ocsp_unknown_serials: changes.ocsp_unknown_serials ?? row.ocsp_unknown_serials,
    modified: name === row.name ? row.modified : mount.ports.now(),
  };
  try {
    urlsFor(config, next);
  } catch (error) {
    caller.reply.warn(`issuance may fail: ${error instanceof Error ? error.message : ""}`);
  }
  return next;
}

function urlsOf(current: UrlSet, changes: RequestedChange, templating: boolean): UrlSet {
  const pick = (name: keyof UrlSet) => (changes[name] ?? current[name]).filter((url) => url !== "");
  const urls = {
    issuing_certificates: pick("issuing_certificates"),
    crl_distribution_points: pick("crl_distribution_points"),
    delta_crl_distribution_points: pick("delta_crl_distribution_points"),
    ocsp_servers: pick("ocsp_servers"),
  };
  for (const [name, value] of Object.entries(urls)) checkUrls(name, value, templating);
  return urls;
}

const behaviors: readonly NotAfterBehavior[] = ["err", "truncate", "permit", "always_enforce_err"];
function readBehavior(value: string): NotAfterBehavior {
  const behavior = behaviors.find((behavior) => behavior === value);
  if (!behavior)
    throw new CaError(
      "malformed",
      "Unknown value for field `leaf_not_after_behavior`. Possible values are `err`, `truncate`, `permit`, and `always_enforce_err`.",
    );
  return behavior;
}

function readUsage(row: IssuerRow, names: readonly string[]): readonly Usage[] {
  const requested = new Set(names.map((value) => value.trim()).filter(Boolean));
  for (const value of requested)
    if (!usages.some((usage) => usage === value))
      throw new CaError(
        "malformed",
        `Unable to parse specified usages: [${names.join(" ").slice(0, 256)}] - valid values are ${usages.join(", ")}`,
      );
  if (requested.has("issuing-certificates") && row.revoked !== undefined)
    throw new CaError(
      "malformed",
      `This issuer was revoked; unable to modify its usage to include certificate signing again. Reissue this certificate (preferably with a new key) and modify that entry instead.`,
    );
  if (requested.has("crl-signing") && !maySignCrls(certificateOf(row)))
    throw new CaError(
      "malformed",
      "This issuer's underlying certificate lacks the CRLSign KeyUsage value; unable to set CRLSigningUsage on this issuer as a result.",
    );
  return usages.filter((usage) => usage === "read-only" || requested.has(usage));
}

function readAlgorithm(row: IssuerRow, value: string): string {
  if (value === "") return "";
  const scheme = schemeFromName(value);
  if (!scheme)
    throw new CaError(
      "malformed",
      `Unknown signature algorithm value: ${value.slice(0, 64)} - valid values are ${schemeNames.join(", ")}`,
    );
  if (!supportsScheme(scheme, parsePublicKey(certificateOf(row).spki)))
    throw new CaError(
      "malformed",
      `the revocation signature algorithm ${schemeName(scheme)} cannot be used with the issuer's key`,
    );
  return schemeName(scheme);
}

/** Parses a manual chain: references to issuers, starting with the issuer itself (A 3.7). */
function readChain(
  config: Snapshot,
  row: IssuerRow,
  chain: readonly string[],
): readonly IssuerId[] {
  const references = chain.map((ref) => ref.trim()).filter(Boolean);
  return references.map((ref, i) => {
    const issuer = i === 0 && ref === "self" ? row : findIssuer(config, ref);
    if (!issuer)
      throw new CaError(
        "unknown_issuer",
        `unable to find PKI issuer for reference: ${ref.slice(0, 256)}`,
      );
    if (i === 0 && issuer.id !== row.id)
      throw new CaError(
        "malformed",
        `expected first cert in chain to be a self-reference, but was: ${ref}/${issuer.id}`,
      );
    return issuer.id;
  });
}

/**
 * Maximum number of roles that a warning lists. If there may be more roles, the warning says "at
 * least".
 */
export const maxRolesNamed = 10;
/**
 * Returns the names of up to ten roles that refer to an issuer by the given reference. Checks only
 * the first hundred roles.
 */
export async function rolesNaming(mount: Mount, reference: string): Promise<readonly string[]> {
  if (reference === "") return [];
  const prefix = rowPrefixes.roles;
  const rows = await mount.store.list(prefix, { limit: 100 });
  return rows
    .filter(([, row]) => storedRole(row.value).issuer_ref === reference)
    .map(([key]) => key.slice(prefix.length))
    .slice(0, maxRolesNamed);
}
