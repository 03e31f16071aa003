import { call } from "../../api/call.ts";
import { signIntermediate, signSelfIssuedWith, signVerbatim } from "../../api/endpoints/pki.ts";
import type { Authority } from "../../api/issuer.ts";
import type { CertificateView, CsrView } from "../../lib/x509/decode.ts";
import type { SigningKind } from "./signing-kinds.ts";
import { constraintsFrom, type ConstraintInput } from "../../ui/issuer/constraints.tsx";

/** The values in the form, for all kinds of signing. */
export interface SigningInput {
  readonly csr: { readonly text: string; readonly view?: CsrView };
  /** The root to sign again. */
  readonly root: { readonly text: string; readonly view?: CertificateView };
  /** The common name of the CA; undefined to use the one in the CSR. */
  readonly name: string | undefined;
  readonly ttl: string;
  /** Lifetime of a certificate that is signed as its CSR requests; empty for the default. */
  readonly leafTtl: string;
  readonly below: string;
  readonly fromCsr: boolean;
  readonly limits: ConstraintInput;
  /** Whether the user has agreed to sign without the checks of a role. */
  readonly isConfirmed: boolean;
}

/** A signed certificate and its issuers in PEM. */
export interface SignedFile {
  readonly kind: SigningKind;
  readonly name: string;
  readonly certificate: string;
  readonly chain: readonly string[];
  readonly warnings: readonly string[];
}

/** Returns the common name of the CA whose CSR is signed. */
export const nameIn = ({ name, csr }: SigningInput): string =>
  (name ?? csr.view?.commonName ?? "").trim();

async function signCa(one: Authority, input: SigningInput): Promise<SignedFile> {
  const { csr, fromCsr, ttl, below, limits } = input;
  const name = nameIn(input);
  const { data, warnings } = await call(signIntermediate, {
    issuer_ref: one.record.issuer_id,
    csr: csr.text,
    ...(fromCsr ? { use_csr_values: true } : { common_name: name, exclude_cn_from_sans: true }),
    ttl,
    max_path_length: Number(below),
    ...constraintsFrom(limits),
  });
  const { certificate, ca_chain: chain = [] } = data;
  return {
    kind: "ca",
    name: fromCsr ? (csr.view?.title ?? name) : name,
    certificate,
    chain,
    warnings,
  };
}

async function signAsRequested(
  one: Authority,
  { csr, leafTtl }: SigningInput,
): Promise<SignedFile> {
  const { data, warnings } = await call(signVerbatim, {
    path_ref: one.record.issuer_id,
    csr: csr.text,
    ...(leafTtl !== "" && { ttl: leafTtl }),
  });
  const { certificate, ca_chain: chain = [] } = data;
  return { kind: "verbatim", name: csr.view?.title ?? "certificate", certificate, chain, warnings };
}

async function signRoot(one: Authority, { root }: SigningInput): Promise<SignedFile> {
  const { data, warnings } = await call(signSelfIssuedWith, {
    issuer_ref: one.record.issuer_id,
    certificate: root.view?.pem ?? root.text,
  });
  const { certificate, issuing_ca: issuer } = data;
  const name = root.view?.title ?? "root";
  return { kind: "self-issued", name, certificate, chain: [issuer], warnings };
}

/** Signs the CSR or the root in the form. */
export const signFile = (
  one: Authority,
  kind: SigningKind,
  input: SigningInput,
): Promise<SignedFile> =>
  kind === "ca"
    ? signCa(one, input)
    : kind === "verbatim"
      ? signAsRequested(one, input)
      : signRoot(one, input);
