import { listForm, serialForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { rfc3339 } from "../../base/duration.ts";
import { parseSerial, serialText } from "../../base/ids.ts";
import { rowPrefixes, keys, storedPki } from "../rows/records.ts";
import { withNormalForm, list, text, textsOrNulls } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { certificatePem } from "../issuer/output.ts";
import { serialsBelow } from "../request/paging.ts";
import { refuseDamaged } from "../issuer/stored-certificate.ts";

export const readCertMetadata = endpoint({
  id: "readCertMetadata",
  at: ["GET /cert-metadata/:serial"],
  access: "token",
  style: envelope,
  doc: "Reads the metadata stored with a certificate.",
  body: {},
  reply: {
    issuer_id: text.required("ID of the issuer."),
    expiration: text.required("End of the validity period (notAfter), RFC 3339."),
    cert_metadata: text.optional("Stored metadata, base64."),
    role: text.required("Name of the role, or empty if none was used."),
    serial_number: text.required("Serial number: hexadecimal octets separated by colons."),
  },
  refuses: ["not_found"],
  run: async (mount, input) => {
    const serial = parseSerial(input.serial);
    const [row] = serial ? await mount.store.get([keys.metadata(serial)]) : [];
    if (!row || !serial) throw new CaError("not_found", "");
    const metadata = storedPki.metadata(row.value);
    return {
      issuer_id: metadata.issuer,
      expiration: rfc3339(metadata.not_after),
      ...(metadata.value === undefined ? {} : { cert_metadata: metadata.value }),
      role: metadata.role,
      serial_number: serialText(serial),
    };
  },
});

export const listCertMetadata = endpoint({
  id: "listCertMetadata",
  at: ["LIST /cert-metadata"],
  access: "token",
  style: envelope,
  doc: "Lists the serial numbers of the certificates that have metadata.",
  body: {},
  reply: { keys: list.required("Sorted serial numbers, hexadecimal octets separated by colons.") },
  refuses: ["not_found"],
  run: async (mount) => ({
    keys: await serialsBelow(mount.store, rowPrefixes.metadata, { after: "", limit: 0 }),
  }),
});

/** Maximum number of certificates per request. */
const batchLimit = 1000;

export const readCertBatch = endpoint({
  id: "readCertBatch",
  at: ["POST /batch/certs"],
  trims: true,
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Reads up to 1000 stored certificates.",
  body: {
    serial_numbers: withNormalForm(list, listForm(serialForm)).default(
      [],
      "Serial numbers of the certificates to read.",
    ),
  },
  reply: {
    certificates: textsOrNulls.required(
      "PEM certificates by serial number, as written in the request; null if the certificate is not stored.",
    ),
  },
  refuses: ["malformed", "damaged"],
  run: async (mount, input) => {
    if (input.serial_numbers.length === 0)
      throw new CaError("malformed", "serial_numbers must contain at least one serial number");
    if (input.serial_numbers.length > batchLimit)
      throw new CaError(
        "malformed",
        `serial_numbers contains more than ${batchLimit} serial numbers`,
      );
    const serials = input.serial_numbers.map((serial) => [serial, parseSerial(serial)] as const);
    const certificateKeys = serials.flatMap(([, serial]) => (serial ? [keys.cert(serial)] : []));
    const rows = await mount.store.get(certificateKeys);
    const certificates = new Map(
      certificateKeys.map((key, i) => [key, rows[i] && storedPki.cert(rows[i].value)]),
    );
    const pem = (serial: Uint8Array | undefined) => {
      const row = serial && certificates.get(keys.cert(serial));
      if (!row) return null;
      refuseDamaged(row, serial);
      return certificatePem(row.der);
    };
    return {
      certificates: Object.fromEntries(
        serials.map(([requestedSerial, serial]) => [requestedSerial, pem(serial)]),
      ),
    };
  },
});
