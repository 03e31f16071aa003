import type { Caller } from "../../wire/endpoint.ts";
import { findExtension } from "../../x509/certificate.ts";
import { extensionOid } from "../../x509/oid.ts";
import { extKeyUsageName, isForCas, keyUsageName, readExtKeyUsage } from "../../x509/usage.ts";
import type { SigningRequest } from "../request/request.ts";
import { warnOfIgnored, warnOfIgnoredName, type NameRequest } from "./asked.ts";

interface Body extends Omit<NameRequest, "exclude_cn_from_sans"> {
  readonly key_usage: readonly string[];
  readonly path_ref?: string | undefined;
  readonly issuer_ref?: string | undefined;
}

/** Tells what of the body does not count: nothing that was asked for is dropped unsaid. */
export function warnOfBody(input: Body, caller: Pick<Caller, "warn">): void {
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

/** Extensions that have warnings of their own. */
const told: ReadonlySet<string> = new Set([
  extensionOid.basicConstraints,
  extensionOid.extKeyUsage,
]);
function purposesIn({ csr }: SigningRequest): readonly string[] {
  const found = findExtension(csr, extensionOid.extKeyUsage);
  return found ? readExtKeyUsage(found.value) : [];
}

/** Tells which extensions and purposes of the CSR are not copied; `copied`: the request without. */
export function warnOfExtensions(
  request: SigningRequest,
  copied: SigningRequest,
  caller: Pick<Caller, "warn">,
): void {
  const taken = new Set(copied.csr.extensions.map(({ oid }) => oid));
  const kept = new Set(purposesIn(copied));
  for (const oid of purposesIn(request).filter((one) => !kept.has(one)))
    caller.warn(
      `specified CSR asked for the extended key usage ${extKeyUsageName(oid) ?? oid}, which is given only where the role or ext_key_usage of the request names it`,
    );
  for (const { oid } of request.csr.extensions)
    if (!told.has(oid) && !taken.has(oid))
      caller.warn(`specified CSR contained the extension ${oid} that was ignored during issuance`);
  if (request.hasBasicConstraints)
    caller.warn(
      "specified CSR contained a Basic Constraints extension that was ignored during issuance",
    );
}
