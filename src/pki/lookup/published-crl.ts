import { crlConfig } from "../rows/settings.ts";
import { memoize } from "../../base/memo.ts";
import { encodePem } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { RawReply } from "../../wire/endpoint.ts";
import { getIssuer, findIssuer } from "../issuer/issuer.ts";
import { crlIdOf } from "../crl/crl-set.ts";
import { currentCrl, currentDelta, type CurrentCrl } from "../crl/crl-read.ts";
import { caMaxAge } from "./published-certificate.ts";

/** The selection of an issuer's CRL: complete or delta, requested on a unified or a local path. */
export interface CrlSelector {
  readonly delta?: true;
  readonly unified?: true;
  /** The shard, `<n>-<i>`. If absent, selects the CRL of the whole set. */
  readonly shard?: string;
}
const crlOf = async (
  mount: Mount,
  find: (config: Snapshot) => IssuerRow | undefined,
  which: CrlSelector,
): Promise<CurrentCrl | undefined> => {
  const config = await mount.config();
  const row = find(config);
  // there is only one cluster, so the unified CRL is the local CRL (D 4)
  if (!row || (which.unified && !config.get(crlConfig).unified_crl)) return undefined;
  const id = crlIdOf(row.crl_set, which.shard);
  return which.delta ? currentDelta(mount, config, id) : currentCrl(mount, config, id);
};
/** Returns a CRL of the default issuer, or undefined if there is none. */
export const defaultCrl = (
  mount: Mount,
  which: CrlSelector = {},
): Promise<CurrentCrl | undefined> =>
  crlOf(mount, (config) => findIssuer(config, "default"), which);
/**
 * Returns a CRL of an issuer, or undefined if there is none. Throws `unknown_issuer` if no issuer
 * has the reference.
 */
export const issuerCrl = (
  mount: Mount,
  reference: string,
  which: CrlSelector = {},
): Promise<CurrentCrl | undefined> => crlOf(mount, (config) => getIssuer(config, reference), which);
const pemOf = memoize((der: Uint8Array) => encodePem("X509 CRL", der));
/** Returns a CRL as PEM. */
export const crlPem = ({ der }: CurrentCrl): string => pemOf(der);
/**
 * Returns the response with a CRL. Clients may cache it until it expires, but only for a short
 * time, so that revocations soon become visible.
 */
const published = (
  mount: Mount,
  crl: CurrentCrl,
  type: string,
  bytes: Uint8Array | string,
): RawReply => ({
  since: Math.min(mount.checked, crl.read),
  type,
  bytes,
  modified: crl.row.this_update * 1000,
  sharesDate: crl.row.again,
  maxAge: Math.max(
    0,
    Math.min(caMaxAge, crl.row.next_update - Math.ceil(mount.ports.now() / 1000)),
  ),
  etag: `"${crl.row.issuer}-${crl.row.number}"`,
});
/** Returns the response with a CRL as DER. */
export const crlDer = (mount: Mount, crl: CurrentCrl | undefined) =>
  crl && published(mount, crl, "application/pkix-crl", crl.der);
/** Returns the response with a CRL as PEM. */
export const crlText = (mount: Mount, crl: CurrentCrl | undefined) =>
  crl && published(mount, crl, "application/x-pem-file", crlPem(crl));
