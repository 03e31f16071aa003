import { toHex, toBase64, fromBase64 } from "../../base/bytes.ts";
import { isOid, sequence } from "../../base/der.ts";
import { parseInstant, parseDuration } from "../../base/duration.ts";
import { malformed } from "../../base/errors.ts";
import { durationForm, lowerCaseForm } from "../../base/forms.ts";
import { parseSerial, serialText, serialKey } from "../../base/ids.ts";
import { encodePem, decodePem, type PemBlock } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { endpoint, type Input, type Caller } from "../../wire/endpoint.ts";
import {
  expiration,
  flag,
  objectsOf,
  text,
  withNormalForm,
  int,
  strings,
  readFlag,
} from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import {
  encodeRevokedEntry,
  deltaIndicator,
  eachRevoked,
  parseCrl,
  revocationReasons,
  type RevokedEntry,
} from "../../x509/crl.ts";
import { encodeExtensions, type Extension } from "../../x509/extension.ts";
import { extensionOid } from "../../x509/oid.ts";
import { verifySignature } from "../../x509/public-key.ts";
import { findIssuer, signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import { signCrl, type CrlFields } from "./crl-sign.ts";

/** Request fields for a CRL to be signed. */
const crlFields = {
  crl_number: int.default(0, "CRL number of the new CRL."),
  delta_crl_base_number: int.default(
    -1,
    "CRL number of the base CRL, for a delta CRL; -1 for a complete CRL.",
  ),
  next_update: withNormalForm(text, durationForm).default("72h", "Validity period of the CRL."),
  format: withNormalForm(text, lowerCaseForm).default(
    "pem",
    "Encoding of the CRL: `pem` or `der` (base64).",
    ["pem", "der"],
  ),
} as const;
/** Declarations that the endpoints for signing a CRL share. */
const signedCrlShape = {
  access: "token",
  // requests may contain complete CRLs: up to 32 MiB of entries as clients encode them (D 3)
  bodyLimits: { bytes: 32 * 1024 * 1024, members: 1_000_000 },
  style: envelope,
  reply: { crl: text.required("The signed CRL.") },
  refuses: ["malformed", "unusable_issuer"],
} as const;

/**
 * Opens the issuer for the given reference, so that it can sign a CRL. Throws `malformed` if there
 * is none, and `unusable_issuer` if it cannot sign CRLs.
 */
async function crlSignerFor(
  mount: Mount,
  config: Snapshot,
  reference: string,
): Promise<SigningIssuer> {
  if (!findIssuer(config, reference))
    throw malformed(
      `failed to resolve issuer issuer_ref: unable to find PKI issuer for reference: ${reference}`,
    );
  return signingIssuer(mount, config, reference, "crl-signing");
}

type CrlInput = Pick<Input<typeof crlFields, "POST /x">, keyof typeof crlFields>;
/**
 * Signs a CRL with the given entries and extensions, and returns the response that contains it in
 * the requested format. Throws `malformed` if a field of the request is invalid.
 */
async function signRequestedCrl(
  mount: Mount,
  issuer: SigningIssuer,
  input: CrlInput,
  { pages, extensions = [] }: Partial<CrlFields> & Pick<CrlFields, "pages">,
): Promise<{ readonly reply: { readonly crl: string } }> {
  if (input.crl_number < 0) throw malformed("crl_number parameter must be 0 or greater");
  if (input.delta_crl_base_number < -1)
    throw malformed("delta_crl_base_number parameter must be -1 or greater");
  const format = input.format.toLowerCase();
  if (format !== "pem" && format !== "der")
    throw malformed(`unknown format value of ${input.format.slice(0, 32)}: use pem or der`);
  const thisUpdate = Math.floor(mount.ports.now() / 1000);
  const span = parseDuration(input.next_update) ?? 0;
  if (span <= 0) throw malformed("next_update parameter must be greater than 0");
  const { crl_number: number, delta_crl_base_number: base } = input;
  const signed = await signCrl(issuer, {
    thisUpdate,
    nextUpdate: thisUpdate + span,
    number,
    pages,
    extensions: [base >= 0 ? deltaIndicator(base) : undefined, ...extensions],
  });
  return signed.inChange((der) => ({
    reply: { crl: format === "der" ? toBase64(der) : `${encodePem("X509 CRL", der)}\n` },
  }));
}

const reservedExtensions: ReadonlySet<string> = new Set([
  extensionOid.authorityKeyIdentifier,
  extensionOid.crlNumber,
  extensionOid.deltaCrlIndicator,
]);
/** A JSON object in a request body. */
type RequestObject = Readonly<Record<string, unknown>>;
/** Reports whether a value in a request body is a JSON object. */
const isRequestObject = (value: unknown): value is RequestObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/**
 * Parses the extensions in a request. `where` names the structure that contains the extensions, for
 * error messages.
 */
function requestedExtensions(list: readonly RequestObject[], where: string): readonly Extension[] {
  const ids = new Set<string>();
  return list.map(({ id, critical = false, value }) => {
    const bytes = typeof value === "string" ? fromBase64(value) : undefined;
    if (typeof id !== "string" || !isOid(id))
      throw malformed(
        `an extension of the ${where} requires an id, which is a dotted object identifier`,
      );
    if (reservedExtensions.has(id))
      throw malformed(`extension of the ${where}: object identifier (${id}) is reserved`);
    if (ids.has(id))
      throw malformed(`extension of the ${where}: duplicate object identifier (${id})`);
    if (!bytes) throw malformed(`extension ${id} of the ${where} requires a base64 value`);
    ids.add(id);
    return {
      oid: id,
      critical: readCritical(critical, `extension ${id} of the ${where}`),
      value: bytes,
    };
  });
}

/** Parses `critical`, in any form that boolean fields accept (A 1.5). */
function readCritical(critical: unknown, extension: string): boolean {
  try {
    return readFlag(critical);
  } catch {
    throw malformed(`${extension}: critical must be true or false`);
  }
}

/** Adds extensions to an encoded CRL entry that has none, and therefore less than 128 bytes. */
const withExtensions = (entry: Uint8Array, extensions: readonly Extension[]): Uint8Array =>
  sequence(entry.subarray(2), encodeExtensions(extensions));

const extension = {
  id: text.required("Object identifier (OID)."),
  critical: flag.optional("Whether the extension is critical."),
  value: text.required("Value, base64."),
} as const;

export const signRevocationList = endpoint({
  ...signedCrlShape,
  id: "signRevocationList",
  audits: { always: true, plain: ["crl_number", "next_update"] },
  at: ["POST /issuer/:issuer_ref/sign-revocation-list"],
  doc: "Signs a CRL with the given entries and extensions. Stores nothing.",
  body: {
    ...crlFields,
    revoked_certs: objectsOf({
      serial_number: text.required("Serial number of the revoked certificate, hexadecimal."),
      revocation_time: expiration.optional("Time of revocation: Unix seconds or RFC 3339."),
      extensions: objectsOf(extension).optional("CRL entry extensions."),
    }).default([], "Entries of the CRL."),
    extensions: objectsOf(extension).default([], "CRL extensions."),
  },
  run: (mount, input) =>
    mount.decide(async (config) => {
      const issuer = await crlSignerFor(mount, config, input.issuer_ref);
      const serials = new Set<string>();
      const pages = input.revoked_certs.map((entry, i) => requestedEntry(entry, i, serials));
      const extensions = requestedExtensions(input.extensions, "CRL");
      return signRequestedCrl(mount, issuer, input, { pages, extensions });
    }),
});

function requestedEntry(entry: RequestObject, index: number, serials: Set<string>): Uint8Array {
  const { serial_number: given } = entry;
  const serial = parseSerial(typeof given === "string" ? given.replace(/[:.\- ]/g, "") : "");
  if (!serial) throw malformed(`revoked_certs ${index}: serial_number must be hexadecimal`);
  if (serials.has(toHex(serial)))
    throw malformed(`revoked_certs ${index}: duplicate serial number ${serialText(serial)}`);
  serials.add(toHex(serial));
  const listed = entry["extensions"] ?? [];
  if (!Array.isArray(listed) || !listed.every(isRequestObject))
    throw malformed(`revoked_certs ${index}: extensions must be a list of objects`);
  const extensions = requestedExtensions(listed, `entry ${index}`);
  const plain = encodeRevokedEntry({
    serial,
    revokedAt: revocationTime(entry["revocation_time"], index),
  });
  return extensions.length ? withExtensions(plain, extensions) : plain;
}
function revocationTime(value: unknown, index: number): number {
  let seconds = value;
  if (typeof value === "string" && value !== "")
    seconds = /^\d+$/.test(value) ? Number(value) : parseInstant(value);
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 0) return seconds;
  throw malformed(
    `revoked_certs ${index}: revocation_time must be Unix seconds or RFC 3339, from 1970 on`,
  );
}

export const resignCrls = endpoint({
  ...signedCrlShape,
  id: "resignCrls",
  audits: { always: true },
  at: ["POST /issuer/:issuer_ref/resign-crls"],
  doc: "Merges CRLs that were signed with the issuer's key into one signed CRL. Stores nothing.",
  body: { ...crlFields, crls: strings.default([], "CRLs to merge, one PEM block each.") },
  run: (mount, input, caller) =>
    mount.decideFor(caller, async (config, caller) => {
      const issuer = await crlSignerFor(mount, config, input.issuer_ref);
      const entries = await mergeEntries(input.crls, issuer, caller);
      const pages = entries.map(encodeRevokedEntry);
      return signRequestedCrl(mount, issuer, input, { pages });
    }),
});

/**
 * Merges the entries of CRLs. Keeps, for each serial number, the earliest entry, without its
 * reason.
 */
async function mergeEntries(crls: readonly string[], issuer: SigningIssuer, caller: Caller) {
  const entries = new Map<string, RevokedEntry>();
  for (const [i, pem] of crls.entries())
    for (const { serial, revokedAt, reason } of await verifiedEntries(pem, i, issuer)) {
      // without its reason, the entry would revoke the certificate
      if (reason === revocationReasons.removeFromCRL)
        throw malformed(
          `CRL index: ${i} has an entry removeFromCRL, which cannot be merged: ${serialText(serial)}`,
        );
      const key = serialKey(serial);
      const existing = entries.get(key);
      if (existing && existing.revokedAt !== revokedAt)
        caller.reply.warn(
          `Duplicate serial ${serialText(serial)} with different revocation times: the earliest time was used.`,
        );
      if (!existing || revokedAt < existing.revokedAt) entries.set(key, { serial, revokedAt });
    }
  return [...entries.values()];
}

async function verifiedEntries(pem: string, index: number, issuer: SigningIssuer) {
  let blocks: readonly PemBlock[] | undefined;
  try {
    blocks = decodePem(pem);
  } catch {
    blocks = undefined;
  }
  const [block] = blocks ?? [];
  if (!block || blocks?.length !== 1) throw malformed("invalid crl; should be one PEM block only");
  let crl;
  try {
    crl = parseCrl(block.der);
  } catch (error) {
    throw malformed(
      `CRL index: ${index} could not be parsed: ${error instanceof Error ? error.message : ""}`,
    );
  }
  if (!(await verifySignature(issuer.certificate.spki, crl.algorithm, crl.tbs, crl.signature)))
    throw malformed(`CRL index: ${index} was not signed by requested issuer`);
  return [...eachRevoked(crl)];
}
