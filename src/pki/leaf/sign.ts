import { text } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { requireValidChain } from "../issuer/constraints.ts";
import { issuerFor } from "../issuer/issuer.ts";
import { type IssuanceContext, checkRule, settle, failFast } from "../request/rule-checker.ts";
import { certificateReply, issuanceAudits } from "../request/fields.ts";
import { formatFor } from "../request/format.ts";
import {
  checkRequestKey,
  checkRequestSignature,
  readRequest,
  type SigningRequest,
} from "../request/request.ts";
import { issueLeaf, checkMetadata } from "./issuance.ts";
import { leafFields, type ApprovedLeaf } from "./leaf.ts";
import { roleOf, type Role } from "./role.ts";
import { checkCertificateFields } from "./certificate-fields.ts";
import { profileOf } from "./profile.ts";

/** Request field for a certificate signing request (CSR). */
export const csrField = {
  csr: text.requiredOr("", "Certificate signing request (CSR), PEM."),
} as const;

/** Request fields of the sign endpoints. */
export const signFields = { ...csrField, ...leafFields } as const;
type SignInput = Input<
  typeof signFields,
  "POST /sign/:role" | "POST /issuer/:issuer_ref/sign/:role"
>;

/** Performs all checks of a request to `sign`, in the order of A 8.3. */
export async function approveSign(it: IssuanceContext<SignInput>): Promise<ApprovedLeaf> {
  const { config, input, caller, checker } = it;
  const role = await roleOf(config, input.role, caller.identity.entity);
  const issuer = await issuerFor(it, input.issuer_ref ?? role.issuer_ref);
  const format = await formatFor(it);
  const request = readRequest(input.csr);
  checkRule(
    checker,
    { rule: "key_type, key_bits", input: request.publicKey.type },
    () => checkRequestKey(request, role.key_type, role.key_bits),
    () => undefined,
  );
  const fields = checkCertificateFields(it, { role, issuer }, request);
  const signed = await settle(checkRequestSignature(request));
  checkRule(checker, { rule: "csr", input: "its signature" }, signed, () => undefined);
  warnOfBasicConstraints(request, role, caller);
  const profile = profileOf(role);
  requireValidChain(it, issuer.row, { ...profile, ...fields });
  return {
    issuer,
    role: input.role,
    path: `sign/${input.role}`,
    rules: role,
    format,
    metadata: checkMetadata(it, role),
    profile,
    own: { ...fields, spki: request.csr.spki },
  };
}

/** Warns that the basic constraints in the CSR, if any, are not copied to the certificate. */
function warnOfBasicConstraints(request: SigningRequest, role: Role, caller: Caller): void {
  if (request.hasBasicConstraints && !role.basic_constraints_valid_for_non_ca)
    caller.reply.warn(
      "specified CSR contained a Basic Constraints extension that was ignored during issuance",
    );
}

export const sign = endpoint({
  id: "sign",
  at: ["POST /sign/:role", "POST /issuer/:issuer_ref/sign/:role"],
  access: "token",
  style: envelope,
  doc: "Issues a certificate for the key in a CSR under a role.",
  body: signFields,
  ignores: ["issuer_ref"],
  reply: certificateReply,
  audits: issuanceAudits,
  refuses: [
    "invalid_field",
    "unknown_role",
    "malformed",
    "role_violation",
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
      return issueLeaf(it, await approveSign(it));
    }),
});
