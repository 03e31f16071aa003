import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { decodePem, encodePem, type PemBlock } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import { readMislabelledKeyBlock, type PrivateKey } from "../../keys/read.ts";
import { keys, type IssuerRow, type KeyId, type KeyRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { algorithmName, isWeakAlgorithm } from "../../x509/algorithm.ts";
import { isCa, parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { parseName } from "../../x509/name.ts";
import { parsePublicKey } from "../../x509/spki.ts";
import { listOrNull, map, secret } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { rebuildNow } from "../revocation/crl-rebuild.ts";
import { sealKey } from "./ca-key.ts";
import { keyRows, keyWithSpki } from "./mount-keys.ts";
import { linkedIssuers } from "./keys.ts";
import { noUrls } from "../issuer/urls.ts";
import { issuerRow, issuerRows } from "../issuer/new-issuer.ts";
import { revokedBelow } from "./issuer-revoke.ts";

const importReply = {
  imported_issuers: listOrNull.required("Ids of the issuers that are new."),
  imported_keys: listOrNull.required("Ids of the keys that are new."),
  existing_issuers: listOrNull.required("Ids of the issuers that were here."),
  existing_keys: listOrNull.required("Ids of the keys that were here."),
  mapping: map.required("The key of each issuer, or empty."),
} as const;

const importing = {
  access: "token",
  style: envelope,
  reply: importReply,
  refuses: ["malformed", "bad_certificate"],
} as const;

export const setSigned = endpoint({
  ...importing,
  id: "setSigned",
  at: ["POST /intermediate/set-signed"],
  doc: "Takes CA certificates as issuers; one whose key the mount holds can sign from then on.",
  body: {
    certificate: secret.default("", "CA certificates, PEM."),
    pem_bundle: secret.default("", "The same."),
  },
  run: (ca, input, caller) =>
    takeBundle(ca, oneOf(input.certificate, input.pem_bundle), false, caller),
});

export const importCertificates = endpoint({
  ...importing,
  id: "importCertificates",
  at: ["POST /issuers/import/cert"],
  doc: "Takes CA certificates as issuers. Private keys are refused.",
  body: {
    pem_bundle: secret.default("", "CA certificates, PEM."),
    certificate: secret.default("", "The same."),
  },
  run: (ca, input, caller) =>
    takeBundle(ca, oneOf(input.certificate, input.pem_bundle), false, caller),
});

export const importBundle = endpoint({
  ...importing,
  id: "importBundle",
  at: ["POST /issuers/import/bundle", "POST /config/ca"],
  doc: "Takes CA certificates as issuers, and their private keys. Text between the blocks, CRLs and EC parameters are passed over.",
  body: {
    pem_bundle: secret.default("", "CA certificates and private keys, PEM, in any order."),
    certificate: secret.default("", "The same."),
  },
  refuses: ["malformed", "bad_certificate", "bad_key"],
  run: (ca, input, caller) =>
    takeBundle(ca, oneOf(input.certificate, input.pem_bundle), true, caller),
});

async function takeBundle(ca: Mount, pem: string, keysAllowed: boolean, caller: Caller) {
  const bundle = await readBundle(pem, keysAllowed);
  const { reply, sets } = await ca.configure((config) => importAll(ca, config, bundle, caller), {
    exact: true,
  });
  await rebuildNow(ca, caller, sets);
  return reply;
}

function oneOf(certificate: string, bundle: string): string {
  if (certificate === "" && bundle === "")
    throw new CaError("malformed", "'pem_bundle' and 'certificate' parameters were empty");
  if (certificate !== "" && bundle !== "")
    throw new CaError("malformed", "'pem_bundle' and 'certificate' parameters were both provided");
  const pem = certificate || bundle;
  if (pem.length < 75)
    throw new CaError(
      "malformed",
      "provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file",
    );
  return pem;
}

interface Bundle {
  readonly certificates: readonly Certificate[];
  readonly keys: readonly PrivateKey[];
}
const passedOver: ReadonlySet<string> = new Set(["CRL", "X509 CRL", "EC PARAMS", "EC PARAMETERS"]);
const certificateLabels: ReadonlySet<string> = new Set(["CERTIFICATE", "X509 CERTIFICATE"]);

/**
 * The CA certificates and keys of a PEM text; whatever is neither certificate, CRL nor EC
 * parameters is taken for a key (A 3.6).
 */
async function readBundle(pem: string, keysAllowed: boolean): Promise<Bundle> {
  const all = blocksOf(pem);
  if (all.length === 0)
    throw new CaError("malformed", "error when parsing block 0: invalid PEM data");
  const blocks = all.filter((block) => !passedOver.has(block.label));
  const keyBlocks = blocks.filter((block) => !certificateLabels.has(block.label));
  if (keyBlocks.length > 0 && !keysAllowed)
    throw new CaError(
      "malformed",
      "private keys found in the PEM bundle but not allowed by the path; use /issuers/import/bundle",
    );
  const read: PrivateKey[] = [];
  for (const [i, block] of keyBlocks.entries()) read.push(await readKeyBlock(block, i));
  return {
    keys: read,
    certificates: blocks.filter((block) => certificateLabels.has(block.label)).map(readIssuer),
  };
}
async function readKeyBlock(block: PemBlock, i: number): Promise<PrivateKey> {
  try {
    return await readMislabelledKeyBlock(block);
  } catch (error) {
    if (error instanceof CaError)
      throw new CaError("bad_key", `Error parsing key ${i}: ${error.message}`);
    throw error;
  }
}
/**
 * The blocks of a bundle. Text before and between them is passed over; text behind the last is a
 * block that cannot be read (A 3.6 rule 3).
 */
function blocksOf(pem: string): readonly PemBlock[] {
  const undecodable = (block: number, why: string) =>
    new CaError("malformed", `error when parsing block ${block}: invalid PEM data${why}`);
  let blocks: readonly PemBlock[];
  try {
    blocks = decodePem(pem);
  } catch (error) {
    const [, number = "1", why = ""] =
      /^PEM block (\d+): (.*)$/s.exec(error instanceof Error ? error.message : "") ?? [];
    throw undecodable(Number(number) - 1, `: ${why}`);
  }
  const last = pem.lastIndexOf("-----END ");
  const behind = last < 0 ? pem : pem.slice(pem.indexOf("-----", last + 9) + 5);
  if (behind.trim() !== "") throw undecodable(blocks.length, "");
  return blocks;
}
function readIssuer({ der }: PemBlock, i: number): Certificate {
  let certificate: Certificate;
  let ca: boolean;
  try {
    certificate = parseCertificate(der);
    parsePublicKey(certificate.spki);
    // they become the issuer's name in all it signs
    for (const name of [certificate.subject, certificate.issuer]) parseName(name);
    ca = isCa(certificate);
  } catch (error) {
    throw new CaError(
      "bad_certificate",
      `Error parsing issuer ${i}: ${error instanceof Error ? error.message : ""}`,
    );
  }
  if (!ca)
    throw new CaError(
      "bad_certificate",
      `Error parsing issuer ${i}: Refusing to import non-CA certificate\n${encodePem("CERTIFICATE", der)}`,
    );
  return certificate;
}

async function importAll(ca: Mount, config: Snapshot, bundle: Bundle, caller: Caller) {
  const { newKeys, heldKeys } = await importKeys(ca, config, bundle.keys);
  const all = [...config.keys.values(), ...newKeys];
  const linked = new Map(linkedIssuers(config, newKeys).map((row) => [row.id, row]));
  const imported: IssuerRow[] = [];
  const existing = new Map<string, IssuerRow>();
  for (const certificate of bundle.certificates) {
    const same = (row: IssuerRow) => equalBytes(row.der, certificate.der);
    const held = [...config.issuers.values()].find(same);
    if (held) existing.set(held.id, linked.get(held.id) ?? held);
    else if (!imported.some(same))
      imported.push(
        await issuerRow(ca, certificate.der, {
          name: "",
          key_id: keyWithSpki(all, certificate.spki)?.id ?? "",
          revocation_signature_algorithm: "",
        }),
      );
    if (isWeakAlgorithm(certificate.algorithm))
      caller.warn(
        `A certificate is signed with ${algorithmName(certificate.algorithm)}: no chain is built through that signature.`,
      );
  }
  const changed = [...imported, ...linked.values()];
  const withKey = imported.filter((row) => row.key_id !== "");
  const rows = changed.length
    ? await issuerRows(ca, config, changed, withKey.length === 1 ? withKey[0]?.id : undefined)
    : [];
  warnOfDefaults(config, withKey, rows, caller);
  const ids = (list: readonly string[]) => (list.length ? list : null);
  const mapped = [...imported, ...existing.values()];
  const reply = {
    imported_issuers: ids(imported.map((row) => row.id)),
    imported_keys: ids(newKeys.map((key) => key.id)),
    existing_issuers: ids([...existing.keys()]),
    existing_keys: ids([...new Set(heldKeys)]),
    mapping: Object.fromEntries(mapped.map((row) => [row.id, row.key_id])),
  };
  const sets = [...new Set(changed.filter((row) => row.key_id !== "").map((row) => row.crl_set))];
  const below = await revokedBelow(ca, config, changed);
  const put = [...keyRows(config, newKeys), ...rows, ...below.put];
  return {
    reply: { reply, sets },
    ...(put.length ? { batch: { put, append: below.append } } : {}),
  };
}

async function importKeys(ca: Mount, config: Snapshot, read: readonly PrivateKey[]) {
  const newKeys: KeyRow[] = [];
  const heldKeys: KeyId[] = [];
  for (const key of read) {
    const held = keyWithSpki(config.keys.values(), key.spki);
    if (held) heldKeys.push(held.id);
    else if (!keyWithSpki(newKeys, key.spki))
      newKeys.push(await sealKey(ca, config.mount.uuid, "", key));
  }
  return { newKeys, heldKeys };
}

function warnOfDefaults(
  config: Snapshot,
  withKey: readonly IssuerRow[],
  rows: readonly (readonly [string, unknown])[],
  caller: Caller,
): void {
  if (withKey.length > 1 && config.issuersConfig.default_follows_latest_issuer)
    caller.warn(
      "Default issuer left unchanged: several new issuers with keys were imported, and the default follows the latest only when there is one.",
    );
  else if (withKey.length > 1 && rows.some(([key]) => key === keys.config("issuers")))
    caller.warn(
      "Several new issuers with keys were imported and one of them became the default; choose another with config/issuers if it is the wrong one.",
    );
  const { urls } = config;
  if (
    urls.issuing_certificates.length +
      urls.crl_distribution_points.length +
      urls.ocsp_servers.length ===
    0
  )
    caller.warn(noUrls);
  const held = config.issuers.get(config.issuersConfig.default);
  if (held && held.key_id === "" && !rows.some(([key]) => key === keys.config("issuers")))
    caller.warn(
      "The default issuer has no key: issuing and signing of CRLs are not possible with it.",
    );
}
