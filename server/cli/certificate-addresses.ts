import type { PkiClient } from "../../src/client/index.ts";
import { isLocalHost } from "./local-host.ts";

/** The result of {@link setAddresses}. */
interface CertificateAddresses {
  /** Base of the CRL and OCSP URLs if they were set, with a note if port 80 must serve them. */
  readonly base?: string;
  /**
   * A sentence that states why new certificates have no CRL and OCSP URLs, with the commands that
   * set the URLs.
   */
  readonly warning?: string;
}

/**
 * Sets a new mount's CRL and OCSP URLs to those of the server over plain HTTP, if other machines
 * can reach the server. Otherwise returns a warning if the mount has no URLs. An existing mount is
 * not changed, because an operator may have omitted the URLs on purpose.
 * @param program the user's command prefix, such as `npx sealwright`, for the commands in the
 * warning
 */
export async function setAddresses(
  pki: PkiClient,
  mount: string,
  isNew: boolean,
  program: string,
): Promise<CertificateAddresses> {
  const urls = await pki.readUrls();
  if (urls.crl_distribution_points.length > 0 || urls.ocsp_servers.length > 0) return {};
  const { path, aia_path } = await pki.readCluster();
  const isPublic = URL.canParse(path) && !isLocalHost(new URL(path).hostname);
  const publicPath = isPublic ? path : `https://ca.example/v1/${mount}`;
  // clients do not fetch CRLs over HTTPS, because that would require verifying another certificate
  const plain = plainAddress(publicPath);
  const isChanged = plain !== publicPath && (aia_path === "" || aia_path === path);
  if (isPublic && isNew) {
    if (isChanged) await pki.writeCluster({ aia_path: plain });
    await pki.fillUrls();
    return { base: isChanged ? `${plain}, which port 80 must serve` : aia_path || path };
  }
  const post = `${program} post ${mount}/config`;
  const commands = [
    ...(isPublic && !isChanged ? [] : [`${post}/cluster path=${publicPath} aia_path=${plain}`]),
    `${post}/urls/defaults`,
  ];
  const unreachable = path
    ? `other machines cannot reach ${path}`
    : "the server's URL is not configured";
  const reason = isPublic ? "the mount has none" : unreachable;
  return {
    warning: `New certificates of ${mount}/ have no CRL and OCSP URLs, because ${reason}. Set them with ${commands.join(" and ")}.`,
  };
}

/** Returns the same URL over plain HTTP on port 80, or the URL if it does not use HTTPS. */
function plainAddress(url: string): string {
  if (!url.startsWith("https:")) return url;
  const { hostname, pathname } = new URL(url);
  return `http://${hostname}${pathname}`;
}
