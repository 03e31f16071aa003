import { toBase64 } from "../base/bytes.ts";
import { encodePem } from "../base/pem.ts";
import type { Engine } from "../engine.ts";
import { traditionalPem } from "../keys/read.ts";
import { algorithmIdentifier } from "../x509/algorithm.ts";
import { assemble } from "../x509/certificate.ts";
import { encodeCsrInfo } from "../x509/csr.ts";
import { basicConstraints, keyUsage, keyUsageName, subjectAltName } from "../x509/extension.ts";
import { encodeName } from "../x509/name.ts";
import { flag, list, text } from "../wire/field.ts";
import { endpoint, type Input } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { checkKeyName, keyRows, newKey, type NewKey } from "./cakey.ts";
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
} from "./fields.ts";
import { privateKeyOutput } from "./output.ts";
import { freeNames } from "./role.ts";
import { checkSignatureBits, schemeFor } from "./scheme.ts";
import { subjectOf } from "./template.ts";

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
  body: requestFields,
  reply: { csr: text.required("The request."), key_id: text.required("Id of the new key."), ...privateKeyReply },
  refuses: ["invalid_field", "malformed", "already_exists", "bad_key", "name_not_allowed"],
} as const;

export const generateIntermediate = endpoint({
  ...declared,
  id: "generateIntermediate",
  at: ["POST /intermediate/generate/internal", "POST /issuers/generate/intermediate/internal"],
  doc: "Makes a key and a certificate signing request for a CA below another. The key stays inside.",
  run: (ca, input) => request(ca, input, false),
});

export const generateExportedIntermediate = endpoint({
  ...declared,
  id: "generateExportedIntermediate",
  at: ["POST /intermediate/generate/exported", "POST /issuers/generate/intermediate/exported"],
  doc: "Makes a key and a certificate signing request for a CA below another, and returns the key this once.",
  run: (ca, input) => request(ca, input, true),
});

async function request(ca: Engine, input: RequestInput, exported: boolean) {
  const format = readFormat(input.format);
  const asPkcs8 = wantsPkcs8(input.private_key_format);
  if (input.key_type === "rsa") checkSignatureBits("rsa", input.signature_bits);
  let key: NewKey | undefined;
  return ca.configure(
    async (config) => {
      key ??= await newKey(ca, config.mount.uuid, checkKeyName(config, input.key_name), input.key_type, input.key_bits);
      const der = await signedRequest(input, key);
      const shown = format === "der" ? toBase64(der) : encodePem("CERTIFICATE REQUEST", der);
      const csr = format === "pem_bundle" && exported ? `${traditionalPem(key.pkcs8)}\n${shown}` : shown;
      const reply = { csr, key_id: key.row.id as string, ...(exported ? privateKeyOutput(key.pkcs8, format, asPkcs8) : {}) };
      return { reply, batch: { put: keyRows(config, key.row) } };
    },
    { exact: true },
  );
}

async function signedRequest(input: RequestInput, key: NewKey): Promise<Uint8Array> {
  const names = freeNames(input);
  const usages = input.key_usage.map(keyUsageName).filter((usage) => usage !== undefined);
  const subject = encodeName(subjectOf(input, input.common_name, input.serial_number));
  const extensions = [
    subjectAltName(names, subject.length <= 2, names.other.length ? "other-first" : "names-first"),
    input.add_basic_constraints ? basicConstraints(true) : undefined,
    usages.length ? keyUsage(usages) : undefined,
  ].filter((extension) => extension !== undefined);
  const info = encodeCsrInfo({ subject, spki: key.row.spki, extensions });
  const scheme = schemeFor(key.publicKey, input.signature_bits, input.use_pss);
  return assemble(info, algorithmIdentifier(scheme), await key.signer.sign(scheme, info));
}
