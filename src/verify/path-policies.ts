import { each, readDer, type Reader } from "../base/der.ts";
import { checkSkipped, readCertificatePolicies } from "../x509/policies.ts";
import { extensionOid } from "../x509/oid.ts";

/** The object identifier of anyPolicy, which represents every policy. */
export const anyPolicy = "2.5.29.32.0";

/**
 * The policy extensions of a certificate. Each number states how many certificates may follow
 * before the constraint applies.
 */
export interface PathPolicies {
  /** Certificate policies, or undefined if there is no such extension. */
  readonly oids: readonly string[] | undefined;
  /** Pairs of the issuer's and the subject's policy. */
  readonly mappings: readonly (readonly [issuer: string, subject: string])[];
  readonly requireExplicit: number;
  readonly inhibitMapping: number;
  readonly inhibitAny: number;
}

function readMappings(value: Uint8Array): PathPolicies["mappings"] {
  const mappings: (readonly [string, string])[] = [];
  each(readDer(value, "policy mappings").enter("PolicyMappings"), (list) => {
    const mapping = list.enter("a mapping");
    mappings.push([mapping.oid("the issuer's policy"), mapping.oid("the subject's policy")]);
    mapping.end();
  });
  return mappings;
}

function readPolicyConstraints(value: Uint8Array) {
  const body = readDer(value, "policy constraints").enter("PolicyConstraints");
  if (body.tag === undefined) throw body.refuse("is empty");
  const count = (what: string, tag: number): number =>
    body.tag === tag ? skipped(body, what, tag) : Infinity;
  const requireExplicit = count("requireExplicitPolicy", 0x80);
  const inhibitMapping = count("inhibitPolicyMapping", 0x81);
  body.end();
  return { requireExplicit, inhibitMapping };
}

function skipped(reader: Reader, what: string, tag: number): number {
  checkSkipped(readDer(reader.peek(what), what), what, tag);
  return reader.number(what, tag);
}

/** Parses the policy extensions. `value` returns the parsed value of an extension. */
export function readPathPolicies(
  value: <T>(oid: string, read: (value: Uint8Array) => T) => T | undefined,
): PathPolicies {
  const constraints = value(extensionOid.policyConstraints, readPolicyConstraints);
  return {
    oids: value(extensionOid.certificatePolicies, readDistinctPolicies),
    mappings: value(extensionOid.policyMappings, readMappings) ?? [],
    requireExplicit: constraints?.requireExplicit ?? Infinity,
    inhibitMapping: constraints?.inhibitMapping ?? Infinity,
    inhibitAny:
      value(extensionOid.inhibitAnyPolicy, (bytes) =>
        skipped(readDer(bytes, "inhibit any policy"), "the number", 0x02),
      ) ?? Infinity,
  };
}

function readDistinctPolicies(value: Uint8Array): readonly string[] {
  const oids = readCertificatePolicies(value);
  const reader = readDer(value, "certificate policies");
  if (oids.length === 0) throw reader.refuse("is empty");
  if (new Set(oids).size < oids.length) throw reader.refuse("contains the same policy twice");
  return oids;
}
