import { toHex, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { sha1 } from "../../base/hashes.ts";
import type { IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { freshestCrl, issuingDistributionPoint } from "../../x509/distribution-points.ts";
import type { Extension } from "../../x509/extension.ts";
import { crlAddresses } from "../issuer/crl-retention.ts";
import { urlsFor } from "../issuer/urls.ts";
import { crlParts } from "./crl-set.ts";
import type { ActiveCrls } from "./active-crls.ts";

/**
 * Returns the issuing distribution point extension of a CRL and its delta, which contains the names
 * by which certificates refer to the CRL of a shard. Returns undefined for an unsharded CRL, which
 * covers all certificates.
 */
export function issuingDistributionPointOf(
  active: ActiveCrls,
  crlId: string,
): Extension | undefined {
  const names = active.names(crlId);
  return names && issuingDistributionPoint(names);
}
/**
 * Returns the digest of a CRL's distribution point names. The digest is stored in the CRL's row,
 * because a delta CRL must have the same scope as its complete CRL (RFC 5280 section 5.2.4).
 */
export function namesDigest(active: ActiveCrls, crlId: string): string | undefined {
  const names = active.names(crlId);
  return names && toHex(sha1(utf8(names.join("\n"))));
}

/**
 * Returns the freshest CRL extension of a CRL, if delta CRLs have URLs. Returns undefined if
 * placeholders in the URLs cannot be filled in, because a CRL without the extension is better than
 * no CRL.
 */
export function freshestCrlOf(
  config: Snapshot,
  issuer: IssuerRow,
  crlId: string,
): Extension | undefined {
  try {
    const { delta_crl_distribution_points: deltas } = urlsFor(config, issuer);
    return freshestCrl(crlAddresses(deltas, crlParts(crlId).shard));
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
