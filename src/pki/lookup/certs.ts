import { colonHex } from "../../base/bytes.ts";
import { parseSerial } from "../../base/ids.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { rfc3339nano } from "../../base/duration.ts";
import { rowPrefixes, keys, storedPki } from "../rows/records.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { readAuthorityKeyIdentifier } from "../../x509/key-identifiers.ts";
import { extensionOid } from "../../x509/oid.ts";
import { instant, int, list, text } from "../../wire/field.ts";
import { importOnce } from "../../base/memo.ts";
import { logConfig } from "../../log/rows/records.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope, raw } from "../../wire/style.ts";
import { certificatePem } from "../issuer/output.ts";
import { pageFields, serialsBelow } from "../request/paging.ts";
import { refuseDamaged, storedCertificate } from "../issuer/stored-certificate.ts";

export const listCerts = endpoint({
  id: "listCerts",
  at: ["LIST /certs"],
  access: "token",
  style: envelope,
  doc: "Lists the serial numbers of all stored certificates.",
  body: pageFields,
  reply: { keys: list.required("Sorted serial numbers, hexadecimal octets separated by colons.") },
  refuses: ["not_found"],
  run: async (mount, input) => ({
    keys: await serialsBelow(mount.store, rowPrefixes.certs, input),
  }),
});

export const listRevoked = endpoint({
  id: "listRevoked",
  at: ["LIST /certs/revoked"],
  access: "token",
  style: envelope,
  doc: "Lists the serial numbers of all revoked certificates.",
  body: pageFields,
  reply: { keys: list.required("Sorted serial numbers, hexadecimal octets separated by colons.") },
  refuses: ["not_found"],
  run: async (mount, input) => ({
    keys: await serialsBelow(mount.store, rowPrefixes.revoked, input),
  }),
});

/** Loads the code for transparency logs, which only mounts with a log need. */
const logged = importOnce(() => import("../../log/certificate-proof.ts"));

export const readCert = endpoint({
  id: "readCert",
  at: ["GET /cert/:serial"],
  access: "open",
  style: envelope,
  doc: "Reads a stored certificate and its revocation status.",
  body: {},
  reply: {
    certificate: text.required("Certificate, PEM."),
    revocation_time: instant.required("Time of revocation, Unix seconds; 0 if not revoked."),
    revocation_time_rfc3339: text.required("Time of revocation, RFC 3339; empty if not revoked."),
    issuer_id: text.optional("ID of the issuer; present only if the certificate is revoked."),
    authority_key_id: text.optional(
      "Authority key identifier of the certificate, hexadecimal with colons.",
    ),
    log_index: int.optional(
      "Index of the certificate's entry in the mount's log, if the log is enabled and the caller may read it.",
    ),
    log_entry: text.optional("The log entry: DER, base64."),
    log_proof: text.optional(
      "Inclusion proof of the log entry, with the checkpoint (C2SP tlog-proof).",
    ),
  },
  refuses: ["not_found", "damaged"],
  run: async (mount, input, caller) => {
    const serial = parseSerial(input.serial);
    const [row, revocation] = serial
      ? await mount.store.get([keys.cert(serial), keys.revoked(serial)])
      : [];
    if (!serial || !row) throw new CaError("not_found", "");
    const cert = storedPki.cert(row.value);
    refuseDamaged(cert, serial);
    const revoked = revocation && storedPki.revoked(revocation.value);
    const config = await mount.config();
    const { enabled } = config.get(logConfig);
    return {
      certificate: certificatePem(cert.der),
      revocation_time: revoked ? Math.floor(revoked.at / 1000) : 0,
      revocation_time_rfc3339: revoked ? rfc3339nano(revoked.at) : "",
      ...(revoked?.issuer ? { issuer_id: revoked.issuer } : {}),
      ...authorityKeyOf(cert.der),
      ...(enabled &&
        (await (await logged()).logMembers(mount, config, caller, { ...cert, serial }))),
    };
  },
});

function authorityKeyOf(der: Uint8Array): { readonly authority_key_id?: string } {
  try {
    const { extensions } = parseCertificate(der);
    const authorityKeyId = extensions.find(
      ({ oid }) => oid === extensionOid.authorityKeyIdentifier,
    );
    const id = authorityKeyId && readAuthorityKeyIdentifier(authorityKeyId.value);
    return id ? { authority_key_id: colonHex(id) } : {};
  } catch (error) {
    // a certificate that was presented for revocation may contain anything
    if (error instanceof CaError) return {};
    throw error;
  }
}

export const readCertRaw = endpoint({
  id: "readCertRaw",
  at: ["GET /cert/:serial/raw"],
  access: "open",
  style: raw,
  doc: "Reads a stored certificate as DER.",
  body: {},
  reply: {},
  refuses: ["damaged"],
  run: async (mount, input) => {
    const der = await derOf(mount, input.serial);
    return der && { type: "application/pkix-cert", bytes: der };
  },
});

export const readCertPem = endpoint({
  id: "readCertPem",
  at: ["GET /cert/:serial/raw/pem"],
  access: "open",
  style: raw,
  doc: "Reads a stored certificate as PEM.",
  body: {},
  reply: {},
  refuses: ["damaged"],
  run: async (mount, input) => {
    const der = await derOf(mount, input.serial);
    return der && { type: "application/pem-certificate-chain", bytes: certificatePem(der) };
  },
});

async function derOf(mount: Mount, text: string): Promise<Uint8Array | undefined> {
  const serial = parseSerial(text);
  return serial && (await storedCertificate(mount, serial))?.value.der;
}
