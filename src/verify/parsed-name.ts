import { tryRead } from "../base/try-read.ts";
import { nameText, parseName } from "../x509/name.ts";
import { nameOid } from "../x509/oid.ts";
import type { ParsedNames } from "../x509/san.ts";

/** A distinguished name, as in the subject and the issuer. */
export interface DistinguishedName {
  /**
   * The name for display (RFC 4514), last attribute first, such as `CN=www.example.com,O=Example`.
   */
  readonly text: string;
  /** Values of the common names, in order. */
  readonly commonNames: readonly string[];
  /** All attributes, in the order of the encoding. */
  readonly attributes: readonly {
    /** Object identifier of the attribute. */
    readonly oid: string;
    /** Value of the attribute. */
    readonly value: string;
  }[];
  /** DER-encoded Name. */
  readonly der: Uint8Array;
}

/** Parses a Name. Throws `CaError` `malformed`. */
export function parseDistinguishedName(der: Uint8Array): DistinguishedName {
  const attributes = parseName(der)
    .flat()
    .map(({ oid, value }) => ({ oid, value }));
  const common = attributes.filter(({ oid }) => oid === nameOid.commonName);
  return {
    text: nameText(der),
    commonNames: common.map(({ value }) => value),
    attributes,
    der,
  };
}

/** Returns the text of a Name for messages, even if it cannot be parsed. */
export const nameForMessage = (der: Uint8Array): string =>
  (tryRead(() => nameText(der)) ?? "an unreadable name") || "an empty name";

/** The subject alternative names by kind, in order. */
export interface AlternativeNames {
  /** DNS names, which may contain wildcards. */
  readonly dns: readonly string[];
  /** IP addresses: IPv4 in dotted decimal, IPv6 as in RFC 5952. */
  readonly ip: readonly string[];
  /** Email addresses (rfc822Name). */
  readonly email: readonly string[];
  /** URIs (uniformResourceIdentifier). */
  readonly uri: readonly string[];
  /** Windows user principal names. */
  readonly upn: readonly string[];
  /** The otherNames whose value is a UTF8String, except user principal names. */
  readonly other: readonly {
    /** Object identifier of the otherName type. */
    readonly oid: string;
    /** Value of the otherName. */
    readonly value: string;
  }[];
  /** Directory names. */
  readonly directory: readonly DistinguishedName[];
  /**
   * Descriptions of names that have no text form, such as `otherName 1.2.3`, `registeredID 1.2.3`
   * and `x400Address`.
   */
  readonly unreadable: readonly string[];
}

const userPrincipalName = "1.3.6.1.4.1.311.20.2.3";

/** Returns parsed names with user principal names as a separate kind. */
export function alternativeNames(names: ParsedNames): AlternativeNames {
  const { dns, ip, email, uri, other, directory, unreadable } = names;
  return {
    dns,
    ip,
    email,
    uri,
    upn: other.filter(({ oid }) => oid === userPrincipalName).map(({ value }) => value),
    other: other.filter(({ oid }) => oid !== userPrincipalName),
    directory: directory.map(parseDistinguishedName),
    unreadable,
  };
}
