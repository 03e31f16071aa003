import { equalBytes, fromHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { serialKey } from "../../base/ids.ts";
import { keyUsageName } from "../../x509/usage.ts";
import { readAuthorityKeyIdentifier, readKeyUsage } from "../../x509/extension-read.ts";
import { extensionOid } from "../../x509/oid.ts";
import { flag, int, list, text } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { keyWithSpki } from "./mount-keys.ts";
import { rebuildNow } from "../revocation/crl-rebuild.ts";
import { revokedBelow } from "./issuer-revoke.ts";
import { checkIssuerName, issuerRow, issuerRows } from "../issuer/new-issuer.ts";
import {
  certificateReply,
  constraintFields,
  formatField,
  keyFormatField,
  lifetimeFields,
  nameFields,
  notBeforeField,
  readFormat,
  signatureFields,
  subjectFields,
} from "../request/fields.ts";
import { caTemplate, pathLengthOf } from "./ca-template.ts";
import { certIndex, certRow, keys, type NotAfterBehavior } from "../../engine/records.ts";
import { templateName } from "../request/first-name.ts";
import { chainRows, signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import { assertConstraints } from "../issuer/chain-check.ts";
import { certify } from "../issuer/certify.ts";
import { newSerial } from "../issuer/serial.ts";
import { certificateOutput, certificatePem } from "../issuer/output.ts";
import {
  checkRequestKey,
  checkRequestSignature,
  readRequest,
  type SigningRequest,
} from "../request/request.ts";
import { warnOfLongName } from "../leaf/asked.ts";
import { refuseControlsOf, refuseMalformed, refuseUnreadable } from "../request/taken-over.ts";
import { refuseLongNames } from "../request/alternative-names.ts";
import { checkSignatureBits, schemeFor } from "../request/scheme.ts";
import { csrField } from "../leaf/sign.ts";
import type { Template } from "../request/template.ts";
import { noUrls, urlsFor } from "../issuer/urls.ts";
import { validityFor, withinIssuer, type Validity } from "../issuer/validity.ts";

const fields = {
  ...csrField,
  ...nameFields,
  ...lifetimeFields,
  ...notBeforeField,
  ...formatField,
  ...keyFormatField,
  ...subjectFields,
  ...signatureFields,
  ...constraintFields,
  max_path_length: int.default(
    -1,
    "How many CAs may lie below this one; -1 for no limit, or one less than the signer's.",
  ),
  use_csr_values: flag.default(
    false,
    "Take subject, names, key usages and extensions from the CSR.",
  ),
  key_usage: list.default(
    ["CertSign", "CRLSign"],
    "Key usages; of those sent only DigitalSignature is added to CertSign and CRLSign.",
  ),
  issuer_ref: text.optional("The issuer where the path names none."),
  skid: text.default(
    "",
    "Subject key identifier, hexadecimal; for mimicking an existing certificate when cross-signing.",
  ),
  enforce_leaf_not_after_behavior: flag.default(
    false,
    "Let the issuer's leaf_not_after_behavior decide instead of truncating.",
  ),
  set_signed: flag.default(
    false,
    "Take the certificate as an issuer of this mount too, in the same change. The key must be one of the mount.",
  ),
  issuer_name: text.optional("Name of the new issuer, with `set_signed`."),
} as const;
type Fields = Input<typeof fields, "POST /root/sign-intermediate">;
type Asked = Input<
  typeof fields,
  "POST /root/sign-intermediate" | "POST /issuer/:issuer_ref/sign-intermediate"
>;

export const signIntermediate = endpoint({
  id: "signIntermediate",
  at: ["POST /root/sign-intermediate", "POST /issuer/:issuer_ref/sign-intermediate"],
  access: "token",
  style: envelope,
  doc: "Signs a CA certificate for the key of a certificate signing request. Whoever may call this can make certificates for any name.",
  body: fields,
  reply: {
    ...certificateReply,
    issuer_id: text.optional("Id of the new issuer, with `set_signed`."),
  },
  refuses: [
    "invalid_field",
    "malformed",
    "unknown_issuer",
    "unusable_issuer",
    "bad_csr",
    "already_exists",
    "bad_key",
    "constraint",
    "name_not_allowed",
    "validity",
  ],
  run: async (ca, input, caller) => {
    if (!input.set_signed)
      return ca.decideFor(caller, async (config, caller) => signed(ca, config, input, caller));
    const { reply, sets } = await ca.configure(
      (config) => signedAndSet(ca, config, input, caller),
      { exact: true },
    );
    await rebuildNow(ca, caller, sets);
    return reply;
  },
});

/** The certificate as it is answered, and the batch that stores it. */
async function signed(ca: Mount, config: Snapshot, input: Asked, caller: Caller) {
  const issuer = await signingIssuer(ca, config, input.issuer_ref ?? "default");
  const { row } = issuer;
  const format = readFormat(input.format, 'The "format" path parameter must be "pem" or "der"');
  const request = readRequest(input.csr);
  checkRequestKey(request, "any", 0);
  if (!input.use_csr_values && input.common_name === "" && request.commonName === "")
    throw new CaError(
      "malformed",
      "the common_name field is required, or must be provided in the CSR",
    );
  checkSignatureBits(issuer.publicKey.type, input.signature_bits);
  const rules = {
    ttl: 0,
    max_ttl: 0,
    not_after: "",
    not_before_duration: input.not_before_duration,
  };
  const now = ca.ports.now();
  const validity = untilSigner(
    now,
    validityFor(input, rules, { now, mount: config.mount, caller }),
    issuer,
    input.enforce_leaf_not_after_behavior,
    caller,
  );
  await checkRequestSignature(request);
  const template = templateOf(input, request, issuer, validity, caller);
  assertConstraints(ca, config, row, template);
  const urls = urlsFor(config, row);
  if (
    urls.issuing_certificates.length +
      urls.crl_distribution_points.length +
      urls.ocsp_servers.length ===
    0
  )
    caller.warn(noUrls);
  const serial = await newSerial(ca, config);
  const scheme = schemeFor(issuer.publicKey, input.signature_bits, input.use_pss);
  const der = await certify({ template, authority: issuer, serial, scheme, urls });
  const made = { der, serial };
  caller.note({ serial: serialKey(serial) });
  const chain = chainRows(config, row);
  const output = await certificateOutput({
    ...made,
    notAfter: validity.notAfter,
    issuer: row,
    chain,
    format,
    dialect: caller.dialect,
  });
  // unlike a leaf's, this chain begins with the new certificate (A 9.1)
  const reply = {
    ...output,
    ca_chain: [
      format === "der" ? output.certificate : certificatePem(made.der),
      ...(output.ca_chain ?? []),
    ],
  };
  const cert = certRow({ der: made.der, issuer: row.id, crl_set: row.crl_set, role: "" });
  const key = keys.cert(made.serial);
  const put = [
    [key, cert, certIndex(validity.notAfter, templateName(template), "", row.id)],
  ] as const;
  return {
    reply,
    batch: { expect: [[key, null]] as const, put },
    made: { der: made.der, spki: template.spki },
  };
}

/**
 * The same, with the certificate as a new issuer: of the two neither is stored without the other.
 */
async function signedAndSet(ca: Mount, config: Snapshot, input: Asked, caller: Caller) {
  // whoever may sign may not therefore say what this mount issues with
  if (!caller.can("update", `${config.mount.path}/intermediate/set-signed`))
    throw new CaError("forbidden", "1 error occurred:\n\t* permission denied\n\n");
  const name = input.issuer_name === undefined ? "" : checkIssuerName(config, input.issuer_name);
  const { reply, batch, made } = await signed(ca, config, input, caller);
  const key = keyWithSpki(config.keys.values(), made.spki);
  if (!key)
    throw new CaError(
      "bad_csr",
      "the key of the CSR is none of this mount; without set_signed it is signed for use elsewhere",
    );
  const issuer = await issuerRow(ca, made.der, {
    name,
    key_id: key.id,
    revocation_signature_algorithm: "",
  });
  const [rows, below] = [
    await issuerRows(ca, config, [issuer], issuer.id),
    await revokedBelow(ca, config, [issuer]),
  ];
  return {
    reply: { reply: { ...reply, issuer_id: issuer.id as string }, sets: [issuer.crl_set] },
    batch: { ...batch, put: [...batch.put, ...rows, ...below.put], append: below.append },
  };
}

/** A CA ends with its signer unless the request or the issuer says otherwise (D 3). */
function untilSigner(
  now: number,
  validity: Validity,
  issuer: SigningIssuer,
  enforce: boolean,
  caller: Caller,
): Validity {
  const { leaf_not_after_behavior: own } = issuer.row;
  const behavior: NotAfterBehavior = enforce || own === "always_enforce_err" ? own : "truncate";
  const within = withinIssuer(now, validity, issuer.certificate.notAfter, behavior);
  if (within !== validity)
    caller.warn(
      "The requested expiration lies beyond that of the signing CA certificate and was truncated to it.",
    );
  return within;
}

function templateOf(
  input: Fields,
  request: SigningRequest,
  issuer: SigningIssuer,
  validity: Validity,
  caller: Caller,
): Template {
  const pathLength = pathLengthOf(input.max_path_length, issuer.pathLength);
  if (pathLength === 0)
    caller.warn(
      "Max path length of the signed certificate is zero. This certificate cannot be used to issue intermediate CA certificates.",
    );
  const serial_number = input.serial_number || request.subjectSerial;
  const named = { ...input, common_name: input.common_name || request.commonName, serial_number };
  warnOfLongName(input.use_csr_values ? request.commonName : named.common_name, caller);
  const template = caTemplate({
    ...named,
    kind: "intermediate",
    spki: request.csr.spki,
    validity,
    pathLength,
  });
  const withId = input.skid === "" ? template : { ...template, subjectKeyId: keyIdOf(input.skid) };
  if (!input.use_csr_values) return withId;
  refuseUnreadable(request);
  refuseControlsOf(request);
  refuseLongNames(request.names);
  refuseMalformed(request);
  refuseOtherSigner(request, issuer);
  const usage = request.csr.extensions.find((extension) => extension.oid === extensionOid.keyUsage);
  const added = usage ? readKeyUsage(usage.value) : [];
  const extra = request.csr.extensions.filter(
    ({ oid }) => isCopied(oid) && !(oid === extensionOid.subjectKeyIdentifier && input.skid !== ""),
  );
  if (template.constraints && extra.some(({ oid }) => oid === extensionOid.nameConstraints))
    caller.warn("The name constraints of the request were replaced by those of the CSR.");
  return {
    ...withId,
    subject: request.csr.subject,
    names: request.names,
    // the CSR's key usages are added to those of a CA (D 3)
    keyUsage: [
      ...new Set([
        ...template.keyUsage,
        ...added.filter((name) => keyUsageName(name) !== undefined),
      ]),
    ],
    extra,
  };
}

/** Extensions that are decided elsewhere or would say something untrue of this certificate. */
const notCopied = new Set<string>([
  extensionOid.basicConstraints,
  extensionOid.keyUsage,
  extensionOid.subjectAltName,
  extensionOid.ctPoison,
  extensionOid.authorityKeyIdentifier,
]);
/**
 * The CSR's authority key identifier must be the one that the certificate gets: chains are built by
 * it (A 9.1 rule 7).
 */
function refuseOtherSigner(request: SigningRequest, { keyId }: SigningIssuer): void {
  const named = request.csr.extensions.find(
    ({ oid }) => oid === extensionOid.authorityKeyIdentifier,
  );
  const id = named && readAuthorityKeyIdentifier(named.value);
  if (named && !(id && keyId && equalBytes(id, keyId)))
    throw new CaError(
      "bad_csr",
      "verification of parsed bundle failed: the authority key identifier in the CSR is not the signing CA's",
    );
}
const isCopied = (oid: string): boolean => !notCopied.has(oid);

function keyIdOf(skid: string): Uint8Array {
  const digits = skid.replace(/[:\- ]/g, "");
  if (!/^([0-9a-fA-F]{2})+$/.test(digits))
    throw new CaError(
      "malformed",
      `cannot parse requested SKID value as hex: ${skid.slice(0, 128)}`,
    );
  return fromHex(digits);
}
