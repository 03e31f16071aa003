import { tryRead } from "../../base/try-read.ts";
import { each, integer, readDer, sequence } from "../../base/der.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { ApprovedLeaf } from "../../pki/leaf/leaf.ts";
import type { SigningRequest } from "../../pki/request/request.ts";
import { findExtension } from "../../x509/certificate.ts";
import type { Extension } from "../../x509/extension.ts";
import { extensionOid } from "../../x509/oid.ts";
import { extKeyUsageName, readExtKeyUsage } from "../../x509/usage.ts";

type CsrRequest = Pick<SigningRequest, "csr">;

/**
 * TLS features that require the server to staple OCSP responses: status_request and
 * status_request_v2.
 */
const stapling: readonly number[] = [5, 17];

/**
 * Returns a TLS feature extension (RFC 7633) with the stapling features that a CSR requests, or
 * undefined if it requests none.
 */
export function tlsFeatureOf({ csr }: CsrRequest): Extension | undefined {
  const extension = findExtension(csr, extensionOid.tlsFeature);
  const requested = extension && tryRead(() => readFeatures(extension.value));
  const features = stapling.filter((feature) => requested?.includes(feature));
  return features.length === 0
    ? undefined
    : {
        oid: extensionOid.tlsFeature,
        // the extension is not critical (RFC 7633 section 4.1)
        critical: false,
        value: sequence(...features.map(integer)),
      };
}
function readFeatures(value: Uint8Array): readonly number[] {
  const features: number[] = [];
  each(readDer(value, "TLS feature").enter("Features"), (list) => {
    features.push(list.number("a feature"));
  });
  return features;
}

/**
 * Returns warnings about extended key usages and TLS features that the CSR requests but the
 * certificate will not have (B 5.9). Such a CSR is not rejected.
 */
export const omissionsOf = (request: CsrRequest, leaf: ApprovedLeaf): readonly string[] => [
  ...omittedPurposes(request, leaf.profile.extKeyUsage),
  ...omittedFeatures(request, leaf.own.extra ?? []),
];

function omittedPurposes({ csr }: CsrRequest, issued: readonly string[]): readonly string[] {
  const extension = findExtension(csr, extensionOid.extKeyUsage);
  if (!extension) return [];
  const requested = tryRead(() => readExtKeyUsage(extension.value));
  if (!requested)
    return [
      "the extended key usages of the CSR cannot be parsed and were omitted from the certificate",
    ];
  const omitted = [...new Set(requested)].filter((oid) => !issued.includes(oid));
  return omitted.length === 0
    ? []
    : [
        `extended key usages of the CSR that were omitted: ${joinNames(omitted.map(nameOf))}; the certificate has ${joinNames(issued.map(nameOf)) || "none"}`,
      ];
}
const nameOf = (oid: string): string => extKeyUsageName(oid) ?? truncateForMessage(oid);

function omittedFeatures({ csr }: CsrRequest, issued: readonly Extension[]): readonly string[] {
  const extension = findExtension(csr, extensionOid.tlsFeature);
  if (!extension) return [];
  const requested = tryRead(() => readFeatures(extension.value));
  if (!requested)
    return [
      "the TLS feature extension of the CSR cannot be parsed and was omitted from the certificate",
    ];
  const own = findExtension({ extensions: issued }, extensionOid.tlsFeature);
  const included = own ? readFeatures(own.value) : [];
  const omitted = [...new Set(requested)].filter((feature) => !included.includes(feature));
  return omitted.length === 0
    ? []
    : [`TLS features of the CSR that were omitted: ${joinNames(omitted.map(String))}`];
}

/** Maximum number of items in a warning. It is limited because the order stores the warning. */
const maxListed = 10;
const joinNames = (names: readonly string[]): string =>
  names.length <= maxListed
    ? names.join(", ")
    : `${names.slice(0, maxListed).join(", ")} and ${names.length - maxListed} more`;
