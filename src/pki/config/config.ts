import { CaError } from "../../base/errors.ts";
import { goDuration, parseDuration } from "../../base/duration.ts";
import { shown } from "../../base/names.ts";
import { uriHost } from "../../base/uri.ts";
import { keys } from "../../engine/records.ts";
import type { CrlConfig } from "../../engine/settings.ts";
import { flag, int, list, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { rebuildNow } from "../revocation/crl-rebuild.ts";
import { crlWarnings } from "../revocation/crl-set.ts";
import { renewalJobs } from "../revocation/crl-renewal.ts";
import { crlSets } from "../revocation/crl-set.ts";
import { checkUrls, urlsFor } from "../issuer/urls.ts";

const urlDocs = {
  issuing_certificates: "Addresses of the issuer's certificate.",
  crl_distribution_points: "Addresses of the CRL.",
  delta_crl_distribution_points: "Addresses of the delta CRL.",
  ocsp_servers: "Addresses of OCSP responders.",
} as const;
const urlNames = [
  "issuing_certificates",
  "crl_distribution_points",
  "delta_crl_distribution_points",
  "ocsp_servers",
] as const;
const urlsReply = {
  issuing_certificates: list.required(urlDocs.issuing_certificates),
  crl_distribution_points: list.required(urlDocs.crl_distribution_points),
  delta_crl_distribution_points: list.required(urlDocs.delta_crl_distribution_points),
  ocsp_servers: list.required(urlDocs.ocsp_servers),
  enable_templating: flag.required(
    "Whether the addresses hold placeholders such as {{issuer_id}}.",
  ),
} as const;

export const readUrls = endpoint({
  id: "readUrls",
  at: ["GET /config/urls"],
  access: "token",
  style: envelope,
  doc: "Reads the addresses that certificates carry.",
  body: {},
  reply: urlsReply,
  run: async (ca) => (await ca.config()).urls,
});

export const writeUrls = endpoint({
  id: "writeUrls",
  at: ["POST /config/urls"],
  access: "token",
  style: envelope,
  doc: "Sets the addresses that certificates carry; what is not sent stays. An empty list clears.",
  body: {
    issuing_certificates: list.optional(urlDocs.issuing_certificates),
    crl_distribution_points: list.optional(urlDocs.crl_distribution_points),
    delta_crl_distribution_points: list.optional(urlDocs.delta_crl_distribution_points),
    ocsp_servers: list.optional(urlDocs.ocsp_servers),
    enable_templating: flag.optional(
      "Whether the addresses hold placeholders: {{issuer_id}}, {{cluster_path}}, {{cluster_aia_path}}.",
    ),
  },
  reply: urlsReply,
  refuses: ["invalid_field", "malformed"],
  run: (ca, input, caller) =>
    ca.configure((config) => {
      const held = config.urls;
      const pick = (name: (typeof urlNames)[number]) =>
        (input[name] ?? held[name]).filter((url) => url !== "");
      const next = {
        issuing_certificates: pick("issuing_certificates"),
        crl_distribution_points: pick("crl_distribution_points"),
        delta_crl_distribution_points: pick("delta_crl_distribution_points"),
        ocsp_servers: pick("ocsp_servers"),
        enable_templating: input.enable_templating ?? held.enable_templating,
      };
      for (const name of urlNames) checkUrls(name, next[name], next.enable_templating);
      for (const issuer of config.issuers.values()) {
        try {
          urlsFor({ ...config, urls: next }, issuer);
        } catch (error) {
          caller.warn(`issuance may fail: ${error instanceof Error ? error.message : ""}`);
        }
      }
      const key = keys.config("urls");
      return { reply: next, batch: { expect: [[key, config.rev(key)]], put: [[key, next]] } };
    }),
});

const clusterReply = {
  path: text.required("Address of this mount, with /v1."),
  aia_path: text.required("Address of this mount in certificates, which may be plain HTTP."),
} as const;

export const readCluster = endpoint({
  id: "readCluster",
  at: ["GET /config/cluster"],
  access: "token",
  style: envelope,
  doc: "Reads the mount's own addresses.",
  body: {},
  reply: clusterReply,
  run: async (ca) => (await ca.config()).cluster,
});

export const writeCluster = endpoint({
  id: "writeCluster",
  at: ["POST /config/cluster"],
  access: "token",
  style: envelope,
  doc: "Sets the mount's own addresses; what is not sent stays.",
  body: {
    path: text.optional("Address of this mount, with /v1."),
    aia_path: text.optional("Address of this mount in certificates."),
  },
  reply: clusterReply,
  refuses: ["invalid_field", "malformed"],
  run: (ca, input) =>
    ca.configure((config) => {
      for (const [name, label] of [
        ["path", "path given to cluster"],
        ["aia_path", "aia_path given to cluster"],
      ] as const) {
        const url = input[name];
        if (url !== undefined && !uriHost(url))
          throw new CaError("malformed", `invalid, non-URL ${label}: ${shown(url)}`);
      }
      const next = {
        path: input.path ?? config.cluster.path,
        aia_path: input.aia_path ?? config.cluster.aia_path,
      };
      const key = keys.config("cluster");
      return { reply: next, batch: { expect: [[key, config.rev(key)]], put: [[key, next]] } };
    }),
});

const crlReply = {
  expiry: text.required("How long a CRL is valid."),
  disable: flag.required("Whether lists are no longer built."),
  auto_rebuild: flag.required(
    "Whether lists are rebuilt before they end instead of at each revocation.",
  ),
  auto_rebuild_grace_period: text.required("How long before its end a list is rebuilt."),
  allow_expired_cert_revocation: flag.required("Whether expired certificates can be revoked."),
  max_crl_entries: int.required("The most entries a list may have; -1 for any number."),
} as const;

export const readCrlConfig = endpoint({
  id: "readCrlConfig",
  at: ["GET /config/crl"],
  access: "token",
  style: envelope,
  doc: "Reads how CRLs are built.",
  body: {},
  reply: crlReply,
  run: async (ca) => (await ca.config()).crl,
});

export const writeCrlConfig = endpoint({
  id: "writeCrlConfig",
  at: ["POST /config/crl"],
  access: "token",
  style: envelope,
  doc: "Sets how CRLs are built; what is not sent stays.",
  body: {
    expiry: text.optional("How long a CRL is valid, such as 72h."),
    disable: flag.optional("Build one empty list, then none."),
    auto_rebuild: flag.optional("Rebuild lists before they end instead of at each revocation."),
    auto_rebuild_grace_period: text.optional("How long before its end a list is rebuilt."),
    allow_expired_cert_revocation: flag.optional("Let expired certificates be revoked."),
    max_crl_entries: int.optional("The most entries a list may have; -1 for any number."),
  },
  reply: crlReply,
  refuses: ["invalid_field", "malformed"],
  run: async (ca, input, caller) => {
    const { next, rebuild } = await ca.configure(async (config) => {
      const held = config.crl;
      const given = Object.fromEntries(
        Object.entries(input).filter(([name, value]) => value !== undefined && name in held),
      );
      const changed: CrlConfig = { ...held, ...given };
      checkCrlConfig(changed);
      const key = keys.config("crl");
      const rebuilds =
        changed.disable !== held.disable || (held.auto_rebuild && !changed.auto_rebuild);
      const renewals = await renewalJobs(ca, { ...config, crl: changed });
      return {
        reply: { next: changed, rebuild: rebuilds ? crlSets(config) : [] },
        batch: { expect: [[key, config.rev(key)]], put: [[key, changed], ...renewals] },
      };
    });
    await rebuildNow(ca, caller, rebuild);
    return next;
  },
});

function checkCrlConfig(config: CrlConfig): void {
  const expiry = readSpan("expiry", config.expiry);
  const grace = readSpan("auto_rebuild_grace_period", config.auto_rebuild_grace_period);
  if (expiry <= 0)
    throw new CaError(
      "malformed",
      `given expiry could not be used: a CRL is valid for at least a second, got: ${config.expiry}`,
    );
  if (config.auto_rebuild && grace >= expiry)
    throw new CaError(
      "malformed",
      `CRL auto-rebuilding grace period (${goDuration(grace)}) must be strictly shorter than CRL expiry (${goDuration(expiry)}) value when auto-rebuilding of CRLs is enabled`,
    );
  if (config.max_crl_entries < -1)
    throw new CaError("malformed", `max_crl_entries ${config.max_crl_entries} is below -1`);
}
function readSpan(field: string, value: string): number {
  try {
    return parseDuration(value) ?? 0;
  } catch (error) {
    throw new CaError(
      "malformed",
      `given ${field} could not be decoded: ${error instanceof Error ? error.message : ""}`,
    );
  }
}

export const rotateCrl = endpoint({
  id: "rotateCrl",
  at: ["GET /crl/rotate"],
  access: "token",
  style: envelope,
  doc: "Builds every CRL of the mount now.",
  body: {},
  reply: {
    success: flag.required("Always true; a list that could not be built is named in a warning."),
  },
  run: async (ca, _, caller) => {
    const config = await ca.config();
    crlWarnings(config).forEach((warning) => caller.warn(warning));
    await rebuildNow(ca, caller, crlSets(config));
    return { success: true };
  },
});
