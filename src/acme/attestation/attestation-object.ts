import { decodeCBOR } from "@levischuck/tiny-cbor";
import { truncateForMessage } from "../../base/names.ts";
import { badAttestation, type AttestationStatement } from "./format.ts";

/** A parsed attestation object (WebAuthn section 6.5.4); `authData` has no meaning in ACME. */
interface AttestationObject {
  readonly format: string;
  readonly statement: AttestationStatement;
}

/**
 * Parses an attestation object. Rejects duplicate keys, indefinite lengths and trailing bytes.
 */
export function parseAttestationObject(bytes: Uint8Array): AttestationObject {
  const members = mapOf(decoded(bytes), "the attestation object");
  const format = members.get("fmt");
  if (typeof format !== "string") throw badAttestation("the attestation object has no fmt");
  return { format, statement: mapOf(members.get("attStmt"), "attStmt") };
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return decodeCBOR(bytes);
  } catch (error) {
    // the decoder throws plain errors and platform errors, and deep nesting exhausts the stack
    const why = error instanceof Error ? truncateForMessage(error.message) : "unreadable";
    throw badAttestation(`the attestation object is not valid CBOR: ${why}`);
  }
}

function mapOf(value: unknown, what: string): AttestationStatement {
  if (!(value instanceof Map)) throw badAttestation(`${what} is not a map`);
  for (const key of value.keys())
    if (typeof key !== "string") throw badAttestation(`${what} has a key that is not a string`);
  // the loop has checked that all keys are strings
  return value as AttestationStatement;
}

/** Returns a member that must be a byte string. */
export function bytesIn(statement: AttestationStatement, name: string): Uint8Array {
  const value = statement.get(name);
  if (value instanceof Uint8Array) return value;
  throw badAttestation(`${name} is not a byte string`);
}

/**
 * Maximum number of certificates in a statement. Real chains have two to four. Each certificate may
 * be tried as the issuer of every other, so the number of signature checks grows quadratically.
 */
const maxCertificates = 5;
/** Returns the certificates in `x5c` as DER, the attestation certificate first. */
export function certificatesIn(
  statement: AttestationStatement,
): readonly [Uint8Array, ...Uint8Array[]] {
  const value: unknown = statement.get("x5c");
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const certificates = list.filter((one) => one instanceof Uint8Array);
  const [first, ...rest] = certificates;
  if (!first || certificates.length !== list.length || list.length > maxCertificates)
    throw badAttestation(`x5c is not a list of 1 to ${maxCertificates} certificates`);
  return [first, ...rest];
}
