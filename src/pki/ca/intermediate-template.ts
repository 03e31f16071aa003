import { equalBytes, fromHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { readAuthorityKeyIdentifier } from "../../x509/key-identifiers.ts";
import { readKeyUsage, keyUsageName } from "../../x509/usage.ts";
import { extensionOid, nameOid } from "../../x509/oid.ts";
import type { Extension } from "../../x509/extension.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import type { Validity } from "../issuer/validity.ts";
import { withheldOids, withoutWithheld, type WithheldOids } from "../leaf/verbatim-profile.ts";
import { refuseLongNames } from "../request/names.ts";
import { commonNamesOf, checkCommonNames, type Template } from "../request/template.ts";
import { failFast } from "../request/rule-checker.ts";
import { parseOtherName } from "../request/other-name.ts";
import type { SigningRequest } from "../request/request.ts";
import { refuseControlsOf, refuseMalformed, refuseUnreadable } from "../request/taken-over.ts";
import { caTemplate, pathLengthOf } from "./ca-template.ts";
import type { IntermediateCase } from "./intermediate-fields.ts";

/** Returns the template of the CA certificate that a request and its CSR describe. */
export function intermediateTemplate(
  it: IntermediateCase,
  request: SigningRequest,
  issuer: SigningIssuer,
  validity: Validity,
): Template {
  const { input, caller } = it;
  const pathLength = pathLengthOf(input.max_path_length, issuer.pathLength);
  if (pathLength === 0)
    caller.reply.warn(
      "Max path length of the signed certificate is zero. This certificate cannot be used to issue intermediate CA certificates.",
    );
  const { alt_names, serials } = partedNames(input.alt_names);
  const named = {
    ...input,
    common_name: input.common_name || request.commonName,
    alt_names,
    serial_number: [input.serial_number || request.subjectSerial, ...serials],
  };
  const template = caTemplate({
    ...named,
    kind: "intermediate",
    spki: request.csr.spki,
    validity,
    pathLength,
  });
  const withId = input.skid === "" ? template : { ...template, subjectKeyId: keyIdOf(input.skid) };
  const whole = input.use_csr_values ? copyFromCsr(withId, request, issuer, it) : withId;
  checkCommonNames({ caller, checker: failFast }, ...commonNamesOf(whole.subject));
  return whole;
}

/**
 * Separates alternative names from the subject serial numbers that `alt_names` may contain (A 9.1
 * rule 9).
 */
function partedNames(altNames: string) {
  const [names, serials]: [string[], string[]] = [[], []];
  for (const name of altNames.split(",")) {
    const other = parseOtherName(name);
    if (other?.oid === nameOid.serialNumber) serials.push(other.value);
    else names.push(name);
  }
  return { alt_names: names.join(","), serials };
}

/** Returns a copy of the template with the subject, names, key usages and extensions of the CSR. */
function copyFromCsr(
  template: Template,
  request: SigningRequest,
  issuer: SigningIssuer,
  { input, caller }: IntermediateCase,
): Template {
  refuseUnreadable(request);
  refuseControlsOf(request);
  refuseLongNames(request.names);
  refuseMalformed(request);
  refuseOtherSigner(request, issuer);
  const usage = request.csr.extensions.find((extension) => extension.oid === extensionOid.keyUsage);
  const added = usage ? readKeyUsage(usage.value) : [];
  const extra = grantedExtensions(request, caller).filter(
    ({ oid }) => isCopied(oid) && !(oid === extensionOid.subjectKeyIdentifier && input.skid !== ""),
  );
  if (template.constraints && extra.some(({ oid }) => oid === extensionOid.nameConstraints))
    caller.reply.warn("The name constraints of the request were replaced by those of the CSR.");
  return {
    ...template,
    subject: request.csr.subject,
    names: request.names,
    // the key usages in the CSR are added to those that every CA has (D 3)
    keyUsage: [
      ...new Set([
        ...template.keyUsage,
        ...added.filter((name) => keyUsageName(name) !== undefined),
      ]),
    ],
    extra,
  };
}

/**
 * Extensions and extended key usages that are not copied from a CSR to a CA certificate. With them,
 * the CA could sign OCSP responses for its issuer, or its certificate would have no revocation
 * status.
 */
const withheldFromCas: WithheldOids = {
  extensions: new Set<string>([extensionOid.ocspNoCheck, extensionOid.noRevAvail]),
  purposes: withheldOids.purposes,
};
/**
 * Returns the extensions of the CSR without those that are withheld, and warns about each withheld
 * extension. Throws `bad_csr` if this would remove all extended key usages, because a CA without
 * that extension is valid for every purpose.
 */
function grantedExtensions(
  request: SigningRequest,
  caller: Pick<Caller, "reply">,
): readonly Extension[] {
  const { extensions } = withoutWithheld(request, withheldFromCas, []).csr;
  const left = new Set(extensions.map(({ oid }) => oid));
  const purposes = request.csr.extensions.find(({ oid }) => oid === extensionOid.extKeyUsage);
  if (purposes && !left.has(extensionOid.extKeyUsage))
    throw new CaError(
      "bad_csr",
      "the CSR requests no extended key usage except OCSPSigning, which is not copied to a CA certificate",
    );
  if (purposes && !extensions.includes(purposes))
    caller.reply.warn(
      "The extended key usage OCSPSigning of the CSR was omitted: it would let this CA sign OCSP responses for its parent CA.",
    );
  for (const { oid } of request.csr.extensions)
    if (!left.has(oid)) caller.reply.warn(`The extension ${oid} of the CSR was omitted.`);
  return extensions;
}

/**
 * Extensions that are not copied, because they are set in another way or would be wrong in this
 * certificate.
 */
const notCopied = new Set<string>([
  extensionOid.basicConstraints,
  extensionOid.keyUsage,
  extensionOid.subjectAltName,
  extensionOid.ctPoison,
  extensionOid.authorityKeyIdentifier,
]);
/**
 * Throws `bad_csr` if the CSR contains an authority key identifier other than the issuer's, because
 * clients use it to build chains (A 9.1 rule 7).
 */
function refuseOtherSigner(request: SigningRequest, { keyId }: SigningIssuer): void {
  const named = request.csr.extensions.find(
    ({ oid }) => oid === extensionOid.authorityKeyIdentifier,
  );
  const id = named && readAuthorityKeyIdentifier(named.value);
  if (named && !(id && keyId && equalBytes(id, keyId)))
    throw new CaError(
      "bad_csr",
      "verification of parsed bundle failed: the authority key identifier in the CSR is not that of the signing CA",
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
