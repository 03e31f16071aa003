import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import { parsePublicKey } from "../../x509/public-key.ts";
import type { AcmeIdentifier, AttestedKey } from "../rows/records.ts";
import { isAllowedDevice } from "./allowed-devices.ts";
import { parseAttestationObject } from "./attestation-object.ts";
import { badAttestation, type AttestationConfig, type Evidence } from "./format.ts";
import { findFormat } from "./formats.ts";
import { keyFingerprint } from "./key-fingerprint.ts";

/** The data against which an attestation is verified. */
interface AttestationContext {
  readonly identifier: AcmeIdentifier;
  readonly proof: { readonly token: string; readonly keyAuthorization: string };
  readonly config: AttestationConfig;
  /** The time of verification, Unix milliseconds. */
  readonly now: number;
}

/**
 * Verifies an attestation object (draft-ietf-acme-device-attest-09 section 5). Returns the attested
 * key of the device. Rejects with `bad_attestation_statement`.
 */
export async function verifyAttestation(
  object: Uint8Array,
  context: AttestationContext,
): Promise<AttestedKey> {
  try {
    return await attestedKey(object, context);
  } catch (error) {
    if (error instanceof CaError) throw badAttestation(error.message);
    throw error;
  }
}

async function attestedKey(
  object: Uint8Array,
  { identifier, proof, config, now }: AttestationContext,
): Promise<AttestedKey> {
  const { format: name, statement } = parseAttestationObject(object);
  const format = findFormat(name);
  const roots = format?.roots(config) ?? "";
  if (!format || roots === "")
    throw badAttestation(`the attestation format ${truncateForMessage(name)} is not accepted`);
  const { token, keyAuthorization } = proof;
  const { attestation_crls: crls } = config;
  const evidence = await format.verify(statement, { token, keyAuthorization, roots, crls, now });
  requireIdentifier(evidence, identifier);
  const ids = evidence.names.map(({ value }) => value);
  if (!isAllowedDevice(ids, config.attestation_devices))
    throw badAttestation("the device is not in attestation_devices of config/acme");
  return { format: format.name, key: keyFingerprint(parsePublicKey(evidence.spki)), ids };
}

function requireIdentifier({ names }: Evidence, { type, value }: AcmeIdentifier): void {
  if (names.length === 0) throw badAttestation("the attestation does not identify a device");
  if (!names.some((one) => one.type === type && one.value === value))
    throw badAttestation(
      `the attestation is not for the device with the ${type} ${truncateForMessage(value)}`,
    );
}
