import { clusterConfig, urlsConfig } from "../rows/settings.ts";
import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import { uriHost } from "../../base/uri.ts";
import type { IssuerRow, UrlSet } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

const none: UrlSet = {
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
};

/**
 * Returns the URLs to include in certificates that an issuer issues: those of the issuer if it has
 * any, or else those of the mount. Fills in placeholders if enabled (A 3.7, B 4.3). Throws
 * `malformed` if a placeholder has no value, or if the result is not a URL.
 */
export function urlsFor(config: Snapshot, issuer: IssuerRow): UrlSet {
  const { urls } = issuer;
  const own = hasAddresses(urls);
  const shared = config.get(urlsConfig);
  const template = own ? issuer.enable_aia_url_templating : shared.enable_templating;
  const chosen = own ? urls : shared;
  return template ? filled(chosen, config, issuer.id) : chosen;
}
/**
 * Returns the mount's URLs for the certificate of a new root. Omits all URLs if any contains the
 * issuer placeholder, because the issuer does not have an ID yet (A 3.3 rule 4).
 */
export function urlsForRoot(config: Snapshot): {
  readonly urls: UrlSet;
  readonly leftOut: boolean;
} {
  const urls = config.get(urlsConfig);
  const crlIds = [
    ...urls.issuing_certificates,
    ...urls.crl_distribution_points,
    ...urls.delta_crl_distribution_points,
    ...urls.ocsp_servers,
  ];
  if (urls.enable_templating && crlIds.some((url) => url.includes("{{issuer_id}}")))
    return { urls: none, leftOut: true };
  return { urls: urls.enable_templating ? filled(urls, config, "") : urls, leftOut: false };
}

/**
 * Returns the mount's URLs as an issuer without its own URLs would use them, with a sample issuer
 * ID in placeholders. Throws `malformed` as {@link urlsFor} does.
 */
export function urlsOfMount(config: Snapshot): UrlSet {
  const urls = config.get(urlsConfig);
  return urls.enable_templating ? filled(urls, config, "any") : urls;
}

function filled(urls: UrlSet, config: Snapshot, issuerId: string): UrlSet {
  const fill = (url: string): string =>
    url.replace(
      /\{\{(issuer_id|cluster_path|cluster_aia_path)\}\}(\/?)/g,
      (_, name: string, slash: string) => {
        const [value, label] =
          name === "issuer_id"
            ? [issuerId, ""]
            : name === "cluster_path"
              ? [config.get(clusterConfig).path, "path"]
              : [config.get(clusterConfig).aia_path, "aia_path"];
        if (value === "")
          throw new CaError(
            "malformed",
            `unable to template AIA URLs as we lack local cluster address information (${label})`,
          );
        // both the value and the template may contain the slash
        return value.endsWith("/") ? value : value + slash;
      },
    );
  const set = {
    issuing_certificates: urls.issuing_certificates.map(fill),
    crl_distribution_points: urls.crl_distribution_points.map(fill),
    delta_crl_distribution_points: urls.delta_crl_distribution_points.map(fill),
    ocsp_servers: urls.ocsp_servers.map(fill),
  };
  // URLs with placeholders are not validated when they are configured
  for (const [name, list] of Object.entries(set)) checkUrls(name, list, false);
  return set;
}

/**
 * Throws `malformed` for anything but a URI with a host, and thus for placeholders. If templating
 * is enabled, accepts everything.
 */
export function checkUrls(field: string, urls: readonly string[], templating: boolean): void {
  if (templating) return;
  for (const url of urls) {
    if (!uriHost(url))
      throw new CaError(
        "malformed",
        `invalid URL found in Authority Information Access (AIA) parameter ${field}: ${truncateForMessage(url)}`,
      );
  }
}

/** Reports whether there are any URLs, not counting those of delta CRLs. */
export const hasAddresses = (urls: UrlSet): boolean =>
  urls.issuing_certificates.length +
    urls.crl_distribution_points.length +
    urls.ocsp_servers.length >
  0;

/** The warning for certificates that would contain no URLs. */
export const noUrls =
  "This mount hasn't configured any authority information access (AIA) fields; this may make it harder for systems to find missing certificates in the chain or to validate revocation status of certificates. Consider updating /config/urls or the newly generated issuer with this information.";
