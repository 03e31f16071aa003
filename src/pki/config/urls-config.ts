import { withValue } from "../../engine/snapshot.ts";
import { urlsConfig } from "../rows/settings.ts";
import { issuersById, keys } from "../rows/records.ts";
import { listForm, uriForm } from "../../base/forms.ts";
import { flag, withNormalForm, list } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { checkUrls, urlsFor } from "../issuer/urls.ts";

const urlDocs = {
  issuing_certificates: "URLs at which the issuer's certificate is available.",
  crl_distribution_points: "URLs at which the CRL is available.",
  delta_crl_distribution_points: "URLs at which the delta CRL is available.",
  ocsp_servers: "URLs of OCSP responders.",
} as const;
/** Names of the fields that contain URLs. */
export const urlNames = [
  "issuing_certificates",
  "crl_distribution_points",
  "delta_crl_distribution_points",
  "ocsp_servers",
] as const;
/** Reply members with the URLs. */
export const urlsReply = {
  issuing_certificates: list.required(urlDocs.issuing_certificates),
  crl_distribution_points: list.required(urlDocs.crl_distribution_points),
  delta_crl_distribution_points: list.required(urlDocs.delta_crl_distribution_points),
  ocsp_servers: list.required(urlDocs.ocsp_servers),
  enable_templating: flag.required(
    "Whether placeholders in the URLs, such as {{issuer_id}}, are filled in.",
  ),
} as const;

export const readUrls = endpoint({
  id: "readUrls",
  at: ["GET /config/urls"],
  access: "token",
  style: envelope,
  doc: "Reads the URLs that certificates contain.",
  body: {},
  reply: urlsReply,
  run: async (mount) => (await mount.config()).get(urlsConfig),
});

export const writeUrls = endpoint({
  id: "writeUrls",
  at: ["POST /config/urls"],
  access: "token",
  style: envelope,
  doc: "Updates the URLs that certificates contain. Omitted fields keep their values; an empty list clears a field.",
  body: {
    issuing_certificates: withNormalForm(list, listForm(uriForm)).optional(
      urlDocs.issuing_certificates,
    ),
    crl_distribution_points: withNormalForm(list, listForm(uriForm)).optional(
      urlDocs.crl_distribution_points,
    ),
    delta_crl_distribution_points: withNormalForm(list, listForm(uriForm)).optional(
      urlDocs.delta_crl_distribution_points,
    ),
    ocsp_servers: withNormalForm(list, listForm(uriForm)).optional(urlDocs.ocsp_servers),
    enable_templating: flag.optional(
      "Whether to fill in placeholders in the URLs: {{issuer_id}}, {{cluster_path}} and {{cluster_aia_path}}.",
    ),
  },
  reply: urlsReply,
  refuses: ["invalid_field", "malformed"],
  run: (mount, input, caller) =>
    mount.configureFor(caller, (config, caller) => {
      const current = config.get(urlsConfig);
      const pick = (name: (typeof urlNames)[number]) =>
        (input[name] ?? current[name]).filter((url) => url !== "");
      const next = {
        issuing_certificates: pick("issuing_certificates"),
        crl_distribution_points: pick("crl_distribution_points"),
        delta_crl_distribution_points: pick("delta_crl_distribution_points"),
        ocsp_servers: pick("ocsp_servers"),
        enable_templating: input.enable_templating ?? current.enable_templating,
      };
      for (const name of urlNames) checkUrls(name, next[name], next.enable_templating);
      for (const issuer of config.get(issuersById).values()) {
        try {
          urlsFor(withValue(config, urlsConfig, next), issuer);
        } catch (error) {
          caller.reply.warn(`issuance may fail: ${error instanceof Error ? error.message : ""}`);
        }
      }
      const key = keys.config("urls");
      return { reply: next, batch: { expect: [[key, config.rev(key)]], put: [[key, next]] } };
    }),
});
