import { octets, readDer, sequence } from "../base/der.ts";
import type { Extension } from "./extension.ts";
import { extensionOid } from "./oid.ts";
import { checkNames, readNames } from "./san.ts";

/** Returns a SubjectKeyIdentifier extension. */
export const subjectKeyIdentifier = (identifier: Uint8Array): Extension => ({
  oid: extensionOid.subjectKeyIdentifier,
  critical: false,
  value: octets(identifier),
});

/** Parses a SubjectKeyIdentifier value. */
export const readSubjectKeyIdentifier = (value: Uint8Array): Uint8Array =>
  readDer(value, "subject key identifier").octets("the identifier");

/** Returns an AuthorityKeyIdentifier extension that contains only the key identifier. */
export const authorityKeyIdentifier = (identifier: Uint8Array): Extension => ({
  oid: extensionOid.authorityKeyIdentifier,
  critical: false,
  value: sequence(octets(identifier, 0x80)),
});

/**
 * Returns the key identifier in an AuthorityKeyIdentifier value, or undefined if the value has
 * none.
 */
export function readAuthorityKeyIdentifier(value: Uint8Array): Uint8Array | undefined {
  const body = readDer(value, "authority key identifier").enter("AuthorityKeyIdentifier");
  const identifier = body.tag === 0x80 ? body.content("the identifier", 0x80) : undefined;
  const issuer = body.optional("the issuer", 0xa1);
  if (issuer) readNames(issuer);
  if (body.tag === 0x82) body.unsigned("the serial number", 0x82);
  body.end();
  return identifier;
}

/**
 * Rejects an AuthorityKeyIdentifier value that has only one of issuer and serial number (RFC 5280
 * section 4.2.1.1).
 */
export function checkAuthorityKeyIdentifier(value: Uint8Array): void {
  readAuthorityKeyIdentifier(value);
  const body = readDer(value, "authority key identifier").enter("AuthorityKeyIdentifier");
  body.optional("the identifier", 0x80);
  const issuer = body.optional("the issuer", 0xa1);
  if (issuer) checkNames(issuer);
  if ((issuer === undefined) !== (body.tag === undefined))
    throw body.refuse(
      "has only one of authorityCertIssuer and authorityCertSerialNumber, which must both be present or both be absent",
    );
}
