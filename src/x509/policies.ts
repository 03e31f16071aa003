import type { Bytes } from "../base/bytes.ts";
import {
  absentPart,
  ia5String,
  oid,
  readDer,
  sequence,
  tlv,
  tlvOf,
  utf8String,
  type Reader,
  each,
} from "../base/der.ts";
import { memoizeExtension, type Extension } from "./extension.ts";
import { checkName } from "./name.ts";
import { extensionOid, otherOid } from "./oid.ts";
import { readAscii } from "./san.ts";

/** A policy with its qualifiers. */
export interface Policy {
  readonly oid: string;
  /** URL of the certification practice statement. */
  readonly cps?: string;
  /** Text of a user notice. */
  readonly notice?: string;
}

function policyInformation(policy: string | Policy): Bytes {
  if (typeof policy === "string") return sequence(oid(policy));
  const qualifiers = [
    ...(policy.cps ? [sequence(oid(otherOid.policyCps), ia5String(policy.cps))] : []),
    ...(policy.notice
      ? [sequence(oid(otherOid.policyNotice), sequence(utf8String(policy.notice)))]
      : []),
  ];
  return sequence(oid(policy.oid), qualifiers.length > 0 ? tlvOf(0x30, qualifiers) : absentPart);
}

/**
 * Returns a CertificatePolicies extension with the policies in the given order, each with its CPS
 * before its notice. Returns undefined if there are no policies.
 */
export const certificatePolicies = (
  policies: readonly (string | Policy)[],
): Extension | undefined =>
  policies.length === 0
    ? undefined
    : memoizeExtension(["policies", policies], () => ({
        oid: extensionOid.certificatePolicies,
        critical: false,
        value: tlvOf(0x30, policies.map(policyInformation)),
      }));

/** Parses the object identifiers in a CertificatePolicies value. */
export function readCertificatePolicies(value: Uint8Array): readonly string[] {
  const list = readDer(value, "certificate policies").enter("CertificatePolicies");
  const oids: string[] = [];
  while (list.tag !== undefined) oids.push(list.enter("a policy").oid("its identifier"));
  return oids;
}

/**
 * Tags of the text in a notice: IA5String, VisibleString, BMPString or UTF8String (RFC 5280 section
 * 4.2.1.4).
 */
const displayText: ReadonlySet<number | undefined> = new Set([0x0c, 0x16, 0x1a, 0x1e]);

function checkText(reader: Reader, what: string): void {
  const { tag, content } = reader.element(what);
  if (!displayText.has(tag)) throw reader.refuse(`${what} is not a text string`);
  // checked like an attribute value in a name, which has the same string types
  checkName(sequence(tlv(0x31, sequence(oid("2.5.4.3"), tlv(tag, content)))));
}

function checkNotice(qualifier: Reader): void {
  const notice = qualifier.enter("a notice");
  const reference = notice.optional("a reference", 0x30);
  if (reference) {
    checkText(reference, "the organization");
    const numbers = reference.enter("the numbers");
    while (numbers.tag !== undefined) numbers.integer("a number");
    reference.end();
  }
  if (notice.tag !== undefined) checkText(notice, "the text");
  notice.end();
}

/** Rejects a CertificatePolicies value that cannot be parsed. Throws `CaError` `malformed`. */
export function checkPolicies(value: Uint8Array): void {
  const seen = new Set<string>();
  each(readDer(value, "certificate policies").enter("CertificatePolicies"), (list) => {
    const policy = list.enter("a policy");
    const id = policy.oid("its identifier");
    if (seen.has(id)) throw policy.refuse(`duplicate policy ${id}`);
    seen.add(id);
    const qualifiers = policy.optional("the qualifiers", 0x30);
    if (qualifiers)
      each(qualifiers, () => {
        const qualifier = qualifiers.enter("a qualifier");
        const type = qualifier.oid("its type");
        if (type === otherOid.policyCps) readAscii(qualifier, "the address", 0x16);
        else if (type === otherOid.policyNotice) checkNotice(qualifier);
        else throw qualifier.refuse(`the type ${type} is unknown`);
        qualifier.end();
      });
    policy.end();
  });
}

const anyPolicy = "2.5.29.32.0";

/** Rejects a PolicyMappings value that cannot be parsed. Throws `CaError` `malformed`. */
export function checkPolicyMappings(value: Uint8Array): void {
  each(readDer(value, "policy mappings").enter("PolicyMappings"), (list) => {
    const mapping = list.enter("a mapping");
    const policies = [mapping.oid("the issuer's policy"), mapping.oid("the subject's policy")];
    mapping.end();
    if (policies.includes(anyPolicy)) throw mapping.refuse("anyPolicy cannot be mapped");
  });
}

/**
 * Maximum number of certificates to skip (SkipCerts). Other parsers reject larger values, and no
 * path is that long.
 */
const maxSkipped = 2 ** 31 - 1;

/**
 * Rejects a number of certificates to skip in a path (SkipCerts) if it is too large. Throws
 * `CaError` `malformed`.
 */
export function checkSkipped(reader: Reader, what: string, tag: number): void {
  if (reader.number(what, tag) > maxSkipped) throw reader.refuse(`${what} is too large`);
}

/** Rejects a PolicyConstraints value that cannot be parsed. Throws `CaError` `malformed`. */
export function checkPolicyConstraints(value: Uint8Array): void {
  const body = readDer(value, "policy constraints").enter("PolicyConstraints");
  if (body.tag === undefined) throw body.refuse("is empty");
  if (body.tag === 0x80) checkSkipped(body, "requireExplicitPolicy", 0x80);
  if (body.tag === 0x81) checkSkipped(body, "inhibitPolicyMapping", 0x81);
  body.end();
}
