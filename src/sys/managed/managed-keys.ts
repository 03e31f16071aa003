import { joinWithOr } from "../../base/choice.ts";
import { managedTypes } from "../../managed/types/table.ts";
import { listForm, lowerCaseForm, trimmedForm, uriForm } from "../../base/forms.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, withNormalForm, list, secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";

/** Normalizes the name of a hash to its number of bits. */
const hashForm = (name: string): string => lowerCaseForm(name).replace(/^sha-?(?:2-)?/, "");
const run = () => import("./managed-keys-run.ts");

/** Request fields with settings of the types `awskms` and `https`. */
const settings = {
  region: text.optional("awskms: AWS region; `us-east-1` by default."),
  endpoint: text.optional("awskms: endpoint URL, which overrides that of the region."),
  kms_key: text.optional("awskms: ID, ARN or alias (`alias/NAME`) of the key."),
  key_type: withNormalForm(text, lowerCaseForm).optional(
    "awskms: required type of the key, including a generated key: `RSA`, `ECDSA` or `ED25519`. By default, any type.",
    ["RSA", "ECDSA", "ED25519"],
  ),
  key_bits: withNormalForm(text, trimmedForm).optional(
    "awskms: size in bits of a generated RSA key; by default 2048.",
  ),
  curve: text.optional("awskms: curve of a generated ECDSA key; by default `P256`."),
  url: withNormalForm(text, uriForm).optional("https: URL of the signing service."),
  key: text.optional(
    "https: name of the key in the service; by default, the name of the managed key.",
  ),
  message_type: text.optional(
    "https: input that the service signs: `digest` (the default), or `raw` for the whole message.",
    ["digest", "raw"],
  ),
  trusted_ca: text.optional(
    "CA certificates (PEM), to one of which the server's certificate must chain. By default, the platform's CAs.",
  ),
  trusted_leaf_certificate_bundle: text.optional("https: accepted server certificates (PEM)."),
} as const;
const secrets = {
  access_key: secret.optional("awskms: access key ID."),
  secret_key: secret.optional("awskms: secret access key."),
  token: secret.optional("https: bearer token for the service."),
  client_cert_bundle: secret.optional("https: client private key and certificates (PEM)."),
} as const;
const generic = {
  allow_generate_key: flag.optional(
    "Whether a missing key may be generated (awskms with an alias); by default false.",
  ),
  allow_replace_key: flag.optional("Stored and returned, but has no effect."),
  allow_store_key: flag.optional("Stored and returned, but has no effect."),
  any_mount: flag.optional(
    "Whether every mount may use the key. Otherwise only mounts that list it in `allowed_managed_keys` may.",
  ),
  usages: withNormalForm(list, listForm(lowerCaseForm)).optional(
    "Allowed usages. Signing requires `sign`. If empty, any usage is allowed.",
  ),
  allow_private_network: flag.optional(
    "Whether the service may have a private or loopback address; by default, the deployment's setting.",
  ),
} as const;
/** Request fields of a managed key. */
export const managedFields = { ...generic, ...settings, ...secrets } as const;

export const listManagedKeys = systemEndpoint({
  id: "listManagedKeys",
  at: ["LIST /managed-keys/:type"],
  access: "token",
  style: envelope,
  doc: "Lists the managed keys of a type.",
  body: {},
  reply: { keys: list.required("Names, sorted.") },
  refuses: ["not_found"],
  run: async (deployment, { type }) => (await run()).listed(deployment, type),
});

export const readManagedKey = systemEndpoint({
  id: "readManagedKey",
  at: ["GET /managed-keys/:type/:name"],
  access: "token",
  style: envelope,
  doc: "Reads the configuration of a managed key. Secrets are shown as `redacted`.",
  body: {},
  reply: {
    UUID: text.required("ID of the managed key."),
    name: text.required("Name of the managed key."),
    type: text.required(`${joinWithOr(managedTypes.map((type) => `\`${type}\``))}.`, managedTypes),
    allow_generate_key: flag.required("Whether a missing key may be generated."),
    allow_replace_key: flag.required("Stored and returned, but has no effect."),
    allow_store_key: flag.required("Stored and returned, but has no effect."),
    any_mount: flag.required("Whether every mount may use the key."),
    usages: list.required("Allowed usages. If empty, any usage is allowed."),
    allow_private_network: flag.required(
      "Whether the service may have a private or loopback address.",
    ),
    public_key: text.optional("Public key (PEM). Absent until the key is first used."),
    ...settings,
    access_key: text.optional("`redacted`."),
    secret_key: text.optional("`redacted`."),
    token: text.optional("`redacted`."),
    client_cert_bundle: text.optional("`redacted`."),
  },
  refuses: ["not_found"],
  run: async (deployment, input) => (await run()).toKeyReply(deployment, input),
});

export const writeManagedKey = systemEndpoint({
  id: "writeManagedKey",
  at: ["POST /managed-keys/:type/:name"],
  access: "token",
  style: envelope,
  doc: "Registers a key in an external signing service, or updates the given fields of a registered key. The service is not contacted until the key is used.",
  body: managedFields,
  reply: {},
  refuses: ["malformed", "already_exists"],
  run: async (deployment, input) => (await run()).register(deployment, input),
});

export const deleteManagedKey = systemEndpoint({
  id: "deleteManagedKey",
  at: ["DELETE /managed-keys/:type/:name"],
  access: "token",
  style: envelope,
  doc: "Deletes a managed key that no mount uses or lists. The external key is not deleted.",
  body: {},
  reply: {},
  refuses: ["in_use"],
  run: async (deployment, input) => (await run()).removed(deployment, input),
});

export const testManagedKey = systemEndpoint({
  id: "testManagedKey",
  audits: { always: true },
  at: ["POST /managed-keys/:type/:name/test/sign"],
  access: "token",
  style: envelope,
  doc: "Tests a managed key: signs a random message and verifies the signature.",
  body: {
    hash_algorithm: withNormalForm(text, hashForm).default(
      "",
      "Hash for RSA keys: `sha2-256` (the default), `sha2-384` or `sha2-512`.",
      ["", "sha2-256", "sha2-384", "sha2-512"],
    ),
    use_pss: flag.default(false, "Whether RSA keys use PSS."),
  },
  reply: {
    signature_algorithm: text.required("Signature algorithm, such as `ECDSAWithSHA256`."),
    key_type: text.required("Type of the key."),
    public_key: text.required("Public key (PEM)."),
  },
  refuses: ["malformed", "not_found", "signer_failed"],
  run: async (deployment, input) => (await run()).tested(deployment, input),
});
