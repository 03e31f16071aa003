import { crlConfig } from "../rows/settings.ts";
import { memoize } from "../../base/memo.ts";
import { encodePem } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { RawReply } from "../../wire/endpoint.ts";
import { getIssuer, findIssuer } from "../issuer/issuer.ts";
import { crlId } from "../crl/crl-set.ts";
import { currentCrl, currentDelta, type CurrentCrl } from "../crl/crl-read.ts";
import { caMaxAge } from "./published-certificate.ts";

/** A CRL of an issuer: the complete one unless `delta`, on a unified or a local path. */
export interface CrlSelector {
  readonly delta?: true;
  readonly unified?: true;
  /** `<n>-<i>`; absent: the complete CRL. */
  readonly shard?: string;
}
const crlOf = async (
  ca: Mount,
  find: (config: Snapshot) => IssuerRow | undefined,
  which: CrlSelector,
): Promise<CurrentCrl | undefined> => {
  const config = await ca.config();
  const row = find(config);
  // there is only one cluster, so unified and local CRLs are equal (D 4)
  if (!row || (which.unified && !config.get(crlConfig).unified_crl)) return undefined;
  const list = crlId(row.crl_set, which.shard);
  return which.delta ? currentDelta(ca, config, list) : currentCrl(ca, config, list);
};
/** Returns a CRL of the default issuer. */
export const defaultCrl = (ca: Mount, which: CrlSelector = {}): Promise<CurrentCrl | undefined> =>
  crlOf(ca, (config) => findIssuer(config, "default"), which);
/** Returns a CRL of the referenced issuer. Throws `unknown_issuer`. */
export const issuerCrl = (
  ca: Mount,
  reference: string,
  which: CrlSelector = {},
): Promise<CurrentCrl | undefined> => crlOf(ca, (config) => getIssuer(config, reference), which);
const pemOf = memoize((der: Uint8Array) => encodePem("X509 CRL", der));
/** Returns a CRL as PEM. */
export const crlPem = ({ der }: CurrentCrl): string => pemOf(der);
/**
 * Replies with a CRL that may be cached until it expires, but only briefly, so that revocations
 * soon become visible.
 */
const published = (
  ca: Mount,
  crl: CurrentCrl,
  type: string,
  bytes: Uint8Array | string,
): RawReply => ({
  since: Math.min(ca.checked, crl.read),
  type,
  bytes,
  modified: crl.row.this_update * 1000,
  sharesDate: crl.row.again,
  maxAge: Math.max(0, Math.min(caMaxAge, crl.row.next_update - Math.ceil(ca.ports.now() / 1000))),
  etag: `"${crl.row.issuer}-${crl.row.number}"`,
});
/** Replies with a CRL as DER. */
export const crlDer = (ca: Mount, crl: CurrentCrl | undefined) =>
  crl && published(ca, crl, "application/pkix-crl", crl.der);
/** Replies with a CRL as PEM, with its media type. */
export const crlText = (ca: Mount, crl: CurrentCrl | undefined) =>
  crl && published(ca, crl, "application/x-pem-file", crlPem(crl));
