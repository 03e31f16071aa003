import { fromBase64, toBase64, toHex } from "../../base/bytes.ts";
import { boolean, octets, oid, sequence } from "../../base/der.ts";
import { parseDuration, parseInstant } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { parseSerial, serialText } from "../../base/ids.ts";
import { decodePem, encodePem, type PemBlock } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { verifySignature } from "../../x509/algorithm.ts";
import { eachRevoked, encodeRevokedEntry, parseCrl } from "../../x509/crl.ts";
import { deltaIndicator, type Extension } from "../../x509/extension.ts";
import { extensionOid } from "../../x509/oid.ts";
import { int, objects, strings, text } from "../../wire/field.ts";
import { endpoint, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { signCrl } from "./crl-sign.ts";
import { findIssuer, signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";

const listFields = {
  crl_number: int.default(0, "Number of the new list."),
  delta_crl_base_number: int.default(
    -1,
    "Number of the list that this one is a delta to; -1 for a complete list.",
  ),
  next_update: text.default("72h", "How long the list is valid."),
  format: text.default("pem", "`pem`, or `der` (base64)."),
} as const;
const declared = {
  access: "token",
  style: envelope,
  reply: { crl: text.required("The signed list.") },
  refuses: ["malformed", "unusable_issuer"],
} as const;

export const resignCrls = endpoint({
  ...declared,
  id: "resignCrls",
  at: ["POST /issuer/:issuer_ref/resign-crls"],
  doc: "Merges CRLs of one issuer, such as those of several authorities with its key, into one signed list. Nothing is stored.",
  body: { ...listFields, crls: strings.default([], "CRLs, one PEM block each.") },
  run: (ca, input, caller) =>
    ca.decide(async (config) => {
      const issuer = await listSigner(ca, config, input.issuer_ref);
      const entries = new Map<
        string,
        { readonly serial: Uint8Array; readonly revokedAt: number }
      >();
      for (const [i, pem] of input.crls.entries())
        for (const entry of await entriesOf(pem, i, issuer)) {
          const held = entries.get(toHex(entry.serial));
          if (held && held.revokedAt !== entry.revokedAt)
            caller.warn(
              `Duplicate serial ${serialText(entry.serial)} with different revocation times: the earliest was taken.`,
            );
          if (!held || entry.revokedAt < held.revokedAt)
            entries.set(toHex(entry.serial), { serial: entry.serial, revokedAt: entry.revokedAt });
        }
      return {
        reply: {
          crl: await signList(ca, issuer, input, [...entries.values()].map(encodeRevokedEntry), []),
        },
      };
    }),
});

export const signRevocationList = endpoint({
  ...declared,
  id: "signRevocationList",
  at: ["POST /issuer/:issuer_ref/sign-revocation-list"],
  doc: "Signs a CRL with the given entries and extensions. Nothing is stored.",
  body: {
    ...listFields,
    revoked_certs: objects.default(
      [],
      "Entries: `serial_number`, `revocation_time` (Unix seconds or RFC 3339), `extensions`.",
    ),
    extensions: objects.default([], "Extensions of the list: `id`, `critical`, `value` (base64)."),
  },
  run: (ca, input) =>
    ca.decide(async (config) => {
      const issuer = await listSigner(ca, config, input.issuer_ref);
      const seen = new Set<string>();
      const entries = input.revoked_certs.map((entry, i) => givenEntry(entry, i, seen));
      return {
        reply: {
          crl: await signList(
            ca,
            issuer,
            input,
            entries,
            givenExtensions(input.extensions, "list"),
          ),
        },
      };
    }),
});

async function listSigner(ca: Mount, config: Snapshot, reference: string): Promise<SigningIssuer> {
  if (!findIssuer(config, reference))
    throw new CaError(
      "malformed",
      `failed to resolve issuer issuer_ref: unable to find PKI issuer for reference: ${reference}`,
    );
  return signingIssuer(ca, config, reference, "crl-signing");
}

async function entriesOf(pem: string, index: number, issuer: SigningIssuer) {
  let blocks: readonly PemBlock[] | undefined;
  try {
    blocks = decodePem(pem);
  } catch {
    blocks = undefined;
  }
  const [block] = blocks ?? [];
  if (!block || blocks?.length !== 1)
    throw new CaError("malformed", "invalid crl; should be one PEM block only");
  let crl;
  try {
    crl = parseCrl(block.der);
  } catch (error) {
    throw new CaError(
      "malformed",
      `CRL index: ${index} could not be parsed: ${error instanceof Error ? error.message : ""}`,
    );
  }
  if (!(await verifySignature(issuer.certificate.spki, crl.algorithm, crl.tbs, crl.signature)))
    throw new CaError("malformed", `CRL index: ${index} was not signed by requested issuer`);
  return [...eachRevoked(crl)];
}

const reserved: ReadonlySet<string> = new Set([
  extensionOid.authorityKeyIdentifier,
  extensionOid.crlNumber,
  extensionOid.deltaCrlIndicator,
]);
type Given = Readonly<Record<string, unknown>>;
const isGiven = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);
function givenExtensions(list: readonly Given[], where: string): readonly Extension[] {
  const seen = new Set<string>();
  return list.map(({ id, critical = false, value }) => {
    const bytes = typeof value === "string" ? fromBase64(value) : undefined;
    if (typeof id !== "string" || !/^[0-2](\.(0|[1-9]\d*))+$/.test(id))
      throw new CaError(
        "malformed",
        `an extension of the ${where} has no dotted object identifier`,
      );
    if (reserved.has(id))
      throw new CaError(
        "malformed",
        `extension of the ${where}: object identifier (${id}) is reserved`,
      );
    if (seen.has(id))
      throw new CaError(
        "malformed",
        `extension of the ${where}: object identifier (${id}) is there twice`,
      );
    if (!bytes)
      throw new CaError("malformed", `extension ${id} of the ${where} needs a base64 value`);
    if (typeof critical !== "boolean")
      throw new CaError(
        "malformed",
        `extension ${id} of the ${where}: critical must be true or false`,
      );
    seen.add(id);
    return { oid: id, critical, value: bytes };
  });
}

function givenEntry(entry: Given, index: number, seen: Set<string>): Uint8Array {
  const digits =
    typeof entry["serial_number"] === "string"
      ? entry["serial_number"].replace(/[:.\- ]/g, "")
      : "";
  const serial = parseSerial(digits);
  if (!serial)
    throw new CaError("malformed", `revoked_certs ${index}: serial_number must be hexadecimal`);
  if (seen.has(toHex(serial)))
    throw new CaError(
      "malformed",
      `revoked_certs ${index}: duplicate serial number ${serialText(serial)}`,
    );
  seen.add(toHex(serial));
  const { extensions: listed = [] } = entry;
  if (!Array.isArray(listed) || !listed.every(isGiven))
    throw new CaError("malformed", `revoked_certs ${index}: extensions must be a list of objects`);
  const extensions = givenExtensions(listed, `entry ${index}`);
  const plain = encodeRevokedEntry({ serial, revokedAt: timeOf(entry["revocation_time"], index) });
  return extensions.length ? withExtensions(plain, extensions) : plain;
}
function timeOf(value: unknown, index: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  if (typeof value === "string" && value !== "")
    return /^\d+$/.test(value) ? Number(value) : parseInstant(value);
  throw new CaError(
    "malformed",
    `revoked_certs ${index}: revocation_time must be Unix seconds or RFC 3339`,
  );
}
/** An entry without extensions, with these behind its time. */
function withExtensions(entry: Uint8Array, extensions: readonly Extension[]): Uint8Array {
  const encoded = extensions.map((extension) =>
    sequence(
      oid(extension.oid),
      ...(extension.critical ? [boolean(true)] : []),
      octets(extension.value),
    ),
  );
  const body = entry.subarray((entry[1] ?? 0) < 0x80 ? 2 : 2 + ((entry[1] ?? 0) & 0x7f));
  return sequence(body, sequence(...encoded));
}

type ListInput = Pick<Input<typeof listFields, "POST /x">, keyof typeof listFields>;
async function signList(
  ca: Mount,
  issuer: SigningIssuer,
  input: ListInput,
  entries: readonly Uint8Array[],
  extensions: readonly Extension[],
): Promise<string> {
  if (input.crl_number < 0)
    throw new CaError("malformed", "crl_number parameter must be 0 or greater");
  if (input.delta_crl_base_number < -1)
    throw new CaError("malformed", "delta_crl_base_number parameter must be -1 or greater");
  const format = input.format.toLowerCase();
  if (format !== "pem" && format !== "der")
    throw new CaError(
      "malformed",
      `unknown format value of ${input.format.slice(0, 32)}: use pem or der`,
    );
  const thisUpdate = Math.floor(ca.ports.now() / 1000);
  const span = parseDuration(input.next_update) ?? 0;
  if (span <= 0) throw new CaError("malformed", "next_update parameter must be greater than 0");
  const { crl_number: number, delta_crl_base_number: base } = input;
  const der = await signCrl(issuer, {
    thisUpdate,
    nextUpdate: thisUpdate + span,
    number,
    pages: entries,
    extensions: [base >= 0 ? deltaIndicator(base) : undefined, ...extensions],
  });
  return format === "der" ? toBase64(der) : `${encodePem("X509 CRL", der)}\n`;
}
