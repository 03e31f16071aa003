import { maySignAuthorities } from "../../api/path-length.ts";
import { signIntermediate, signSelfIssuedWith, signVerbatim } from "../../api/endpoints/pki.ts";
import { canSign, type Authority } from "../../api/issuer.ts";
import { missingPermission } from "../../api/permissions.ts";

/**
 * A way to sign an external request or certificate: a CA with constraints, a certificate exactly as
 * its CSR requests it (sign-verbatim), or an existing root again (sign-self-issued).
 */
export type SigningKind = "ca" | "verbatim" | "self-issued";

/** Returns the ways to sign that both the CA and the token's permissions allow. */
export function signingKinds(one: Authority): readonly SigningKind[] {
  const issuer_ref = one.record.issuer_id;
  const isSigner = maySignAuthorities(one);
  return [
    ...(isSigner && missingPermission(signIntermediate, { issuer_ref }) === ""
      ? (["ca"] as const)
      : []),
    ...(canSign(one) && missingPermission(signVerbatim, { path_ref: issuer_ref }) === ""
      ? (["verbatim"] as const)
      : []),
    ...(isSigner && missingPermission(signSelfIssuedWith, { issuer_ref }) === ""
      ? (["self-issued"] as const)
      : []),
  ];
}
