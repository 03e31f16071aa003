import { joinWithOr } from "../../base/choice.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError, malformed } from "../../base/errors.ts";
import { importOnce } from "../../base/memo.ts";
import { truncateForMessage } from "../../base/names.ts";
import { decodePem } from "../../base/pem.ts";
import { isCa, parseCertificate } from "../../x509/certificate.ts";
import { attestationPlaces, type AcmeConfig } from "../rows/config.ts";

/** Rejects invalid attestation settings, and settings with which no device could attest. */
export async function checkAttestation(
  acme: AcmeConfig,
  changes: Readonly<Partial<Record<keyof AcmeConfig, unknown>>>,
): Promise<void> {
  for (const field of rootFields) if (changes[field] !== undefined) checkRoots(field, acme[field]);
  if (changes.attestation_crls !== undefined) await checkCrls(acme.attestation_crls);
  if (changes.attestation_devices !== undefined) checkDevices(acme.attestation_devices);
  if (changes.attestation_names !== undefined) checkPlaces(acme.attestation_names);
  const setsRoots = [...rootFields, "challenge_types" as const].some(
    (field) => changes[field] !== undefined,
  );
  const isOffered = acme.challenge_types.includes("device-attest-01");
  if (setsRoots && isOffered && rootFields.every((field) => acme[field] === ""))
    throw malformed(`device-attest-01 requires ${joinWithOr(rootFields)}`);
}
/** The fields that contain the trust anchors, one for each attestation format. */
const rootFields = ["attestation_apple_roots", "attestation_tpm_roots"] as const;

/** Maximum number of trust anchors per attestation format. */
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
      throw malformed(`${field}: block ${at + 1} is not a CA certificate`);
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

/** Maximum number of CRLs, and maximum number of characters in all CRLs together. */
const [maxCrls, maxCrlText] = [50, 1024 * 1024];
async function checkCrls(pem: string): Promise<void> {
  if (pem === "") return;
  if (pem.length > maxCrlText)
    throw malformed(`attestation_crls has ${pem.length} characters; the maximum is ${maxCrlText}`);
  const { length } = await parsedCrls(pem);
  if (length === 0 || length > maxCrls)
    throw malformed(`attestation_crls: expected 1 to ${maxCrls} CRLs in PEM, got ${length}`);
}
/** Imports the CRL parser only if a configuration has CRLs. */
const attestationCrls = importOnce(() => import("../attestation/attestation-crls.ts"));
async function parsedCrls(pem: string) {
  const { parseAttestationCrls } = await attestationCrls();
  try {
    return parseAttestationCrls(pem);
  } catch (error) {
    if (error instanceof CaError) throw malformed(`attestation_crls: ${error.message}`);
    throw error;
  }
}
/**
 * Returns a warning for each attestation CRL that has expired. Attestations with certificates on an
 * expired CRL are still rejected, but newer revocations are unknown. `now` is in Unix milliseconds.
 */
export async function expiredCrls(
  { attestation_crls: pem }: AcmeConfig,
  now: number,
): Promise<readonly string[]> {
  if (pem === "") return [];
  return (await parsedCrls(pem)).flatMap(({ crl: { nextUpdate } }, at) =>
    nextUpdate === undefined || nextUpdate * 1000 >= now
      ? []
      : [
          `attestation_crls: CRL ${at + 1} expired on ${rfc3339(nextUpdate)}; replace it to reject certificates that have been revoked since then`,
        ],
  );
}

/** Maximum number of device globs. */
const maxDevices = 1000;
function checkDevices(globs: readonly string[]): void {
  if (globs.length > maxDevices)
    throw malformed(
      `attestation_devices has ${globs.length} entries; the maximum is ${maxDevices}. Use entries with *, or bindings with allowed_identifiers`,
    );
}
function checkPlaces(places: readonly string[]): void {
  const unknown = places.find((place) => !attestationPlaces.some((one) => one === place));
  if (unknown !== undefined)
    throw malformed(
      `attestation_names: expected some of ${attestationPlaces.join(", ")}, got ${truncateForMessage(unknown)}`,
    );
}
