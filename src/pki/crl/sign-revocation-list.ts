import { toHex } from "../../base/bytes.ts";
import { parseInstant } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { parseSerial, serialText } from "../../base/ids.ts";
import { encodeRevokedEntry } from "../../x509/crl.ts";
import { expiration, flag, objectsOf, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { givenExtensions, isGiven, withExtensions, type Given } from "./given-extensions.ts";
import { listFields, listSigner, signList, signsList } from "./signed-list.ts";

const extension = {
  id: text.required("Object identifier."),
  critical: flag.optional("Whether readers must know it."),
  value: text.required("Value, base64."),
} as const;

export const signRevocationList = endpoint({
  ...signsList,
  id: "signRevocationList",
  audits: { always: true, plain: ["crl_number", "next_update"] },
  at: ["POST /issuer/:issuer_ref/sign-revocation-list"],
  doc: "Signs a CRL with the given entries and extensions. Nothing is stored.",
  body: {
    ...listFields,
    revoked_certs: objectsOf({
      serial_number: text.required("Serial number, hexadecimal."),
      revocation_time: expiration.optional("When it was revoked: Unix seconds or RFC 3339."),
      extensions: objectsOf(extension).optional("Extensions of the entry."),
    }).default([], "Entries of the CRL."),
    extensions: objectsOf(extension).default([], "Extensions of the CRL."),
  },
  run: (ca, input) =>
    ca.decide(async (config) => {
      const issuer = await listSigner(ca, config, input.issuer_ref);
      const seen = new Set<string>();
      const pages = input.revoked_certs.map((entry, i) => givenEntry(entry, i, seen));
      return {
        reply: {
          crl: await signList(ca, issuer, input, {
            pages,
            extensions: givenExtensions(input.extensions, "list"),
          }),
        },
      };
    }),
});

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
  const listed = entry["extensions"] ?? [];
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
