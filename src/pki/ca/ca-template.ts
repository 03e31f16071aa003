import { CaError } from "../../base/errors.ts";
import { extKeyUsageOrder, keyUsageName } from "../../x509/usage.ts";
import { isConstraintDomain, isConstraintMail } from "../../x509/name-constraints.ts";
import { parseCidr } from "../../x509/address.ts";
import { type NameRequest, freeNames } from "../leaf/certificate-fields.ts";
import {
  purposesOf,
  subjectOf,
  type NameSets,
  type SubjectValues,
  type Template,
} from "../request/template.ts";
import type { Validity } from "../issuer/validity.ts";

interface Constraints {
  readonly permitted_dns_domains: readonly string[];
  readonly excluded_dns_domains: readonly string[];
  readonly permitted_ip_ranges: readonly string[];
  readonly excluded_ip_ranges: readonly string[];
  readonly permitted_email_addresses: readonly string[];
  readonly excluded_email_addresses: readonly string[];
  readonly permitted_uri_domains: readonly string[];
  readonly excluded_uri_domains: readonly string[];
}
/** The values that describe a CA certificate. */
interface CaRequest
  extends Omit<NameRequest, "user_ids" | "serial_number">, SubjectValues, Constraints {
  readonly serial_number: string | readonly string[];
  readonly kind: "root" | "intermediate";
  readonly spki: Uint8Array;
  readonly validity: Validity;
  readonly pathLength: number | undefined;
  readonly key_usage: readonly string[];
  readonly ext_key_usage?: readonly string[];
  readonly ext_key_usage_oids?: readonly string[];
}

/**
 * Returns the template of a CA certificate. No role restricts its names. Its key usages are
 * CertSign and CRLSign, and DigitalSignature if requested (A 3.3).
 */
export function caTemplate(request: CaRequest): Template {
  const digital = request.key_usage.some((name) => keyUsageName(name) === "DigitalSignature");
  const constraints = constraintsOf(request);
  return {
    kind: request.kind,
    subject: subjectOf(request, request.common_name, request.serial_number),
    names: freeNames(request),
    ...request.validity,
    spki: request.spki,
    keyUsage: [...(digital ? ["DigitalSignature"] : []), "CertSign", "CRLSign"],
    extKeyUsage: [
      ...new Set([
        ...extKeyUsageOrder(request.ext_key_usage ?? []),
        ...purposesOf(request.ext_key_usage_oids ?? []),
      ]),
    ],
    basicConstraints: {
      ca: true,
      ...(request.pathLength === undefined ? {} : { pathLength: request.pathLength }),
    },
    ...(constraints ? { constraints } : {}),
  };
}

/**
 * Returns the path length constraint of a new CA, or undefined for no limit (D 3). A requested -1
 * means one less than the issuer's constraint, or no limit if the issuer has none or the CA is a
 * root. Throws `malformed` if `requested` is less than -1, and `constraint` if the issuer does not
 * permit the value.
 */
export function pathLengthOf(
  requested: number,
  signers: number | undefined,
  root = false,
): number | undefined {
  if (requested < -1)
    throw new CaError("malformed", `max_path_length must be -1 or more, got ${requested}`);
  if (root || signers === undefined) return requested === -1 ? undefined : requested;
  if (signers === 0)
    throw new CaError(
      "constraint",
      "signing certificate has a max path length of zero, and cannot issue further CA certificates",
    );
  if (requested === -1) return signers - 1;
  if (requested >= signers)
    throw new CaError(
      "constraint",
      `max_path_length ${requested} must be less than that of the signing certificate, which is ${signers}`,
    );
  return requested;
}

/**
 * Parses the name constraints of a CA (RFC 5280 section 4.2.1.10). Throws `malformed` for a
 * constraint that clients would not understand, because they would accept names that the constraint
 * was meant to exclude.
 */
function constraintsOf(
  request: Constraints,
): { readonly permitted: NameSets; readonly excluded: NameSets } | undefined {
  const setsOf = (side: "permitted" | "excluded"): NameSets => ({
    dns: constraintDomains(request, `${side}_dns_domains`, isConstraintDomain, aDomain),
    ip: constraintDomains(
      request,
      `${side}_ip_ranges`,
      (text) => parseCidr(text) !== undefined,
      "an IP range in CIDR form",
    ),
    email: constraintDomains(
      request,
      `${side}_email_addresses`,
      isConstraintMail,
      "a valid email constraint: use me@example.com, example.com or .example.com",
    ),
    uri: constraintDomains(request, `${side}_uri_domains`, isConstraintDomain, aDomain),
  });
  const [permitted, excluded] = [setsOf("permitted"), setsOf("excluded")];
  const count = [...Object.values(permitted), ...Object.values(excluded)].flat().length;
  return count ? { permitted, excluded } : undefined;
}
const aDomain =
  "a valid domain constraint: use example.com, or .example.com for the names under it";
function constraintDomains(
  request: Constraints,
  field: keyof Constraints,
  isAllowed: (entry: string) => boolean,
  type: string,
): readonly string[] {
  const entries = request[field].filter((entry) => entry !== "");
  const stray = entries.find((entry) => !isAllowed(entry));
  if (stray !== undefined)
    throw new CaError(
      "malformed",
      `the value ${JSON.stringify(stray.slice(0, 64))} is not ${type}`,
    );
  return entries;
}
