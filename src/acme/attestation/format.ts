import { CaError } from "../../base/errors.ts";
import type { DeviceName } from "../../x509/device-name.ts";
import type { AcmeConfig } from "../rows/config.ts";

/** The settings in `config/acme` for attestations. */
export type AttestationConfig = Pick<
  AcmeConfig,
  "attestation_apple_roots" | "attestation_tpm_roots" | "attestation_crls" | "attestation_devices"
>;

/** An attestation statement: its CBOR members by name. */
export type AttestationStatement = ReadonlyMap<string, unknown>;

/** The data against which a statement is verified. */
export interface StatementContext {
  /** The token of the challenge. */
  readonly token: string;
  /** The key authorization: token and thumbprint of the account's key (RFC 8555 section 8.1). */
  readonly keyAuthorization: string;
  /** Trust anchors, PEM. */
  readonly roots: string;
  /** CRLs, PEM; if empty, revocation is not checked. */
  readonly crls: string;
  /** The time of verification, Unix milliseconds. */
  readonly now: number;
}
/** The claims of a verified statement. */
export interface Evidence {
  /** The attested key, as a DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** All attested names of the device. */
  readonly names: readonly DeviceName[];
}

/**
 * An attestation statement format (WebAuthn section 8). Each format has its own file, and
 * `formats.ts` lists them.
 */
export interface AttestationFormat<Name extends string = string> {
  readonly name: Name;
  /** Returns the trust anchors (PEM), or an empty string if the format is not accepted. */
  roots(config: AttestationConfig): string;
  /**
   * Verifies a statement. Rejects with `bad_attestation_statement`, or with the CaError of a
   * parser.
   */
  verify(statement: AttestationStatement, context: StatementContext): Promise<Evidence>;
}

/** Returns the error for an attestation that is not acceptable. */
export const badAttestation = (why: string): CaError =>
  new CaError("bad_attestation_statement", why);
