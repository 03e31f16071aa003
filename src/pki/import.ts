import { equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { decodePem, type PemBlock } from "../base/pem.ts";
import type { Engine } from "../engine.ts";
import type { IssuerRow, KeyId } from "../records.ts";
import type { Snapshot } from "../snapshot.ts";
import { algorithmName, isWeakAlgorithm } from "../x509/algorithm.ts";
import { isCa, parseCertificate, type Certificate } from "../x509/certificate.ts";
import { parsePublicKey } from "../x509/spki.ts";
import { listOrNull, map, secret } from "../wire/field.ts";
import { endpoint, type Caller } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { rebuildNow } from "./crl.ts";
import { certificateOf } from "./issuer.ts";
import { issuerRow, issuerRows } from "./newissuer.ts";
import { isPrivateKeyLabel } from "../keys/read.ts";

const importReply = {
  imported_issuers: listOrNull.required("Ids of the issuers that are new."),
  imported_keys: listOrNull.required("Ids of the keys that are new."),
  existing_issuers: listOrNull.required("Ids of the issuers that were here."),
  existing_keys: listOrNull.required("Ids of the keys that were here."),
  mapping: map.required("The key of each issuer, or empty."),
} as const;

export const setSigned = endpoint({
  id: "setSigned",
  at: ["POST /intermediate/set-signed"],
  access: "token",
  style: envelope,
  doc: "Takes CA certificates as issuers; one whose key the mount holds can sign from then on.",
  body: { certificate: secret.default("", "CA certificates, PEM."), pem_bundle: secret.default("", "The same.") },
  reply: importReply,
  refuses: ["malformed", "bad_certificate"],
  run: async (ca, input, caller) => {
    const pem = oneOf(input.certificate, input.pem_bundle);
    const certificates = readCertificates(pem);
    const { reply, sets } = await ca.configure((config) => importIssuers(ca, config, certificates, caller), { exact: true });
    await rebuildNow(ca, caller, sets);
    return reply;
  },
});

function oneOf(certificate: string, bundle: string): string {
  if (certificate === "" && bundle === "") throw new CaError("malformed", "'pem_bundle' and 'certificate' parameters were empty");
  if (certificate !== "" && bundle !== "") throw new CaError("malformed", "'pem_bundle' and 'certificate' parameters were both provided");
  const pem = certificate || bundle;
  if (pem.length < 75)
    throw new CaError("malformed", "provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file");
  return pem;
}

/** The CA certificates of a PEM text (details A 3.6). Keys are refused here. */
function readCertificates(pem: string): readonly Certificate[] {
  const blocks = blocksOf(pem);
  if (blocks.length === 0) throw new CaError("malformed", "error when parsing block 0: invalid PEM data");
  if (blocks.some((block) => isPrivateKeyLabel(block.label)))
    throw new CaError("malformed", "private keys found in the PEM bundle but not allowed by the path; use /issuers/import/bundle");
  return blocks.filter((block) => block.label === "CERTIFICATE" || block.label === "X509 CERTIFICATE").map(readIssuer);
}
function blocksOf(pem: string): readonly PemBlock[] {
  try {
    return decodePem(pem);
  } catch (error) {
    throw new CaError("malformed", `error when parsing block: invalid PEM data: ${error instanceof Error ? error.message : ""}`);
  }
}
function readIssuer({ der }: PemBlock, i: number): Certificate {
  let certificate: Certificate;
  let ca: boolean;
  try {
    certificate = parseCertificate(der);
    parsePublicKey(certificate.spki);
    ca = isCa(certificate);
  } catch (error) {
    throw new CaError("bad_certificate", `Error parsing issuer ${i}: ${error instanceof Error ? error.message : ""}`);
  }
  if (!ca) throw new CaError("bad_certificate", `Error parsing issuer ${i}: Refusing to import non-CA certificate`);
  return certificate;
}

async function importIssuers(ca: Engine, config: Snapshot, certificates: readonly Certificate[], caller: Caller) {
  const imported: IssuerRow[] = [];
  const existing = new Set<string>();
  const mapping: Record<string, string> = {};
  for (const certificate of certificates) {
    const same = (row: IssuerRow) => equalBytes(certificateOf(row).der, certificate.der);
    const held = [...config.issuers.values()].find(same) ?? imported.find(same);
    const row = held ?? (await issuerRow(ca, certificate.der, keyFor(config, certificate), "", ""));
    if (held && config.issuers.has(held.id)) existing.add(held.id);
    else if (!held) imported.push(row);
    mapping[row.id] = row.key_id;
    if (isWeakAlgorithm(certificate.algorithm))
      caller.warn(`The certificate of issuer ${row.id} is signed with ${algorithmName(certificate.algorithm)}: no chain is built through that signature.`);
  }
  const withKey = imported.filter((row) => row.key_id !== "");
  const rows = imported.length ? await issuerRows(ca, config, imported, withKey.length === 1 ? withKey[0]?.id : undefined) : [];
  if (withKey.length > 1 && config.issuersConfig.default_follows_latest_issuer)
    caller.warn("Default issuer left unchanged: several new issuers with keys were imported, and the default follows the latest only when there is one.");
  const ids = (list: readonly string[]) => (list.length ? list : null);
  const existingKeys = [...new Set([...existing].map((id) => mapping[id] ?? "").filter((id) => id !== ""))];
  const reply = {
    imported_issuers: ids(imported.map((row) => row.id)),
    imported_keys: null,
    existing_issuers: ids([...existing]),
    existing_keys: ids([...new Set([...existingKeys, ...withKey.map((row) => row.key_id)])]),
    mapping,
  };
  const sets = [...new Set(withKey.map((row) => row.crl_set))];
  return { reply: { reply, sets }, ...(rows.length ? { batch: { put: rows } } : {}) };
}

/** The key of the mount that a certificate is for. */
function keyFor(config: Snapshot, certificate: Certificate): KeyId | "" {
  for (const key of config.keys.values()) if (equalBytes(key.spki, certificate.spki)) return key.id;
  return "";
}
