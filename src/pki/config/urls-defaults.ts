import {
  clusterConfig,
  crlConfig,
  urlsConfig,
  type ClusterConfig,
  type CrlConfig,
  type UrlsConfig,
} from "../rows/settings.ts";
import { CaError } from "../../base/errors.ts";
import { keys } from "../rows/records.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { urlNames, urlsReply } from "./urls-config.ts";

export const fillUrls = endpoint({
  id: "fillUrls",
  at: ["POST /config/urls/defaults"],
  access: "token",
  style: envelope,
  doc: "Sets the URLs that certificates contain to those that this mount serves, based on `config/cluster`: the certificate, CRL, delta CRL and OCSP URLs of each issuer, if enabled. Warns about URLs that are replaced.",
  body: {},
  reply: urlsReply,
  refuses: ["malformed"],
  run: (mount, _, caller) =>
    mount.configureFor(caller, (config, caller) => {
      const next = defaultUrls(config.get(clusterConfig), config.get(crlConfig));
      const current = config.get(urlsConfig);
      const replaced = urlNames.filter(
        (name) => current[name].length > 0 && current[name].join() !== next[name].join(),
      );
      if (replaced.length > 0)
        caller.reply.warn(
          `the previous URLs of these fields were replaced: ${replaced.join(", ")}`,
        );
      const key = keys.config("urls");
      return { reply: next, batch: { expect: [[key, config.rev(key)]], put: [[key, next]] } };
    }),
});

/**
 * Returns the URLs that the mount serves for each issuer, as stored in config/urls (B 4.3). Omits
 * delta CRLs if they are not built, and OCSP if it is disabled. Throws `malformed` if the external
 * URL of the mount is not set.
 */
function defaultUrls({ path, aia_path }: ClusterConfig, crl: CrlConfig): UrlsConfig {
  if (path === "" && aia_path === "")
    throw new CaError(
      "malformed",
      '/config/cluster has no path, which the URLs must begin with: set it with POST /config/cluster {"path": "https://…/v1/<mount>"}',
    );
  const [name, value] =
    aia_path === "" ? ["{{cluster_path}}", path] : ["{{cluster_aia_path}}", aia_path];
  const base = value.endsWith("/") ? name : `${name}/`;
  const issuer = `${base}issuer/{{issuer_id}}`;
  return {
    issuing_certificates: [`${issuer}/der`],
    crl_distribution_points: [`${issuer}/crl/der`],
    delta_crl_distribution_points: crl.enable_delta ? [`${issuer}/crl/delta/der`] : [],
    ocsp_servers: crl.ocsp_disable ? [] : [`${base}ocsp`],
    enable_templating: true,
  };
}
