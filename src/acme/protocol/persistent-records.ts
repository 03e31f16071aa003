import { isHostName, endsInNumber, lowerAscii } from "../../base/names.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { clusterConfig } from "../../pki/rows/settings.ts";
import { ipToBytes } from "../../x509/address.ts";
import { acmeConfig } from "../rows/config.ts";
import type { Directory } from "./directory.ts";

/** Reports whether the server offers dns-persist-01 challenges. */
export const hasPersistentRecords = (config: Snapshot): boolean =>
  config.get(acmeConfig).challenge_types.includes("dns-persist-01");

/**
 * Returns the domain names that identify the CA in dns-persist-01 records: the configured names, or
 * else the host of the mount's URL. Returns none if that host is not a DNS name.
 */
export function issuerDomainNames(config: Snapshot): readonly string[] {
  const { issuer_domain_names: names } = config.get(acmeConfig);
  if (names.length > 0) return names;
  const { path } = config.get(clusterConfig);
  const host = URL.canParse(path) ? lowerAscii(new URL(path).hostname).replace(/\.$/, "") : "";
  return isIssuerDomainName(host) ? [host] : [];
}
/** Reports whether a string is a domain name of lower-case A-labels without a trailing dot. */
export const isIssuerDomainName = (text: string): boolean =>
  text === lowerAscii(text) &&
  text.length <= 253 &&
  !text.endsWith(".") &&
  !text.startsWith("*.") &&
  isHostName(text) &&
  !endsInNumber(text) &&
  !ipToBytes(text);

/** Returns the prefix of hashed account URIs in dns-persist-01 records. */
export const accountHashPrefix = ({ url }: Directory): string => url("/account-hash/");

/**
 * Returns the members of a directory's `meta` that clients need to create dns-persist-01 records.
 */
export function persistentRecordsMeta(
  config: Snapshot,
  directory: Directory,
): Readonly<Record<string, unknown>> {
  const names = issuerDomainNames(config);
  return hasPersistentRecords(config) && names.length > 0
    ? { issuerDomainNames: names, accountHashPrefix: accountHashPrefix(directory) }
    : {};
}
