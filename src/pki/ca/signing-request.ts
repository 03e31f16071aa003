import { encodeCsrInfo } from "../../x509/csr.ts";
import { basicConstraints } from "../../x509/basic-constraints.ts";
import { keyUsage, keyUsageName } from "../../x509/usage.ts";
import { subjectAltName } from "../../x509/san.ts";
import { encodeName, isEmptyName } from "../../x509/name.ts";
import type { CaKey } from "./ca-key.ts";
import type { LoggedSigner, Signed } from "../../log/rows/signed.ts";
import { signDer, signLogged } from "../issuer/issuer.ts";
import { type NameRequest, freeNames } from "../leaf/certificate-fields.ts";
import { schemeFor } from "../request/scheme.ts";
import { subjectOf, type SubjectValues } from "../request/template.ts";

/** The contents of a CSR for a CA, except the key. */
interface CaCsrRequest extends Omit<NameRequest, "user_ids">, SubjectValues {
  readonly signature_bits: number;
  readonly use_pss: boolean;
  readonly key_usage: readonly string[];
  readonly add_basic_constraints: boolean;
}

/**
 * Creates a CSR for a key of the mount, signed with that key. Another CA can use the CSR to issue
 * an intermediate certificate or to cross-sign.
 */
export function signRequest(
  request: CaCsrRequest,
  key: CaKey,
  log: LoggedSigner["log"],
): Promise<Signed> {
  const names = freeNames(request);
  const usages = request.key_usage.map(keyUsageName).filter((usage) => usage !== undefined);
  const subject = encodeName(subjectOf(request, request.common_name, request.serial_number));
  const extensions = [
    subjectAltName(names, isEmptyName(subject), names.other.length ? "other-first" : "names-first"),
    request.add_basic_constraints ? basicConstraints(true) : undefined,
    usages.length ? keyUsage(usages) : undefined,
  ].filter((extension) => extension !== undefined);
  const info = encodeCsrInfo({ subject, spki: key.row.spki, extensions });
  const scheme = schemeFor(key.publicKey, request.signature_bits, request.use_pss);
  return signLogged({ signer: key.signer, log }, scheme, { type: "request" }, info);
}

/**
 * Creates a CSR (DER) without a subject for a new leaf key, signed with that key. It proves
 * possession of the key to an external policy service.
 */
export function signEmptyRequest({
  publicKey,
  signer,
}: Pick<CaKey, "publicKey" | "signer">): Promise<Uint8Array> {
  const { spki } = publicKey;
  const info = encodeCsrInfo({ subject: encodeName([]), spki, extensions: [] });
  return signDer(signer, schemeFor(publicKey, 0, false), info);
}
