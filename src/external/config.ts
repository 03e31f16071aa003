import { flag, int, text } from "../wire/field.ts";
import { endpoint } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { configReply, configBody } from "./config-fields.ts";

export const readExternalPolicy = endpoint({
  id: "readExternalPolicy",
  at: ["GET /config/external-policy"],
  access: "token",
  style: envelope,
  doc: "Reads which external policy service decides what this mount issues by it.",
  body: {},
  reply: configReply,
  run: async (ca) => (await import("./write-config.ts")).configView(ca, await ca.config()),
});

export const writeExternalPolicy = endpoint({
  id: "writeExternalPolicy",
  at: ["POST /config/external-policy"],
  access: "token",
  style: envelope,
  doc: "Sets which external policy service decides; fields that are not sent stay as they are. With a URL, trusted_ca or trusted_leaf_certificate_bundle is needed.",
  body: configBody,
  reply: configReply,
  refuses: ["bad_key", "malformed"],
  run: async (ca, input, caller) =>
    (await import("./write-config.ts")).writeConfig(ca, input, caller),
});

export const checkExternalPolicy = endpoint({
  id: "checkExternalPolicy",
  at: ["POST /config/external-policy/check"],
  access: "token",
  style: envelope,
  doc: "Asks the external policy service now, with a request whose answer is dropped: nothing is issued.",
  body: { policy: text.default("", "Name of the policy that is asked for.") },
  reply: {
    valid: flag.required("Whether the service gave a valid answer: a certificate or a refusal."),
    accepted: flag.required("Whether it would have a certificate issued."),
    message: text.required("What the service says, or why there is no valid answer."),
    milliseconds: int.required("How long it took."),
  },
  refuses: ["malformed"],
  audits: false,
  run: async (ca, { policy }, caller) =>
    (await import("./check.ts")).checkPolicy(ca, policy, caller),
});
