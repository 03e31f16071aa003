import { equalBytes } from "../../base/bytes.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys } from "../../engine/records.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";

/**
 * Reports whether a certificate of the path was revoked in a mount that has its issuer. Rejects if
 * a mount cannot be read, because the status is then unknown.
 */
export async function isRevokedHere(
  deployment: Deployment,
  path: readonly Certificate[],
): Promise<boolean> {
  const routes = [...(await deployment.mounts()).values()];
  const found = await Promise.all(
    routes
      .filter(({ type }) => type === "pki")
      .map(async ({ uuid }) => isRevokedIn(deployment.mount(uuid), path)),
  );
  return found.includes(true);
}

async function isRevokedIn(mount: Mount, path: readonly Certificate[]): Promise<boolean> {
  const { issuers } = await mount.config();
  const own = [...issuers.values()].map(({ der, revoked }) => ({
    ...parseCertificate(der),
    revoked,
  }));
  if (
    own.some((one) => one.revoked !== undefined && path.some((at) => equalBytes(at.der, one.der)))
  )
    return true;
  const issued = path.filter((one) => own.some(({ subject }) => equalBytes(subject, one.issuer)));
  if (issued.length === 0) return false;
  const rows = await mount.storeContext.store.get(issued.map(({ serial }) => keys.revoked(serial)));
  return rows.some((row) => row !== undefined);
}
