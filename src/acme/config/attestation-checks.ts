import { joinWithOr } from "../../base/choice.ts";
import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import { decodePem } from "../../base/pem.ts";
import { isCa, parseCertificate } from "../../x509/certificate.ts";
import { attestationPlaces, type AcmeConfig } from "../rows/config.ts";

const malformed = (why: string): CaError => new CaError("malformed", why);

/** Rejects settings with which no device can attest. */
export function checkAttestation(
  acme: AcmeConfig,
  given: Readonly<Partial<Record<keyof AcmeConfig, unknown>>>,
): void {
  for (const field of rootFields) if (given[field] !== undefined) checkRoots(field, acme[field]);
  if (given.attestation_devices !== undefined) checkDevices(acme.attestation_devices);
  if (given.attestation_names !== undefined) checkPlaces(acme.attestation_names);
  const setsRoots = [...rootFields, "challenge_types" as const].some(
    (field) => given[field] !== undefined,
  );
  const isOffered = acme.challenge_types.includes("device-attest-01");
  if (setsRoots && isOffered && rootFields.every((field) => acme[field] === ""))
    throw malformed(`device-attest-01 requires ${joinWithOr(rootFields)}`);
}
/** The fields with the trusted certificates of a format. */
const rootFields = ["attestation_apple_roots", "attestation_tpm_roots"] as const;

/** Maximum number of trusted certificates for each format. */
const maxRoots = 50;
function checkRoots(field: string, pem: string): void {
  if (pem === "") return;
  const blocks = blocksIn(field, pem);
  if (blocks.length === 0 || blocks.length > maxRoots)
    throw malformed(
      `${field}: expected 1 to ${maxRoots} certificates in PEM, got ${blocks.length}`,
    );
  for (const [at, { label, der }] of blocks.entries())
    if (label !== "CERTIFICATE" || !isCaCertificate(field, der))
      throw malformed(`${field}: block ${at + 1} is not the certificate of a CA`);
}
function blocksIn(field: string, pem: string): ReturnType<typeof decodePem> {
  try {
    return decodePem(pem);
  } catch {
    throw malformed(`${field}: expected certificates in PEM`);
  }
}
function isCaCertificate(field: string, der: Uint8Array): boolean {
  try {
    return isCa(parseCertificate(der));
  } catch (error) {
    if (error instanceof CaError) throw malformed(`${field}: ${error.message}`);
    throw error;
  }
}

/** Maximum number of globs of devices. */
const maxDevices = 1000;
function checkDevices(globs: readonly string[]): void {
  if (globs.length > maxDevices)
    throw malformed(
      `attestation_devices has ${globs.length} entries; the maximum is ${maxDevices}. Use * in them, or bindings with allowed_identifiers`,
    );
}
function checkPlaces(places: readonly string[]): void {
  const unknown = places.find((place) => !attestationPlaces.some((one) => one === place));
  if (unknown !== undefined)
    throw malformed(
      `attestation_names: expected some of ${attestationPlaces.join(", ")}, got ${truncateForMessage(unknown)}`,
    );
}
