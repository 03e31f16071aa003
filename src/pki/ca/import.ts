import { issuersConfig, urlsConfig } from "../rows/settings.ts";
import {
  issuersById,
  keysById,
  keys,
  type IssuerRow,
  type KeyId,
  type KeyRow,
} from "../rows/records.ts";
import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { PrivateKey } from "../../keys/read.ts";
import { algorithmName, isWeakAlgorithm } from "../../x509/public-key.ts";
import { listOrNull, secret, texts } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { issuerRow, issuerRows } from "../issuer/new-issuer.ts";
import { hasAddresses, noUrls } from "../issuer/urls.ts";
import { configureCrls } from "../crl/crl-schedule.ts";
import type { IssuerCase } from "./issuer-change.ts";
import { importedKey, linkedIssuers, withKey } from "./key-import.ts";
import { crlIdsOf, revokedBelow } from "./revoked-issuers.ts";
import { keyRows, keyWithSpki } from "./mount-keys.ts";
import { readArchive, readBundle, type Bundle } from "./pem-bundle.ts";
import { setSignedFields } from "./set-signed-fields.ts";

const importReply = {
  imported_issuers: listOrNull.required("IDs of the new issuers."),
  imported_keys: listOrNull.required("IDs of the new keys."),
  existing_issuers: listOrNull.required("IDs of the issuers in the import that already existed."),
  existing_keys: listOrNull.required("IDs of the keys in the import that already existed."),
  mapping: texts.required(
    "Key ID of each issuer, by issuer ID; empty if the mount does not have the key.",
  ),
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
  audits: { always: true },
  at: ["POST /intermediate/set-signed"],
  doc: "Imports CA certificates as issuers. An issuer can sign if the mount has its key.",
  body: setSignedFields,
  run: (mount, input, caller) =>
    importPem(mount, oneOf(input.certificate, input.pem_bundle), false, caller),
});

export const importCertificates = endpoint({
  ...importing,
  id: "importCertificates",
  at: ["POST /issuers/import/cert"],
  doc: "Imports CA certificates as issuers. Private keys are rejected.",
  body: {
    pem_bundle: secret.default(
      "",
      "CA certificates, PEM; PKCS#7 blocks (`PKCS7` or `CMS`) are also accepted.",
    ),
    certificate: secret.alias("pem_bundle"),
  },
  run: (mount, input, caller) =>
    importPem(mount, oneOf(input.certificate, input.pem_bundle), false, caller),
});

export const importBundle = endpoint({
  ...importing,
  id: "importBundle",
  at: ["POST /issuers/import/bundle", "POST /config/ca"],
  doc: "Imports CA certificates as issuers, together with private keys. Ignores CRLs, EC parameters, and text between the blocks.",
  body: {
    pem_bundle: secret.default(
      "",
      "CA certificates and private keys, PEM, in any order. PKCS#7 blocks (`PKCS7` or `CMS`) are accepted for certificates.",
    ),
    certificate: secret.alias("pem_bundle"),
    pkcs12: secret.default(
      "",
      "PKCS#12 archive to import instead of `pem_bundle`: base64, at most 1 MiB, protected by a MAC.",
    ),
    pkcs12_password: secret.default("", "Password for `pkcs12`."),
  },
  refuses: ["malformed", "bad_certificate", "bad_key"],
  run: async (mount, input, caller) => {
    if (input.pkcs12 === "")
      return importPem(mount, oneOf(input.certificate, input.pem_bundle), true, caller);
    if (input.certificate || input.pem_bundle !== "")
      throw new CaError(
        "malformed",
        "pkcs12 cannot be combined with pem_bundle or certificate: send only one of them",
      );
    return importIssuers(mount, await readArchive(input.pkcs12, input.pkcs12_password), caller);
  },
});

const importPem = async (mount: Mount, pem: string, keysAllowed: boolean, caller: Caller) =>
  importIssuers(mount, await readBundle(pem, keysAllowed), caller);

function importIssuers(mount: Mount, bundle: Bundle, caller: Caller) {
  return configureCrls(mount, caller, (config, caller) =>
    importAll({ mount, config, caller }, bundle),
  );
}

function oneOf(certificate = "", bundle = ""): string {
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

async function importAll({ mount, config, caller }: IssuerCase, bundle: Bundle) {
  const { newKeys, existingKeys } = await importKeys(mount, config, bundle.keys);
  const all = [...config.get(keysById).values(), ...newKeys];
  const linked = new Map(linkedIssuers(config, newKeys).map((row) => [row.id, row]));
  const imported: IssuerRow[] = [];
  const existing = new Map<string, IssuerRow>();
  for (const certificate of bundle.certificates) {
    const same = (row: IssuerRow) => equalBytes(row.der, certificate.der);
    const match = [...config.get(issuersById).values()].find(same);
    if (match) existing.set(match.id, linked.get(match.id) ?? match);
    else if (!imported.some(same))
      imported.push(
        await issuerRow(mount, certificate.der, {
          name: "",
          ...withKey(keyWithSpki(all, certificate.spki)),
          revocation_signature_algorithm: "",
        }),
      );
    if (isWeakAlgorithm(certificate.algorithm))
      caller.reply.warn(
        `A certificate is signed with ${algorithmName(certificate.algorithm)}: no chain is built through that signature.`,
      );
  }
  const changed = [...imported, ...linked.values()];
  const able = imported.filter((row) => row.key_id !== "");
  const rows = changed.length
    ? await issuerRows(mount, config, changed, able.length === 1 ? able[0]?.id : undefined)
    : [];
  warnOfDefaults(config, able, rows, caller);
  const ids = (list: readonly string[]) => (list.length ? list : null);
  const mapped = [...imported, ...existing.values()];
  const reply = {
    imported_issuers: ids(imported.map((row) => row.id)),
    imported_keys: ids(newKeys.map((key) => key.id)),
    existing_issuers: ids([...existing.keys()]),
    existing_keys: ids([...new Set(existingKeys)]),
    mapping: Object.fromEntries(mapped.map((row) => [row.id, row.key_id])),
  };
  const below = await revokedBelow(mount, config, changed);
  const sets = changed.filter((row) => row.key_id !== "").map((row) => row.crl_set);
  const crlIds = [...new Set([...sets, ...crlIdsOf(below)])];
  const put = [...keyRows(config, newKeys), ...rows, ...below.put];
  return {
    reply,
    crlIds,
    ...(put.length ? { batch: { put, append: below.append } } : {}),
  };
}

async function importKeys(mount: Mount, config: Snapshot, read: readonly PrivateKey[]) {
  const newKeys: KeyRow[] = [];
  const existingKeys: KeyId[] = [];
  for (const key of read) {
    const match = keyWithSpki(config.get(keysById).values(), key.spki);
    if (match) existingKeys.push(match.id);
    else if (!keyWithSpki(newKeys, key.spki)) newKeys.push(await importedKey(mount, key, ""));
  }
  return { newKeys, existingKeys };
}

function warnOfDefaults(
  config: Snapshot,
  withKey: readonly IssuerRow[],
  rows: readonly (readonly [string, unknown])[],
  caller: Caller,
): void {
  if (withKey.length > 1 && config.get(issuersConfig).default_follows_latest_issuer)
    caller.reply.warn(
      "Default issuer left unchanged: it follows the latest issuer only if exactly one new issuer with a key is imported, but there were several.",
    );
  else if (withKey.length > 1 && rows.some(([key]) => key === keys.config("issuers")))
    caller.reply.warn(
      "Several new issuers with keys were imported, and one of them became the default issuer; if it is the wrong one, choose another with config/issuers.",
    );
  if (!hasAddresses(config.get(urlsConfig))) caller.reply.warn(noUrls);
  const defaultIssuer = config.get(issuersById).get(config.get(issuersConfig).default);
  if (
    defaultIssuer &&
    defaultIssuer.key_id === "" &&
    !rows.some(([key]) => key === keys.config("issuers"))
  )
    caller.reply.warn(
      "The default issuer has no key: it can neither issue certificates nor sign CRLs.",
    );
}
