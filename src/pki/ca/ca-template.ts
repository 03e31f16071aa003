import { CaError } from "../../base/errors.ts";
import { extKeyUsageOrder, keyUsageName } from "../../x509/usage.ts";
import { parseCidr } from "../../x509/san.ts";
import { freeNames, type NameRequest } from "../leaf/role.ts";
import { purposesOf, subjectOf, type NameSets, type SubjectValues, type Template } from "../request/template.ts";
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
/** What describes a CA certificate. */
export interface CaRequest extends Omit<NameRequest, "user_ids">, SubjectValues, Constraints {
  readonly kind: "root" | "intermediate";
  readonly spki: Uint8Array;
  readonly validity: Validity;
  readonly pathLength: number | undefined;
  readonly key_usage: readonly string[];
  readonly ext_key_usage?: readonly string[];
  readonly ext_key_usage_oids?: readonly string[];
}

/** The template of a CA certificate: names free of any role, CertSign and CRLSign, and DigitalSignature where it is asked for (A 3.3). */
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
    extKeyUsage: [...new Set([...extKeyUsageOrder(request.ext_key_usage ?? []), ...purposesOf(request.ext_key_usage_oids ?? [])])],
    basicConstraints: { ca: true, ...(request.pathLength === undefined ? {} : { pathLength: request.pathLength }) },
    ...(constraints ? { constraints } : {}),
  };
}

/** The path length of a new CA: -1, sent or not, is no limit, or one less than the signer's (D 3). */
export function pathLengthOf(asked: number, signers: number | undefined, root = false): number | undefined {
  if (asked < -1) throw new CaError("malformed", `max_path_length ${asked} is below -1`);
  if (root || signers === undefined) return asked === -1 ? undefined : asked;
  if (signers === 0) throw new CaError("constraint", "signing certificate has a max path length of zero, and cannot issue further CA certificates");
  if (asked === -1) return signers - 1;
  if (asked >= signers) throw new CaError("constraint", `max_path_length ${asked} is not below the signing certificate's, which is ${signers}`);
  return asked;
}

function constraintsOf(request: Constraints): { readonly permitted: NameSets; readonly excluded: NameSets } | undefined {
  const kept = (list: readonly string[]) => list.filter((entry) => entry !== "");
  const permitted = {
    dns: kept(request.permitted_dns_domains),
    ip: ranges(kept(request.permitted_ip_ranges)),
    email: kept(request.permitted_email_addresses),
    uri: kept(request.permitted_uri_domains),
  };
  const excluded = {
    dns: kept(request.excluded_dns_domains),
    ip: ranges(kept(request.excluded_ip_ranges)),
    email: kept(request.excluded_email_addresses),
    uri: kept(request.excluded_uri_domains),
  };
  for (const list of [permitted.dns, permitted.email, permitted.uri, excluded.dns, excluded.email, excluded.uri])
    for (const entry of list)
      if (!/^[\x21-\x7e]+$/.test(entry)) throw new CaError("malformed", `the name constraint ${JSON.stringify(entry.slice(0, 100))} is not ASCII`);
  const count = [...Object.values(permitted), ...Object.values(excluded)].flat().length;
  return count ? { permitted, excluded } : undefined;
}
function ranges(list: readonly string[]): readonly string[] {
  for (const range of list) if (!parseCidr(range)) throw new CaError("malformed", `the value "${range.slice(0, 64)}" is not an IP range in CIDR form`);
  return list;
}
