import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { isKeyType, type KeyType } from "../../algorithms/table.ts";
import { generateKey, type GeneratedKey } from "../../keys/generate.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { requireValidChain } from "../issuer/constraints.ts";
import { issuerFor } from "../issuer/issuer.ts";
import { type IssuanceContext, checkRule, failFast } from "../request/rule-checker.ts";
import { certificateReply, issuanceAudits, privateKeyReply } from "../request/fields.ts";
import { formatsFor } from "../request/format.ts";
import type { CertificateFields } from "../request/template.ts";
import { issueLeaf, checkMetadata } from "./issuance.ts";
import { issueFields, type IssueInput, type ApprovedLeaf } from "./leaf.ts";
import { roleOf } from "./role.ts";
import { checkCertificateFields } from "./certificate-fields.ts";
import { profileOf } from "./profile.ts";

/**
 * An approved leaf certificate whose key is not yet generated, with the type and size of the key.
 */
export interface KeylessLeaf extends ApprovedLeaf<Omit<CertificateFields, "spki">> {
  readonly key: { readonly type: KeyType; readonly bits: number };
  readonly asPkcs8: boolean;
}

/**
 * Performs all checks of a request to `issue`, in the order of A 8.3, before a key is generated.
 */
export async function approveIssue(it: IssuanceContext<IssueInput>): Promise<KeylessLeaf> {
  const { config, input, caller, checker } = it;
  const role = await roleOf(config, input.role, caller.identity.entity);
  const { key_type: keyType } = role;
  // a role with the type `any` only allows signing (A 8.3 rule 3)
  const type = checkRule(checker, { rule: "key_type", input: keyType }, () => {
    if (isKeyType(keyType)) return keyType;
    throw new CaError(
      "role_violation",
      'role key type "any" not allowed for issuing certificates, only signing',
    );
  });
  const issuer = await issuerFor(it, input.issuer_ref ?? role.issuer_ref);
  const { format, asPkcs8 } = await formatsFor(it);
  const own = checkCertificateFields(it, { role, issuer });
  const profile = profileOf(role);
  requireValidChain(it, issuer.row, { ...profile, ...own });
  return {
    issuer,
    role: input.role,
    path: `issue/${input.role}`,
    rules: role,
    format,
    metadata: checkMetadata(it, role),
    profile,
    own,
    key: { type, bits: role.key_bits },
    asPkcs8,
  };
}

export const issue = endpoint({
  id: "issue",
  at: ["POST /issue/:role", "POST /issuer/:issuer_ref/issue/:role"],
  access: "token",
  style: envelope,
  doc: "Generates a key and issues a certificate for it under a role. The private key is returned only in this response and is not stored.",
  body: issueFields,
  ignores: ["issuer_ref"],
  reply: { ...certificateReply, ...privateKeyReply },
  audits: issuanceAudits,
  refuses: [
    "invalid_field",
    "unknown_role",
    "malformed",
    "role_violation",
    "unknown_issuer",
    "unusable_issuer",
    "name_not_allowed",
    "validity",
    "constraint",
  ],
  run(mount, input, caller) {
    const keyOf = keyGenerator(mount);
    return mount.decideFor(caller, async (config, caller) => {
      const it = { mount, config, input, caller, checker: failFast };
      const { key, asPkcs8, ...leaf } = await approveIssue(it);
      const keyPair = await keyOf(key);
      return issueLeaf(
        it,
        { ...leaf, own: { ...leaf.own, spki: keyPair.spki } },
        { ...keyPair, asPkcs8 },
      );
    });
  },
});

/**
 * Creates a function that generates the key of a request. A retry under a new configuration reuses
 * the key, unless the role now requires another type or size.
 */
function keyGenerator({ ports }: Pick<Mount, "ports">) {
  let generated: (KeylessLeaf["key"] & { readonly pair: GeneratedKey }) | undefined;
  return async ({ type, bits }: KeylessLeaf["key"]) => {
    if (generated?.type !== type || generated.bits !== bits)
      generated = { type, bits, pair: await generateKey(type, bits, ports) };
    return generated.pair;
  };
}
