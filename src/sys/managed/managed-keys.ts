import { listForm, lowerCaseForm, trimmedForm, uriForm } from "../../base/forms.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, withNormalForm, list, secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";

/** Normalizes a hash name to its bits. */
const hashForm = (name: string): string => lowerCaseForm(name).replace(/^sha-?(?:2-)?/, "");
const run = () => import("./managed-keys-run.ts");

/** Settings of the types `awskms` and `https`. */
const settings = {
  region: text.optional("awskms: region; `us-east-1` unless set."),
  endpoint: text.optional("awskms: URL in the place of the region's own."),
  kms_key: text.optional("awskms: id, ARN or alias (`alias/NAME`) of the key."),
  key_type: withNormalForm(text, lowerCaseForm).optional(
    "awskms: `RSA`, `ECDSA` or `ED25519`: what the key must be, and what is made; any unless set.",
    ["RSA", "ECDSA", "ED25519"],
  ),
  key_bits: withNormalForm(text, trimmedForm).optional(
    "awskms: bits of an RSA key that is made; 2048 unless set.",
  ),
  curve: text.optional("awskms: curve of an ECDSA key that is made; `P256` unless set."),
  url: withNormalForm(text, uriForm).optional("https: URL of the signing service."),
  key: text.optional("https: name of the key at the service; that of the managed key unless set."),
  message_type: text.optional(
    "https: `digest`, or `raw`: the service gets all that it signs; `digest` unless set.",
    ["digest", "raw"],
  ),
  trusted_ca: text.optional(
    "Certificates, PEM, one of which the server's chain leads to; the platform decides unless set.",
  ),
  trusted_leaf_certificate_bundle: text.optional(
    "https: certificates, PEM, one of which is the server's own.",
  ),
} as const;
const secrets = {
  access_key: secret.optional("awskms: id of the access key."),
  secret_key: secret.optional("awskms: the secret access key."),
  token: secret.optional("https: bearer token for the service."),
  client_cert_bundle: secret.optional(
    "https: private key and certificates, PEM, that are shown to the service.",
  ),
} as const;
const generic = {
  allow_generate_key: flag.optional(
    "Whether the key may be made where there is none (awskms with an alias); false unless set.",
  ),
  allow_replace_key: flag.optional("Stored and returned; no effect."),
  allow_store_key: flag.optional("Stored and returned; no effect."),
  any_mount: flag.optional(
    "Whether every mount may use the key; else those that list it in `allowed_managed_keys`.",
  ),
  usages: withNormalForm(list, listForm(lowerCaseForm)).optional(
    "What the key may be used for; signing needs `sign`. Empty: anything.",
  ),
  allow_private_network: flag.optional(
    "Whether addresses of private networks and of the own machine may be asked; as the deployment has it unless set.",
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
  run: async (ca, { type }) => (await run()).listed(ca, type),
});

export const readManagedKey = systemEndpoint({
  id: "readManagedKey",
  at: ["GET /managed-keys/:type/:name"],
  access: "token",
  style: envelope,
  doc: "Returns what is set of a managed key; its secrets read `redacted`.",
  body: {},
  reply: {
    UUID: text.required("Id of the managed key."),
    name: text.required("Its name."),
    type: text.required("`awskms` or `https`.", ["awskms", "https"]),
    allow_generate_key: flag.required("As set."),
    allow_replace_key: flag.required("As set."),
    allow_store_key: flag.required("As set."),
    any_mount: flag.required("Whether every mount may use it."),
    usages: list.required("What it may be used for; empty: anything."),
    allow_private_network: flag.required("Whether private addresses may be asked."),
    public_key: text.optional("The public key, PEM, since it was first used."),
    ...settings,
    access_key: text.optional("`redacted`."),
    secret_key: text.optional("`redacted`."),
    token: text.optional("`redacted`."),
    client_cert_bundle: text.optional("`redacted`."),
  },
  refuses: ["not_found"],
  run: async (ca, input) => (await run()).shownKey(ca, input),
});

export const writeManagedKey = systemEndpoint({
  id: "writeManagedKey",
  at: ["POST /managed-keys/:type/:name"],
  access: "token",
  style: envelope,
  doc: "Registers a key that is kept elsewhere and signs there, or changes what is set of it: fields that are not sent keep their value. Nobody is asked before the key is used.",
  body: managedFields,
  reply: {},
  refuses: ["malformed", "already_exists"],
  run: async (ca, input) => (await run()).register(ca, input),
});

export const deleteManagedKey = systemEndpoint({
  id: "deleteManagedKey",
  at: ["DELETE /managed-keys/:type/:name"],
  access: "token",
  style: envelope,
  doc: "Removes a managed key that no mount lists and no key of a mount stands for. The key itself stays where it is kept.",
  body: {},
  reply: {},
  refuses: ["in_use"],
  run: async (ca, input) => (await run()).removed(ca, input),
});

export const testManagedKey = systemEndpoint({
  id: "testManagedKey",
  audits: { always: true },
  at: ["POST /managed-keys/:type/:name/test/sign"],
  access: "token",
  style: envelope,
  doc: "Lets a managed key sign a random text, and verifies the signature.",
  body: {
    hash_algorithm: withNormalForm(text, hashForm).default(
      "",
      "Of RSA keys: `sha2-256`, `sha2-384` or `sha2-512`; `sha2-256` unless sent.",
      ["", "sha2-256", "sha2-384", "sha2-512"],
    ),
    use_pss: flag.default(false, "Whether RSA keys sign by PSS."),
  },
  reply: {
    signature_algorithm: text.required("What it signed by, such as `ECDSAWithSHA256`."),
    key_type: text.required("Type of the key."),
    public_key: text.required("The public key, PEM."),
  },
  refuses: ["malformed", "not_found", "signer_failed"],
  run: async (ca, input) => (await run()).tested(ca, input),
});
