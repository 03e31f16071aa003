import { issuersById, keys, type IssuerRow } from "../../pki/rows/records.ts";
import { fromHex } from "../../base/bytes.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findIssuer } from "../../pki/issuer/issuer.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { map } from "../../wire/field.ts";
import { namedBy } from "../protocol/directory.ts";
import { unsignedAcme, openDirectory } from "../protocol/open.ts";
import { acmePaths } from "../protocol/paths.ts";
import { selectionOf } from "../protocol/selection.ts";
import { acmeHeaders, getStyle } from "../protocol/style.ts";
import { acmeKeys, storedAcme } from "../rows/records.ts";
import { findCertificateById, type CertificateById } from "./certificate-id.ts";

export const acmeRenewalInfo = endpoint({
  ...unsignedAcme,
  style: getStyle,
  id: "acmeRenewalInfo",
  at: acmePaths("GET /renewal-info/:certificate_id"),
  doc: "Returns the suggested renewal window of a certificate (RFC 9773). The window is in the past if the certificate is revoked, or its issuer is revoked or replaced.",
  reply: { suggestedWindow: map.required("`start` and `end`, RFC 3339.") },
  refuses: [...unsignedAcme.refuses, "malformed", "not_found", "damaged"],
  run: async (mount, { certificate_id: id }, caller) => {
    const at = await openDirectory(mount, caller);
    const existing = await findCertificateById(mount, id);
    if (!existing) throw new CaError("not_found", "this mount has no such certificate");
    const now = Math.floor(mount.ports.now() / 1000);
    const isUrgent = await mustGo(mount, at.config, existing);
    const { start, end } = isUrgent ? pastWindow(now) : windowOf(existing.certificate);
    caller.reply.respond({
      headers: {
        ...acmeHeaders(undefined, at.directory),
        "retry-after": String(retryAfter(existing.certificate)),
      },
    });
    return { suggestedWindow: { start: rfc3339(start), end: rfc3339(end) } };
  },
});

/** One hour in seconds. */
const hour = 3600;
interface Lifetime {
  readonly notBefore: number;
  readonly notAfter: number;
}
const lengthOf = ({ notBefore, notAfter }: Lifetime): number => notAfter - notBefore;

/**
 * Returns the renewal window: it starts when a third of the lifetime is left and lasts a thirtieth
 * of the lifetime. Times are Unix seconds.
 */
function windowOf(lifetime: Lifetime): { readonly start: number; readonly end: number } {
  const length = lengthOf(lifetime);
  const start = lifetime.notAfter - Math.floor(length / 3);
  return { start, end: start + Math.max(1, Math.floor(length / 30)) };
}
/**
 * Returns a window in the past, which means that clients should renew now (RFC 9773 section 4.2).
 */
const pastWindow = (now: number) => ({ start: now - 2 * hour, end: now - hour });
/**
 * Returns the polling interval in seconds: six hours, or less for certificates that are valid for
 * only a few days.
 */
const retryAfter = (lifetime: Lifetime): number =>
  Math.max(60, Math.min(6 * hour, Math.floor(lengthOf(lifetime) / 24)));

/** Reports whether a certificate is revoked, or its issuer is revoked, deleted or replaced. */
async function mustGo(mount: Mount, config: Snapshot, existing: CertificateById): Promise<boolean> {
  const { row, serial } = existing;
  const [revoked, order] = await mount.store.get([
    keys.revoked(fromHex(serial)),
    ...(row.acme ? [acmeKeys.order(row.acme.order)] : []),
  ]);
  const issuer = row.issuer === "" ? undefined : config.get(issuersById).get(row.issuer);
  if (revoked || !issuer || issuer.revoked !== undefined || !canSign(issuer)) return true;
  if (!order) return false;
  const { directory, profile } = storedAcme.order(order.value);
  const next = await nextIssuer(config, directory, profile);
  // issuers with the same name and key share a `crl_set`, even if their certificates differ
  return next !== undefined && next.crl_set !== issuer.crl_set;
}
const canSign = ({ key_id, usage }: IssuerRow): boolean =>
  key_id !== "" && usage.includes("issuing-certificates");

/** Returns the issuer that would currently sign in the directory of an order, if any. */
async function nextIssuer(
  config: Snapshot,
  directory: string,
  profile: string | undefined,
): Promise<IssuerRow | undefined> {
  try {
    const { issuer_ref, external } = await selectionOf(config, namedBy(directory), profile);
    // an external policy chooses the issuer in each response
    return external === undefined ? findIssuer(config, issuer_ref) : undefined;
  } catch (error) {
    if (error instanceof CaError && error.code !== "storage") return undefined;
    throw error;
  }
}
