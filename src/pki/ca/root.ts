import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import { toBase64 } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import { traditionalPem } from "../../keys/read.ts";
import { certIndex, certRow, keys } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { schemeName } from "../../x509/algorithm.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { int, list, text } from "../../wire/field.ts";
import {
  certificateReply,
  constraintFields,
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
import { keyOf, keyRows, type CaKey, type KeySource } from "../issuer/ca-key.ts";
import { caTemplate, pathLengthOf } from "./ca-template.ts";
import { certify } from "../issuer/certify.ts";
import { rebuildNow } from "../revocation/crl-rebuild.ts";
import { templateName } from "../request/first-name.ts";
import { newSerial } from "../issuer/serial.ts";
import { checkIssuerName, issuerRow, issuerRows } from "../issuer/new-issuer.ts";
import { certificatePem, privateKeyOutput } from "../issuer/output.ts";
import { checkSignatureBits, schemeFor } from "../request/scheme.ts";
import { warnOfLongName } from "../leaf/asked.ts";
import { noUrls, urlsForRoot } from "../issuer/urls.ts";
import { validityFor } from "../issuer/validity.ts";

const rootFields = {
  ...nameFields,
  ...lifetimeFields,
  ...notBeforeField,
  ...formatField,
  ...keyFormatField,
  ...subjectFields,
  ...keyFields,
  ...signatureFields,
  ...constraintFields,
  issuer_name: text.optional("Name of the new issuer."),
  max_path_length: int.default(
    -1,
    "How many CAs may lie between this one and a leaf; -1 for no limit.",
  ),
  ext_key_usage: list.default([], "Extended key usages by name; none for no such limit."),
  ext_key_usage_oids: list.default([], "More of them as object identifiers."),
  key_usage: list.default(
    ["CertSign", "CRLSign"],
    "Key usages; of those sent only DigitalSignature is added to CertSign and CRLSign.",
  ),
} as const;
type RootInput = Input<typeof rootFields, "POST /root/generate/internal">;

/** Fields of the forms that take a key of the mount. */
export const keyRefField = {
  key_ref: text.optional("The key to use: `default`, an id or a name."),
} as const;

const rootReply = {
  ...certificateReply,
  ...privateKeyReply,
  issuer_id: text.required("Id of the new issuer."),
  issuer_name: text.required("Its name, or empty."),
  key_id: text.required("Id of the new key."),
  key_name: text.required("Its name, or empty."),
} as const;

const declared = {
  access: "token",
  style: envelope,
  captures: ["exported"],
  body: rootFields,
  reply: rootReply,
  refuses: [
    "invalid_field",
    "malformed",
    "already_exists",
    "bad_key",
    "name_not_allowed",
    "validity",
    "constraint",
  ],
} as const;

export const generateRoot = endpoint({
  ...declared,
  id: "generateRoot",
  at: [
    "POST /root/generate/internal",
    "POST /issuers/generate/root/internal",
    "POST /root/generate/:exported",
    "POST /issuers/generate/root/:exported",
  ],
  doc: "Makes a key and a self-signed CA certificate, and takes them as a new issuer. The key stays inside.",
  run: (ca, input, caller) => generate(ca, input, caller, "internal"),
});

export const generateExportedRoot = endpoint({
  ...declared,
  id: "generateExportedRoot",
  at: ["POST /root/generate/exported", "POST /issuers/generate/root/exported"],
  doc: "Makes a key and a self-signed CA certificate as a new issuer, and returns the key this once.",
  run: (ca, input, caller) => generate(ca, input, caller, "exported"),
});

export const generateRootFromKey = endpoint({
  ...declared,
  id: "generateRootFromKey",
  at: ["POST /root/generate/existing", "POST /issuers/generate/root/existing"],
  doc: "Makes a self-signed CA certificate for a key of the mount, and takes it as a new issuer.",
  body: { ...rootFields, ...keyRefField },
  run: (ca, input, caller) => generate(ca, input, caller, "existing"),
});

/**
 * A rotation names the new root `next` where that name is free, and never changes the default (A
 * 3.4).
 */
const rotating = {
  ...declared,
  doc: "Makes a new root beside the current one, to be made the default later.",
} as const;
export const rotateRoot = endpoint({
  ...rotating,
  id: "rotateRoot",
  at: ["POST /root/rotate/internal", "POST /root/rotate/:exported"],
  run: (ca, input, caller) => generate(ca, input, caller, "internal", true),
});
export const rotateExportedRoot = endpoint({
  ...rotating,
  id: "rotateExportedRoot",
  at: ["POST /root/rotate/exported"],
  run: (ca, input, caller) => generate(ca, input, caller, "exported", true),
});
export const rotateRootFromKey = endpoint({
  ...rotating,
  id: "rotateRootFromKey",
  at: ["POST /root/rotate/existing"],
  body: { ...rootFields, ...keyRefField },
  run: (ca, input, caller) => generate(ca, input, caller, "existing", true),
});

/** Refuses a word in the path that names no form. */
export function refuseForm(word: string | undefined): void {
  if (word !== undefined)
    throw new CaError(
      "malformed",
      'the "exported" path parameter must be "internal", "existing", exported" or "kms"',
    );
}

type Asked = RootInput & { readonly key_ref?: string | undefined; readonly exported?: string };
async function generate(
  ca: Mount,
  input: Asked,
  caller: Caller,
  source: KeySource,
  rotates = false,
) {
  refuseForm(input.exported);
  const exported = source === "exported";
  const format = readFormat(input.format);
  const asPkcs8 = wantsPkcs8(input.private_key_format);
  if (input.key_type === "rsa") checkSignatureBits("rsa", input.signature_bits);
  let made: CaKey | undefined;
  const { reply, set } = await ca.configure(
    async (config) => {
      const issuerName = nameOf(config, input.issuer_name, rotates);
      const key = await keyOf({ ca, config, input, caller }, source, made);
      made = key;
      const { der, serial, validity, scheme, name } = await selfSigned(
        ca,
        config,
        input,
        caller,
        key,
      );
      const issuer = await issuerRow(ca, der, {
        name: issuerName,
        key_id: key.row.id,
        revocation_signature_algorithm: schemeName(scheme),
      });
      const cert = certRow({ der, issuer: issuer.id, crl_set: issuer.crl_set, role: "" });
      const rows = await issuerRows(ca, config, [issuer], rotates ? undefined : issuer.id);
      const shown = format === "der" ? toBase64(der) : certificatePem(der);
      const bundle =
        format === "pem_bundle" && key.pkcs8 && exported
          ? `${traditionalPem(key.pkcs8)}\n${shown}`
          : shown;
      const reply = {
        expiration: validity.notAfter,
        serial_number: serialText(serial),
        certificate: bundle,
        issuing_ca: shown,
        issuer_id: issuer.id,
        issuer_name: issuer.name,
        key_id: key.row.id,
        key_name: key.row.name,
        ...(exported && key.pkcs8 ? privateKeyOutput(key.pkcs8, format, asPkcs8) : {}),
      };
      if (exported) await caller.keep?.(reply);
      return {
        reply: { set: issuer.crl_set, reply },
        batch: {
          expect: [[keys.cert(serial), null]],
          put: [
            ...(source === "existing" ? [] : keyRows(config, [key.row])),
            ...rows,
            [keys.cert(serial), cert, certIndex(validity.notAfter, name, "", issuer.id)],
          ],
        },
      };
    },
    { exact: true },
  );
  await rebuildNow(ca, caller, [set]);
  caller.note({ serial: reply.serial_number.replaceAll(":", ""), issuer: reply.issuer_id });
  return reply;
}

function nameOf(config: Snapshot, asked: string | undefined, rotates: boolean): string {
  if (asked !== undefined) return checkIssuerName(config, asked);
  return rotates && ![...config.issuers.values()].some((row) => row.name === "next") ? "next" : "";
}

async function selfSigned(
  ca: Mount,
  config: Snapshot,
  input: RootInput,
  caller: Caller,
  key: CaKey,
) {
  // generating a root caps its lifetime in every dialect (D 1)
  const validity = validityFor(
    input,
    { ttl: 0, max_ttl: 0, not_after: "", not_before_duration: input.not_before_duration },
    { now: ca.ports.now(), mount: config.mount, caller, overMax: "cap" },
  );
  warnOfLongName(input.common_name, caller);
  const template = caTemplate({
    ...input,
    kind: "root",
    spki: key.row.spki,
    validity,
    pathLength: pathLengthOf(input.max_path_length, undefined, true),
  });
  const { urls, leftOut } = urlsForRoot(config);
  if (leftOut)
    caller.warn(
      "Unable to template AIA URLs of a root: they name an issuer that does not exist yet. The certificate carries none.",
    );
  else if (
    urls.issuing_certificates.length +
      urls.ocsp_servers.length +
      urls.crl_distribution_points.length ===
    0
  )
    caller.warn(noUrls);
  if (template.subject.length === 0)
    caller.warn("The subject of the new CA certificate is empty; other software may refuse it.");
  if (template.basicConstraints?.pathLength === 0)
    caller.warn(
      "Max path length of the generated certificate is zero. This certificate cannot be used to issue intermediate CA certificates.",
    );
  const scheme = schemeFor(key.publicKey, input.signature_bits, input.use_pss);
  const serial = await newSerial(ca, config);
  const authority = {
    signer: key.signer,
    publicKey: key.publicKey,
    subject: undefined,
    keyId: undefined,
    pathLength: undefined,
  };
  const der = await certify({ template, authority, serial, scheme, urls });
  return { der, serial, validity, scheme, name: templateName(template) };
}
