import { respondersById, keys, type IssuerRow, type ResponderRow } from "../rows/records.ts";
import { keyAlgorithms, keyTypeDoc, keyTypes, type KeyType } from "../../algorithms/table.ts";
import { joinWithOr } from "../../base/choice.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import { flag, int, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import type { PublicKey } from "../../x509/public-key.ts";
import { getIssuer, findIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import { certificatePem } from "../issuer/output.ts";
import { responderCertificate } from "../issuer/stored-certificate.ts";
import { noteSerial } from "../request/format.ts";
import { delegateOf } from "./delegate.ts";
import {
  delegatingIssuer,
  newResponder,
  newResponderKey,
  type NewResponderKey,
  renewalAt,
} from "./responder-certificate.ts";

const responderReply = {
  certificate: text.required("Responder certificate, PEM."),
  serial_number: text.required("Serial number of the responder certificate."),
  not_before: text.required("Start of validity, RFC 3339."),
  not_after: text.required("End of the validity period (notAfter), RFC 3339."),
  key_type: text.required(`${keyTypeDoc}.`, keyTypes),
  key_bits: int.required("Key size in bits."),
  next_renewal: text.required(
    "Time at which the key and certificate are renewed, RFC 3339; empty if they expire with the issuer instead.",
  ),
  active: flag.required(
    "Whether the responder signs responses. If the responder is revoked, damaged or expired, or if the issuer is revoked, the issuer itself signs them.",
  ),
} as const;
const declared = { access: "token", style: envelope } as const;

/**
 * Returns the default key type of a responder: the issuer's key type, or EC if few OCSP clients
 * support that type. These clients do accept an EC responder certificate that was signed with the
 * issuer's key.
 */
const usualType = ({ type, algorithm }: PublicKey): KeyType => (algorithm.rareInOcsp ? "ec" : type);
/** Names of the algorithms that few OCSP clients support, for the description of a field. */
const rareDoc = joinWithOr(
  keyAlgorithms.flatMap(({ name, rareInOcsp }) => (rareInOcsp ? [name] : [])),
);

export const makeResponder = endpoint({
  ...declared,
  id: "makeResponder",
  audits: { always: true },
  at: ["POST /issuer/:issuer_ref/ocsp-responder"],
  doc: "Creates or replaces the OCSP responder of an issuer: a key with a certificate, which signs responses on behalf of the issuer. The certificate is valid for 30 days, and is renewed automatically.",
  body: {
    key_type: text.optional(
      `${keyTypeDoc}. By default, the issuer's key type, or EC for ${rareDoc}, which few clients support.`,
      keyTypes,
    ),
    key_bits: int.default(0, "Key size in bits; 0 means the default size, which is P-256 for EC."),
  },
  reply: responderReply,
  refuses: ["unknown_issuer", "unusable_issuer", "invalid_field", "validity", "constraint"],
  run: (mount, input, caller) => {
    let key: NewResponderKey | undefined;
    const keyFor = async ({ publicKey }: SigningIssuer) =>
      (key ??= await newResponderKey(
        mount,
        input.key_type ?? usualType(publicKey),
        input.key_bits,
      ));
    return mount.configureFor(
      caller,
      async (config, caller) => {
        const issuer = await delegatingIssuer(mount, config, input.issuer_ref);
        const key = await keyFor(issuer);
        const { row, serial, ...change } = await newResponder(mount, config, issuer, key);
        noteSerial(caller, serialText(serial));
        return { reply: outputOf(issuer.row, row, true), ...change };
      },
      { exact: true },
    );
  },
});

export const readResponder = endpoint({
  ...declared,
  id: "readResponder",
  at: ["GET /issuer/:issuer_ref/ocsp-responder"],
  doc: "Reads the OCSP responder of an issuer.",
  body: {},
  reply: responderReply,
  refuses: ["unknown_issuer", "not_found", "damaged"],
  run: async (mount, { issuer_ref }) => {
    const config = await mount.config();
    const issuer = getIssuer(config, issuer_ref);
    const row = config.get(respondersById).get(issuer.id);
    if (!row) throw new CaError("not_found", "");
    return outputOf(issuer, row, (await delegateOf(mount, config, issuer)) !== undefined);
  },
});

export const deleteResponder = endpoint({
  ...declared,
  id: "deleteResponder",
  at: ["DELETE /issuer/:issuer_ref/ocsp-responder"],
  doc: "Removes an issuer's OCSP responder. The issuer then signs responses itself. The responder certificate stays stored and can be revoked.",
  body: {},
  reply: {},
  run: (mount, { issuer_ref }) =>
    mount.configure((config) => {
      const row = findIssuer(config, issuer_ref);
      return row && config.get(respondersById).has(row.id)
        ? { reply: undefined, batch: { del: [keys.responder(row.id)] } }
        : { reply: undefined };
    }),
});

function outputOf(issuer: IssuerRow, row: ResponderRow, active: boolean) {
  const certificate = responderCertificate(row);
  if (!certificate)
    throw new CaError(
      "damaged",
      "the stored certificate of the responder was altered in storage; create a new responder",
    );
  const { der, serial, notBefore, notAfter } = certificate;
  const at = renewalAt(issuer, row);
  return {
    certificate: certificatePem(der),
    serial_number: serialText(serial),
    not_before: rfc3339(notBefore),
    not_after: rfc3339(notAfter),
    key_type: row.key.type as string,
    key_bits: row.key.bits,
    next_renewal: at === undefined ? "" : rfc3339(at / 1000),
    active,
  };
}
