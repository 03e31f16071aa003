import type { PkiClient } from "../../src/client/index.ts";
import { isLocalHost } from "./local-host.ts";

/** The result of {@link setAddresses}. */
interface CertificateAddresses {
  /** Base of the CRL and OCSP URLs, if they were set. */
  readonly base?: string;
  /**
   * A sentence that states why new certificates have no CRL and OCSP URLs, with the commands that
   * set the URLs.
   */
  readonly warning?: string;
}

/**
 * Sets a new mount's CRL and OCSP URLs to those of the server, if other machines can reach the
 * server. Otherwise returns a warning if the mount has no URLs. An existing mount is not changed,
 * because an operator may have omitted the URLs on purpose.
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
  const { path } = await pki.readCluster();
  const isPublic = URL.canParse(path) && !isLocalHost(new URL(path).hostname);
  if (isPublic && isNew) {
    await pki.fillUrls();
    return { base: path };
  }
  const post = `${program} post ${mount}/config`;
  const commands = [
    ...(isPublic ? [] : [`${post}/cluster path=https://ca.example/v1/${mount}`]),
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
