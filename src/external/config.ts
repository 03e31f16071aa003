import { externalPolicyConfig } from "./rows/records.ts";
import { flag, int, text } from "../wire/field.ts";
import { endpoint } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { configReply, configBody } from "./config-fields.ts";

export const readExternalPolicy = endpoint({
  id: "readExternalPolicy",
  at: ["GET /config/external-policy"],
  access: "token",
  style: envelope,
  doc: "Reads the configuration of the external policy service.",
  body: {},
  reply: configReply,
  run: async (mount) =>
    (await import("./write-config.ts")).configView(
      mount,
      (await mount.config()).get(externalPolicyConfig),
    ),
});

export const writeExternalPolicy = endpoint({
  id: "writeExternalPolicy",
  at: ["POST /config/external-policy"],
  access: "token",
  style: envelope,
  doc: "Updates the configuration of the external policy service; fields that are absent stay unchanged. A URL requires trusted_ca or trusted_leaf_certificate_bundle.",
  body: configBody,
  reply: configReply,
  refuses: ["bad_key", "malformed"],
  run: async (mount, input, caller) =>
    (await import("./write-config.ts")).writeConfig(mount, input, caller),
});

export const checkExternalPolicy = endpoint({
  id: "checkExternalPolicy",
  at: ["POST /config/external-policy/check"],
  access: "token",
  style: envelope,
  doc: "Sends a test request to the external policy service. Nothing is issued.",
  body: { policy: text.default("", "Name of the policy to test.") },
  reply: {
    valid: flag.required(
      "Whether the service returned a valid response: a certificate or a refusal.",
    ),
    accepted: flag.required("Whether the service would allow issuance."),
    message: text.required(
      "Message from the service, or the reason why its response is not valid.",
    ),
    milliseconds: int.required("Response time in milliseconds."),
  },
  refuses: ["malformed"],
  audits: false,
  run: async (mount, { policy }, caller) =>
    (await import("./check.ts")).checkPolicy(mount, policy, caller),
});
