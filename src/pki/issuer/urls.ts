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
 * Returns the URLs for certificates of an issuer: the issuer's own set if it has any, or else the
 * mount's. Fills in placeholders (A 3.7, B 4.3). Throws `malformed` if a placeholder has no value
 * or the result is not a URL.
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
 * Returns the mount's URLs for a root. Omits those with an issuer placeholder, because the issuer
 * does not exist yet (A 3.3 rule 4).
 */
export function urlsForRoot(config: Snapshot): {
  readonly urls: UrlSet;
  readonly leftOut: boolean;
} {
  const urls = config.get(urlsConfig);
  const lists = [
    ...urls.issuing_certificates,
    ...urls.crl_distribution_points,
    ...urls.delta_crl_distribution_points,
    ...urls.ocsp_servers,
  ];
  if (urls.enable_templating && lists.some((url) => url.includes("{{issuer_id}}")))
    return { urls: none, leftOut: true };
  return { urls: urls.enable_templating ? filled(urls, config, "") : urls, leftOut: false };
}

/**
 * Returns the mount's own addresses as an issuer without addresses uses them, with placeholders
 * filled in for any issuer. Throws `malformed` like {@link urlsFor}.
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
        // both the address and the template may contain the slash
        return value.endsWith("/") ? value : value + slash;
      },
    );
  const set = {
    issuing_certificates: urls.issuing_certificates.map(fill),
    crl_distribution_points: urls.crl_distribution_points.map(fill),
    delta_crl_distribution_points: urls.delta_crl_distribution_points.map(fill),
    ocsp_servers: urls.ocsp_servers.map(fill),
  };
  // templates are not validated when written
  for (const [name, list] of Object.entries(set)) checkUrls(name, list, false);
  return set;
}

/** Rejects anything but URIs with a host, and rejects placeholders if templating is disabled. */
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

/** Reports whether there is any URL, not counting those of delta CRLs. */
export const hasAddresses = (urls: UrlSet): boolean =>
  urls.issuing_certificates.length +
    urls.crl_distribution_points.length +
    urls.ocsp_servers.length >
  0;

/** The warning if a mount has no URLs at all. */
export const noUrls =
  "This mount hasn't configured any authority information access (AIA) fields; this may make it harder for systems to find missing certificates in the chain or to validate revocation status of certificates. Consider updating /config/urls or the newly generated issuer with this information.";
