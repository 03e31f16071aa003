import { acmeConfig, type AcmeConfig } from "../rows/config.ts";
import { clusterConfig } from "../../pki/rows/settings.ts";
import { externalPolicyConfig } from "../../external/rows/records.ts";
import { malformed } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { AcmeSettings } from "../rows/deployment-settings.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findIssuer } from "../../pki/issuer/issuer.ts";
import { findRole } from "../../pki/leaf/role.ts";
import { ipToBytes, parseCidr } from "../../x509/address.ts";
import {
  hasPersistentRecords,
  issuerDomainNames,
  isIssuerDomainName,
} from "../protocol/persistent-records.ts";
import { challengeNames, findChallengeType } from "../validation/challenge-table.ts";
import { checkAttestation, expiredCrls } from "./attestation-checks.ts";
import { roleOfPolicy } from "./policy.ts";

/** The configuration fields that a request sets. */
type ConfigChanges = Readonly<Partial<Record<keyof AcmeConfig, unknown>>>;

/**
 * Rejects a configuration with which ACME cannot work (B 5.3). Settings that became invalid later,
 * for example because a role was deleted, do not prevent other changes; `doubtsOf` reports them.
 */
export async function validateAcmeConfig(
  config: Snapshot,
  changes: ConfigChanges,
  settings: AcmeSettings,
): Promise<void> {
  const acme = config.get(acmeConfig);
  if (acme.enabled) {
    if (config.get(clusterConfig).path === "") throw malformed(noClusterPath(config));
    if (isShut(acme, settings)) throw malformed(needsBinding);
  }
  if (changes.allowed_issuers !== undefined) checkIssuers(config);
  if (changes.allowed_roles !== undefined) await checkRoles(config);
  if (changes.allowed_roles !== undefined || changes.default_directory_policy !== undefined)
    await checkPolicy(config);
  if (changes.dns_resolver !== undefined) checkResolver(acme.dns_resolver);
  if (changes.challenge_types !== undefined) checkTypes(acme.challenge_types);
  if (changes.issuer_domain_names !== undefined) checkIssuerNames(acme.issuer_domain_names);
  const setsNames =
    changes.challenge_types !== undefined || changes.issuer_domain_names !== undefined;
  if (setsNames && lacksIssuerName(config)) throw malformed(needsIssuerName);
  await checkAttestation(acme, changes);
  checkTimeout(acme.challenge_timeout);
  checkRanges("challenge_permitted_ip_ranges", acme.challenge_permitted_ip_ranges);
  checkRanges("challenge_excluded_ip_ranges", acme.challenge_excluded_ip_ranges);
}

const noClusterPath = ({ mount }: Snapshot): string =>
  `ACME feature requires local cluster 'path' field configuration to be set: POST /v1/${mount.path}/config/cluster with path, the full URL of this mount, such as https://ca.example.com/v1/${mount.path}`;
const needsBinding =
  "SERVICE_DISABLE_PUBLIC_ACME env var is enabled, ACME EAB policy needs to be 'always-required' with ACME enabled";
/**
 * Reports whether ACME is disabled because the deployment requires external account binding (EAB)
 * and the mount does not require it for every account.
 */
const isShut = ({ eab_policy }: AcmeConfig, { requireEab }: AcmeSettings): boolean =>
  requireEab === true && eab_policy !== "always-required";

/**
 * Reports whether a list consists of `*`, which allows everything. Rejects an empty list, and `*`
 * beside names.
 */
function allowsAll(list: readonly string[], field: string, kind: string): boolean {
  if (list.length === 0)
    throw malformed(
      `${field} must take a non-zero length value; specify '*' as the value to allow anything or specify enabled=false to disable ACME entirely`,
    );
  if (list.length === 1 && list[0] === "*") return true;
  const star = list.indexOf("*");
  if (star >= 0) throw malformed(`cannot use '*' as ${kind} name at index ${star}`);
  return false;
}

function checkIssuers(config: Snapshot): void {
  const list = config.get(acmeConfig).allowed_issuers;
  if (allowsAll(list, "allowed_issuers", "issuer")) return;
  for (const ref of list)
    if (!findIssuer(config, ref))
      throw malformed(
        `failed validating allowed_issuers: unable to find PKI issuer for reference: ${truncateForMessage(ref)}`,
      );
}

/** Returns the reason why ACME cannot use a role, or undefined if it can. */
async function faultOf(config: Snapshot, name: string): Promise<string | undefined> {
  const role = await findRole(config, name);
  if (!role) return "does not exist";
  return role.no_store ? "has no_store set, but ACME requires stored certificates" : undefined;
}

async function checkRoles(config: Snapshot): Promise<void> {
  const list = config.get(acmeConfig).allowed_roles;
  if (allowsAll(list, "allowed_roles", "role")) return;
  for (const name of list) {
    const fault = await faultOf(config, name);
    if (fault !== undefined)
      throw malformed(
        `allowed_role ${truncateForMessage(name)} is not a valid acme role: it ${fault}`,
      );
  }
}

async function checkPolicy(config: Snapshot): Promise<void> {
  const { default_directory_policy: policy, allowed_roles: list } = config.get(acmeConfig);
  const role = roleOfPolicy(policy);
  if (role === undefined) return;
  if (list[0] !== "*" && !list.includes(role))
    throw malformed(
      `default directory policy ${policy} was not specified in allowed_roles: ${truncateForMessage(list.join(", "))}`,
    );
  const fault = await faultOf(config, role);
  if (fault !== undefined)
    throw malformed(`default directory policy ${policy} is not usable: the role ${role} ${fault}`);
}

function checkResolver(resolver: string): void {
  if (resolver === "") return;
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(resolver) ?? [];
  const failed = "failed to parse DNS resolver address:";
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw malformed(
      `${failed} expected an address and a port, such as 192.0.2.53:53 or [2001:db8::53]:53`,
    );
  const address = bracketed ?? plain ?? "";
  if (!ipToBytes(address) || (bracketed !== undefined) !== address.includes(":"))
    throw malformed(`${failed} expected IPv4/IPv6 address, likely got hostname`);
}

function checkTypes(types: readonly string[]): void {
  const unknown = types.find((type) => !findChallengeType(type));
  if (types.length === 0 || unknown !== undefined)
    throw malformed(
      `challenge_types: expected at least one of ${challengeNames.join(", ")}, got ${truncateForMessage(unknown ?? "none")}`,
    );
}
/** Maximum number of issuer domain names (draft-ietf-acme-dns-persist-02 section 3.1). */
const maxIssuerNames = 10;
function checkIssuerNames(names: readonly string[]): void {
  if (names.length > maxIssuerNames)
    throw malformed(
      `issuer_domain_names has ${names.length} entries; the maximum is ${maxIssuerNames}`,
    );
  const wrong = names.find((name) => !isIssuerDomainName(name));
  if (wrong !== undefined)
    throw malformed(
      `issuer_domain_names: ${truncateForMessage(wrong)} is not a domain name such as ca.example.com`,
    );
}
/** Reports whether dns-persist-01 is offered although the CA has no issuer domain name. */
const lacksIssuerName = (config: Snapshot): boolean =>
  hasPersistentRecords(config) && issuerDomainNames(config).length === 0;
const needsIssuerName =
  "dns-persist-01 requires issuer_domain_names, because the mount's URL has no domain name";

/** Maximum challenge_timeout in seconds. */
const maxTimeout = 3600;
function checkTimeout(timeout: number): void {
  if (timeout > maxTimeout)
    throw malformed(
      `challenge_timeout must be 1 to ${maxTimeout} seconds, or 0 for 30 seconds; got ${timeout}`,
    );
}

function checkRanges(field: string, ranges: readonly string[]): void {
  const wrong = ranges.find((range) => !parseCidr(range));
  if (wrong !== undefined)
    throw malformed(
      `${field}: invalid CIDR address: ${truncateForMessage(wrong)}; use a range such as 192.0.2.0/24`,
    );
}

/**
 * Returns warnings about settings with which ACME does not work or works only in part, such as a
 * deleted role or an expired CRL. `now`: Unix milliseconds.
 */
export async function doubtsOf(
  config: Snapshot,
  settings: AcmeSettings,
  now: number,
): Promise<readonly string[]> {
  const acme = config.get(acmeConfig);
  const doubts: string[] = [];
  if (acme.enabled && config.get(clusterConfig).path === "") doubts.push(noClusterPath(config));
  if (lacksIssuerName(config)) doubts.push(needsIssuerName);
  if (acme.enabled && isShut(acme, settings))
    doubts.push(`ACME responds as if it were disabled: ${needsBinding}`);
  if (acme.enabled && !findIssuer(config, "default"))
    doubts.push(
      "no default issuer is configured: directories without an issuer in their path cannot issue",
    );
  const isExternal = acme.default_directory_policy.startsWith("external-policy");
  if (acme.enabled && isExternal && !config.get(externalPolicyConfig).enabled)
    doubts.push("external policy is not enabled: directories that depend on it reject all orders");
  doubts.push(...(await expiredCrls(acme, now)));
  for (const ref of acme.allowed_issuers)
    if (ref !== "*" && !findIssuer(config, ref))
      doubts.push(`allowed_issuers: ${truncateForMessage(ref)} is not an issuer`);
  const role = roleOfPolicy(acme.default_directory_policy);
  for (const name of new Set([...acme.allowed_roles, ...(role === undefined ? [] : [role])])) {
    const fault = name === "*" ? undefined : await faultOf(config, name);
    if (fault !== undefined)
      doubts.push(`the role ${truncateForMessage(name)} ${fault}: ACME cannot use it`);
  }
  return doubts;
}
