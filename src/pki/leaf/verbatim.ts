import { compatExpiration } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { requireValidChain } from "../issuer/constraints.ts";
import { issuerFor } from "../issuer/issuer.ts";
import { checkValidity } from "../issuer/validity.ts";
import { refuseLongNames } from "../request/names.ts";
import {
  type IssuanceContext,
  checkRule,
  readChecked,
  settle,
  failFast,
} from "../request/rule-checker.ts";
import { commonNamesOf, checkCommonNames } from "../request/template.ts";
import { certificateReply } from "../request/fields.ts";
import { formatFor } from "../request/format.ts";
import {
  checkRequestKey,
  checkRequestSignature,
  readRequest,
  type SigningRequest,
} from "../request/request.ts";
import { checkSignatureBits } from "../request/scheme.ts";
import {
  extKeyUsageOrder,
  extKeyUsageName,
  isForCas,
  keyUsageName,
  readExtKeyUsage,
} from "../../x509/usage.ts";
import { refuseCa, refuseControlsOf, refuseMalformed } from "../request/taken-over.ts";
import { issueLeaf, checkMetadata } from "./issuance.ts";
import type { ApprovedLeaf } from "./leaf.ts";
import { extKeyUsages } from "./profile.ts";
import { defaultRole, roleOf, type Role } from "./role.ts";
import { verbatimFields, verbatimIgnores, type VerbatimInput } from "./verbatim-fields.ts";
import {
  verbatimCertificateFields,
  verbatimProfile,
  withheldOids,
  withoutWithheld,
  type WithheldOids,
} from "./verbatim-profile.ts";
import { findExtension } from "../../x509/certificate.ts";
import { extensionOid } from "../../x509/oid.ts";
import { warnOfIgnored, warnOfIgnoredName, type NameRequest } from "./certificate-fields.ts";

/** Returns the fields of a role that apply to sign-verbatim (A 8.6). */
const rulesOf = ({
  issuer_ref,
  ttl,
  max_ttl,
  not_before_duration,
  generate_lease,
  no_store,
  no_store_metadata,
}: Role) => ({
  issuer_ref,
  ttl,
  max_ttl,
  not_after: "",
  not_before_duration,
  generate_lease,
  no_store,
  no_store_metadata,
});

/**
 * Performs all checks of a sign-verbatim request (A 8.6). `less` contains the OIDs of extensions
 * and extended key usages that are not copied from the CSR.
 */
export async function approveVerbatim(
  it: IssuanceContext<VerbatimInput>,
  less: WithheldOids = withheldOids,
): Promise<ApprovedLeaf> {
  const { config, input, caller, checker } = it;
  const role = input.role === undefined ? undefined : await roleOf(config, input.role);
  const rules = rulesOf(role ?? defaultRole);
  const named = role ? rules.issuer_ref : input.issuer_ref || rules.issuer_ref;
  const issuer = await issuerFor(it, input.path_ref ?? named);
  const format = await formatFor(it);
  const sent = readRequest(input.csr);
  checkRequest(it, sent, less);
  const { signature_bits: bits } = input;
  const { type, algorithm } = issuer.publicKey;
  if (algorithm.choosesScheme)
    readChecked(
      checker,
      { rule: "signature_bits", input: String(bits) },
      () => checkSignatureBits(type, bits),
      () => bits,
    );
  warnOfBody(input, caller);
  checkCommonNames(it, ...commonNamesOf(sent.csr.subject));
  const validity = checkValidity(it, rules, issuer);
  const signed = await settle(checkRequestSignature(sent));
  checkRule(checker, { rule: "csr", input: "its signature" }, signed, () => undefined);
  const purposes = [...extKeyUsageOrder(input.ext_key_usage), ...input.ext_key_usage_oids];
  const request = withoutWithheld(sent, less, [...purposes, ...(role ? extKeyUsages(role) : [])]);
  warnOfExtensions(sent, request, caller);
  const profile = verbatimProfile(request, input);
  const own = verbatimCertificateFields(request, validity);
  requireValidChain(it, issuer.row, { ...profile, ...own });
  return {
    issuer,
    role: input.role ?? "",
    path: `sign-verbatim/${input.role ?? ""}`,
    rules,
    format,
    metadata: checkMetadata(it, rules),
    profile,
    own,
  };
}

/** Checks a CSR whose contents will be copied unchanged. */
function checkRequest(
  { checker }: Pick<IssuanceContext<unknown>, "checker">,
  request: SigningRequest,
  { extensions }: WithheldOids,
): void {
  const rules: readonly (readonly [rule: string, input: string, check: () => void])[] = [
    ["key_type, key_bits", request.publicKey.type, () => checkRequestKey(request, undefined, 0)],
    ["csr", "no control characters", () => refuseControlsOf(request)],
    ["csr", "names within the length limits", () => refuseLongNames(request.names)],
    ["csr", "well-formed extensions", () => refuseMalformed(request, extensions)],
    ["csr", "no CA", () => refuseCa(request)],
  ];
  for (const [rule, input, check] of rules)
    checkRule(checker, { rule, input }, check, () => undefined);
}

export const signVerbatim = endpoint({
  id: "signVerbatim",
  at: ["POST /sign-verbatim(/:role+)", "POST /issuer/:path_ref/sign-verbatim(/:role+)"],
  access: "token",
  style: envelope,
  doc: "Issues a certificate with the unchanged subject, names and extensions of a CSR. Never issues CA certificates, and issues unknown critical extensions only if the issuer's check is disabled. Allow this only for highly trusted callers.",
  body: verbatimFields,
  ignores: verbatimIgnores,
  reply: {
    ...certificateReply,
    expiration: compatExpiration.optional(
      "End of the validity period (notAfter), Unix seconds; absent if the request has `X-Service-Token` but not `X-Vault-Request`.",
    ),
  },
  audits: { hashed: ["common_name", "alt_names"], plain: ["ttl"], always: true },
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
  run: (mount, input, caller) =>
    mount.decideFor(caller, async (config, caller) => {
      const it = { mount, config, input, caller, checker: failFast };
      return issueLeaf(it, await approveVerbatim(it));
    }),
});

interface Body extends Omit<NameRequest, "exclude_cn_from_sans"> {
  readonly key_usage: readonly string[];
  readonly path_ref?: string | undefined;
  readonly issuer_ref?: string | undefined;
}

/** Warns about each field of the body that is ignored. */
function warnOfBody(input: Body, caller: Pick<Caller, "reply">): void {
  if (input.path_ref !== undefined && input.issuer_ref !== undefined)
    caller.reply.warn(
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [issuer_ref]",
    );
  warnOfIgnoredName(input, caller);
  warnOfIgnored(input, caller);
  if (input.other_sans.some(Boolean))
    caller.reply.warn("the other_sans field was provided but the names are taken from the CSR");
  if (input.serial_number !== "")
    caller.reply.warn("the serial_number field was provided but the subject is taken from the CSR");
  if (input.user_ids.some(Boolean))
    caller.reply.warn("the user_ids field was provided but the subject is taken from the CSR");
  const forCas = input.key_usage.filter((usage) => isForCas(keyUsageName(usage)));
  if (forCas.length)
    caller.reply.warn(
      `key usages ${forCas.join(", ")} are for CAs: the certificate is issued without them`,
    );
}

/** Extensions for which there are separate warnings. */
const withOwnWarnings: ReadonlySet<string> = new Set([
  extensionOid.basicConstraints,
  extensionOid.extKeyUsage,
]);
function purposesIn({ csr }: SigningRequest): readonly string[] {
  const extension = findExtension(csr, extensionOid.extKeyUsage);
  return extension ? readExtKeyUsage(extension.value) : [];
}

/**
 * Warns about extensions and extended key usages of the CSR that are not copied. `copied` is the
 * CSR without them.
 */
function warnOfExtensions(
  request: SigningRequest,
  copied: SigningRequest,
  caller: Pick<Caller, "reply">,
): void {
  const copiedOids = new Set(copied.csr.extensions.map(({ oid }) => oid));
  const purposes = new Set(purposesIn(copied));
  for (const oid of purposesIn(request).filter((one) => !purposes.has(one)))
    caller.reply.warn(
      `the CSR requests the extended key usage ${extKeyUsageName(oid) ?? oid}, which was left out: it is included only if the role or the request's ext_key_usage lists it`,
    );
  for (const { oid } of request.csr.extensions)
    if (!withOwnWarnings.has(oid) && !copiedOids.has(oid))
      caller.reply.warn(
        `specified CSR contained the extension ${oid} that was ignored during issuance`,
      );
  if (request.hasBasicConstraints)
    caller.reply.warn(
      "specified CSR contained a Basic Constraints extension that was ignored during issuance",
    );
}
