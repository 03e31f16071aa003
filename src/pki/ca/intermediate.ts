import { toBase64 } from "../../base/bytes.ts";
import { encodePem } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { traditionalPem } from "../../keys/read.ts";
import { flag, list, text } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { keyOf, keyRows, type CaKey, type KeySource } from "../issuer/ca-key.ts";
import {
  formatField,
  keyFields,
  keyFormatField,
  lifetimeFields,
  nameFields,
  notBeforeField,
  privateKeyReply,
  readFormat,
  signatureFields,
  subjectFields,
  wantsPkcs8,
} from "../request/fields.ts";
import { privateKeyOutput } from "../issuer/output.ts";
import { keyRefField, refuseForm } from "./root.ts";
import { signRequest } from "./signing-request.ts";
import { noUrls } from "../issuer/urls.ts";
import { checkSignatureBits } from "../request/scheme.ts";
import { validityFor } from "../issuer/validity.ts";

const requestFields = {
  ...nameFields,
  ...lifetimeFields,
  ...notBeforeField,
  ...formatField,
  ...keyFormatField,
  ...subjectFields,
  ...keyFields,
  ...signatureFields,
  add_basic_constraints: flag.default(false, "Ask for CA:TRUE in the request."),
  key_usage: list.default([], "Key usages to ask for; none for no such request."),
} as const;
type RequestInput = Input<typeof requestFields, "POST /intermediate/generate/internal">;

const declared = {
  access: "token",
  style: envelope,
  captures: ["exported"],
  body: requestFields,
  reply: {
    csr: text.required("The request."),
    key_id: text.required("Id of the new key."),
    ...privateKeyReply,
  },
  refuses: [
    "invalid_field",
    "malformed",
    "already_exists",
    "bad_key",
    "name_not_allowed",
    "validity",
  ],
} as const;

export const generateIntermediate = endpoint({
  ...declared,
  id: "generateIntermediate",
  at: [
    "POST /intermediate/generate/internal",
    "POST /issuers/generate/intermediate/internal",
    "POST /intermediate/generate/:exported",
    "POST /issuers/generate/intermediate/:exported",
  ],
  doc: "Makes a key and a certificate signing request for a CA below another. The key stays inside.",
  run: (ca, input, caller) => request(ca, input, caller, "internal"),
});

export const generateExportedIntermediate = endpoint({
  ...declared,
  id: "generateExportedIntermediate",
  at: ["POST /intermediate/generate/exported", "POST /issuers/generate/intermediate/exported"],
  doc: "Makes a key and a certificate signing request for a CA below another, and returns the key this once.",
  run: (ca, input, caller) => request(ca, input, caller, "exported"),
});

export const generateIntermediateFromKey = endpoint({
  ...declared,
  id: "generateIntermediateFromKey",
  at: [
    "POST /intermediate/generate/existing",
    "POST /issuers/generate/intermediate/existing",
    "POST /intermediate/cross-sign",
  ],
  doc: "Makes a certificate signing request for a key of the mount, such as one to be cross-signed.",
  body: { ...requestFields, ...keyRefField },
  refuses: ["invalid_field", "malformed", "bad_key", "name_not_allowed", "validity"],
  run: (ca, input, caller) => request(ca, input, caller, "existing"),
});

type Asked = RequestInput & { readonly key_ref?: string | undefined; readonly exported?: string };

async function request(ca: Mount, input: Asked, caller: Caller, source: KeySource) {
  refuseForm(input.exported);
  const exported = source === "exported";
  const format = readFormat(input.format);
  const asPkcs8 = wantsPkcs8(input.private_key_format);
  if (input.key_type === "rsa") checkSignatureBits("rsa", input.signature_bits);
  let made: CaKey | undefined;
  return ca.configure(
    async (config) => {
      checkLifetime(ca, config, input, caller);
      const key = await keyOf({ ca, config, input, caller }, source, made);
      made = key;
      if (
        config.urls.issuing_certificates.length +
          config.urls.crl_distribution_points.length +
          config.urls.ocsp_servers.length ===
        0
      )
        caller.warn(noUrls);
      const der = await signRequest(input, key);
      const shown = format === "der" ? toBase64(der) : encodePem("CERTIFICATE REQUEST", der);
      const csr =
        format === "pem_bundle" && exported && key.pkcs8
          ? `${traditionalPem(key.pkcs8)}\n${shown}`
          : shown;
      const reply = {
        csr,
        key_id: key.row.id as string,
        ...(exported && key.pkcs8 ? privateKeyOutput(key.pkcs8, format, asPkcs8) : {}),
      };
      if (exported) await caller.keep?.(reply);
      return source === "existing"
        ? { reply }
        : { reply, batch: { put: keyRows(config, [key.row]) } };
    },
    { exact: true },
  );
}

/**
 * A request says nothing of its lifetime, so none is capped; but what no certificate could have is
 * refused (A 3.5).
 */
function checkLifetime(ca: Mount, config: Snapshot, input: RequestInput, caller: Caller): void {
  const rules = {
    ttl: 0,
    max_ttl: 0,
    not_after: "",
    not_before_duration: input.not_before_duration,
  };
  validityFor(input, rules, {
    now: ca.ports.now(),
    mount: config.mount,
    caller: { ...caller, warn: () => undefined },
    overMax: "cap",
  });
}
