import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { extKeyUsageOrder, isForCas, keyUsageName } from "../../x509/usage.ts";
import { readExtKeyUsage, readKeyUsage } from "../../x509/extension-read.ts";
import { type Extension } from "../../x509/extension.ts";
import { isNetscapeCa } from "../../x509/extension-value.ts";
import { extensionOid } from "../../x509/oid.ts";
import { compatExpiration, flag, list, text } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import {
  certificateReply,
  formatField,
  lifetimeFields,
  metadataFields,
  signatureFields,
  type Format,
} from "../request/fields.ts";
import { chainRows, signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import { decideFor } from "../request/attempt.ts";
import { judgeFormat } from "./issue.ts";
import { demandOf, obtainSoon, passes, strict, type Judge } from "../request/judge.ts";
import { assertChain, leaseFor, noteSerial, signWith, storeCertificate } from "./leaf.ts";
import { judgeMetadata, metadataRows, type Metadata } from "./metadata.ts";
import { certificateOutput } from "../issuer/output.ts";
import {
  checkRequestKey,
  checkRequestSignature,
  readRequest,
  refuseMalformed,
  type SigningRequest,
} from "../request/request.ts";
import { refuseControlsOf, warnOfIgnored, warnOfIgnoredName, warnOfLongName } from "./role.ts";
import { roleOf, type Role } from "./roles.ts";
import { refuseLongNames } from "../request/names.ts";
import { checkSignatureBits } from "../request/scheme.ts";
import { csrField } from "./sign.ts";
import { purposesOf, type Template } from "../request/template.ts";
import { judgeValidity, type Validity } from "../issuer/validity.ts";

/** Fields of a verbatim signature. */
export const verbatimFields = {
  ...csrField,
  ...lifetimeFields,
  ...formatField,
  ...signatureFields,
  ...metadataFields,
  key_usage: list.default(
    ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
    "Key usages where the CSR asks for none; empty for no extension.",
  ),
  ext_key_usage: list.default([], "Extended key usages by name where the CSR asks for none."),
  ext_key_usage_oids: list.default([], "Extended key usages by OID where the CSR asks for none."),
  enforce_leaf_not_after_behavior: flag.default(
    false,
    "Accepted; the issuer's rule for leaves decides always.",
  ),
  remove_roots_from_chain: flag.default(false, "Leave self-signed certificates out of `ca_chain`."),
  common_name: text.default("", "Accepted; the subject is the CSR's."),
  alt_names: text.default("", "Accepted; the names are the CSR's."),
  ip_sans: list.default([], "Accepted; the names are the CSR's."),
  uri_sans: list.default([], "Accepted; the names are the CSR's."),
  other_sans: list.default([], "Accepted; the names are the CSR's."),
  serial_number: text.default("", "Accepted; the subject is the CSR's."),
  user_ids: list.default([], "Accepted; the subject is the CSR's."),
  issuer_ref: text.optional("The issuer where neither path nor role names one."),
} as const;

/** What a role, or no role, says to a verbatim signature (A 8.6). */
type Rules = Pick<
  Role,
  | "ttl"
  | "max_ttl"
  | "not_after"
  | "not_before_duration"
  | "generate_lease"
  | "no_store"
  | "no_store_metadata"
  | "issuer_ref"
>;
const noRole: Rules = {
  ttl: 0,
  max_ttl: 0,
  not_after: "",
  not_before_duration: 30,
  generate_lease: false,
  no_store: false,
  no_store_metadata: false,
  issuer_ref: "default",
};

/** What clients send to all three signing endpoints and means nothing to this one (A 8.2). */
export const verbatimIgnores = ["exclude_cn_from_sans", "private_key_format"] as const;

type VerbatimInput = Input<
  typeof verbatimFields,
  "POST /sign-verbatim(/:role+)" | "POST /issuer/:path_ref/sign-verbatim(/:role+)"
>;
/** What a verbatim signature comes to before it is made. */
export interface VerbatimPlan {
  readonly rules: Rules;
  readonly issuer: SigningIssuer;
  readonly format: Format;
  readonly metadata: Metadata;
  readonly template: Template;
}
/** Everything that a verbatim signature checks (A 8.6). */
export async function planVerbatim(
  ca: Mount,
  config: Snapshot,
  input: VerbatimInput,
  caller: Caller,
  judge: Judge,
): Promise<VerbatimPlan> {
  const role = input.role === undefined ? undefined : await roleOf(config, input.role);
  const rules: Rules = role ? { ...noRole, ...pick(role) } : noRole;
  const reference = input.path_ref ?? (role ? rules.issuer_ref : (input.issuer_ref ?? "default"));
  const issuer = await obtainSoon(
    judge,
    "issuer_ref",
    reference,
    signingIssuer(ca, config, reference),
  );
  const format = judgeFormat(input.format, judge);
  const request = readRequest(input.csr);
  demandOf(judge, "key_type, key_bits", request.publicKey.type, () =>
    checkRequestKey(request, "any", 0),
  );
  demandOf(judge, "csr", "no control characters", () => refuseControlsOf(request));
  demandOf(judge, "csr", "names of a possible length", () => refuseLongNames(request.names));
  demandOf(judge, "csr", "extensions that can be read", () => refuseMalformed(request, never));
  demandOf(judge, "csr", "no CA", () => refuseCa(request));
  const { signature_bits: bits } = input;
  if (issuer.publicKey.type === "rsa")
    passes(judge, "signature_bits", String(bits), () => checkSignatureBits("rsa", bits));
  warnOfBody(input, caller);
  warnOfLongName(request.commonName, caller);
  const validity = judgeValidity(ca.ports.now(), input, rules, config.mount, issuer, caller, judge);
  await obtainSoon(judge, "csr", "its signature", checkRequestSignature(request), () => undefined);
  for (const { oid } of request.csr.extensions)
    if (oid !== extensionOid.basicConstraints && never.has(oid))
      caller.warn(`specified CSR contained the extension ${oid} that was ignored during issuance`);
  if (request.hasBasicConstraints)
    caller.warn(
      "specified CSR contained a Basic Constraints extension that was ignored during issuance",
    );
  const template = templateOf(request, input, validity);
  assertChain(ca, config, issuer.row, template, judge);
  return {
    rules,
    issuer,
    format,
    metadata: judgeMetadata(input, rules.no_store_metadata, judge),
    template,
  };
}

/** Tells what of the body does not count: nothing that was asked for is dropped unsaid. */
function warnOfBody(input: VerbatimInput, caller: Caller): void {
  if (input.path_ref !== undefined && input.issuer_ref !== undefined)
    caller.warn(
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [issuer_ref]",
    );
  warnOfIgnoredName(input, caller);
  warnOfIgnored(input, caller);
  if (input.other_sans.some(Boolean))
    caller.warn("the other_sans field was provided but the names are taken from the CSR");
  if (input.serial_number !== "")
    caller.warn("the serial_number field was provided but the subject is taken from the CSR");
  if (input.user_ids.some(Boolean))
    caller.warn("the user_ids field was provided but the subject is taken from the CSR");
  const forCas = input.key_usage.filter((usage) => isForCas(keyUsageName(usage)));
  if (forCas.length)
    caller.warn(
      `key usages ${forCas.join(", ")} are for CAs: the certificate is issued without them`,
    );
}

export const signVerbatim = endpoint({
  id: "signVerbatim",
  at: ["POST /sign-verbatim(/:role+)", "POST /issuer/:path_ref/sign-verbatim(/:role+)"],
  access: "token",
  style: envelope,
  doc: "Issues a certificate with subject, names and extensions of a CSR as they stand. It never makes a CA, nor a certificate with a critical extension that is not known, unless the issuer's check is off. For highly trusted callers only.",
  body: verbatimFields,
  ignores: verbatimIgnores,
  reply: {
    ...certificateReply,
    expiration: compatExpiration.optional(
      "End of validity, Unix seconds; not in the documented dialect.",
    ),
  },
  refuses: [
    "invalid_field",
    "unknown_role",
    "malformed",
    "unknown_issuer",
    "unusable_issuer",
    "bad_csr",
    "bad_key",
    "name_not_allowed",
    "validity",
    "constraint",
  ],
  run: (ca, input, caller) =>
    decideFor(ca, caller, async (config, caller) => {
      const { rules, issuer, format, metadata, template } = await planVerbatim(
        ca,
        config,
        input,
        caller,
        strict,
      );
      const role = input.role ?? "";
      const signed = await signWith(ca, config, issuer, template, {
        bits: input.signature_bits,
        pss: input.use_pss,
      });
      if (role !== "")
        leaseFor(
          ca,
          config,
          caller,
          `${config.mount.path}/sign-verbatim/${role}`,
          rules,
          template.notAfter,
        );
      noteSerial(caller, signed.serial);
      const output = {
        ...signed,
        notAfter: template.notAfter,
        issuer: issuer.row,
        chain: chainRows(config, issuer.row),
        format,
        dialect: caller.dialect,
      };
      const reply = await certificateOutput({
        ...output,
        removeRoots: input.remove_roots_from_chain,
      });
      const batch = storeCertificate(
        signed,
        issuer.row,
        template,
        role,
        rules.no_store,
        metadataRows(signed.serial, issuer.row, role, template.notAfter, metadata),
      );
      return { reply, ...(batch ? { batch } : {}) };
    }),
});

const pick = ({
  ttl,
  max_ttl,
  issuer_ref,
  generate_lease,
  no_store,
  no_store_metadata,
  not_before_duration,
}: Role) => ({
  ttl,
  max_ttl,
  issuer_ref,
  generate_lease,
  no_store,
  no_store_metadata,
  not_before_duration,
});

/** A CSR that asks for what only a CA has is refused (D 3). */
export function refuseCa({ asksForCa, csr }: SigningRequest): void {
  const usage = csr.extensions.find((extension) => extension.oid === extensionOid.keyUsage);
  const signs =
    usage && readKeyUsage(usage.value).some((name) => name === "CertSign" || name === "CRLSign");
  if (asksForCa)
    throw new CaError("bad_csr", "the CSR asks for a CA certificate, which is not issued here");
  if (signs)
    throw new CaError(
      "bad_csr",
      "the CSR asks for the key usages of a CA, which are not given here",
    );
  const netscape = csr.extensions.find(
    (extension) => extension.oid === extensionOid.netscapeCertType,
  );
  if (netscape && isNetscapeCa(netscape.value))
    throw new CaError(
      "bad_csr",
      "the CSR asks for the Netscape certificate type of a CA, which is not given here",
    );
}

/** Everything the CSR asks for, but what makes a CA or is this authority's to say. */
function templateOf(
  request: SigningRequest,
  input: Input<typeof verbatimFields, "POST /sign-verbatim">,
  validity: Validity,
): Template {
  const { csr } = request;
  const usage = csr.extensions.find((extension) => extension.oid === extensionOid.keyUsage);
  const purposes = csr.extensions.find((extension) => extension.oid === extensionOid.extKeyUsage);
  const copied = purposes ? readExtKeyUsage(purposes.value) : undefined;
  const named = input.key_usage
    .map(keyUsageName)
    .filter((name) => name !== undefined)
    .filter((name) => !isForCas(name));
  return {
    kind: "leaf",
    subject: csr.subject,
    names: request.names,
    ...validity,
    spki: csr.spki,
    keyUsage: usage ? readKeyUsage(usage.value) : named,
    // without basic constraints some readers take a certificate for that of a CA, by its other
    // extensions
    basicConstraints: { ca: false },
    extKeyUsage: copied ?? [
      ...new Set([
        ...extKeyUsageOrder(input.ext_key_usage),
        ...purposesOf(input.ext_key_usage_oids),
      ]),
    ],
    extra: csr.extensions
      .filter(isCopied)
      .map((extension) => (isNameless(csr.subject) ? withCriticalNames(extension) : extension)),
  };
}
const never: ReadonlySet<string> = new Set([
  extensionOid.basicConstraints,
  extensionOid.ctPoison,
  extensionOid.nameConstraints,
]);
/** Without a subject the names are all there is (RFC 5280 section 4.2.1.6). */
const isNameless = (subject: Uint8Array): boolean => subject.length <= 2;
const withCriticalNames = (extension: Extension): Extension =>
  extension.oid === extensionOid.subjectAltName ? { ...extension, critical: true } : extension;
const isCopied = (extension: Extension): boolean => !never.has(extension.oid);
