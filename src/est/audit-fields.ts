import { toHex } from "../base/bytes.ts";
import { auditHash } from "../engine/audit-key.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { SigningRequest } from "../pki/request/request.ts";
import { nameValues } from "../x509/name.ts";
import { nameOid } from "../x509/oid.ts";

type Values = (request: SigningRequest) => readonly string[];
const inSubject =
  (oid: string): Values =>
  ({ csr }) =>
    nameValues(csr.subject, oid);
/** CSR fields whose values are audited as hashes. */
const hashed: Readonly<Record<string, Values>> = {
  csr: ({ csr }) => [toHex(csr.der)],
  common_name: ({ commonName }) => [commonName],
  alt_names: ({ names }) => [...names.dns, ...names.email],
  ip_sans: ({ names }) => names.ip,
  uri_sans: ({ names }) => names.uri,
  other_sans: ({ names }) => names.other.map(({ oid, value }) => `${oid};UTF8:${value}`),
  serial_number: ({ subjectSerial }) => [subjectSerial],
  ou: inSubject(nameOid.organizationalUnit),
  organization: inSubject(nameOid.organization),
  country: inSubject(nameOid.country),
  locality: inSubject(nameOid.locality),
  province: inSubject(nameOid.province),
  street_address: inSubject(nameOid.street),
  postal_code: inSubject(nameOid.postalCode),
};
/** CSR fields whose values are audited in plain text. */
const plain: Readonly<Record<string, (request: SigningRequest) => string | number>> = {
  key_type: ({ publicKey }) => publicKey.type,
  key_bits: ({ publicKey }) => publicKey.bits,
};
/**
 * Fields that are accepted in the configuration but never audited, because no CSR contains them.
 */
const untold = ["signature_bits", "use_pss", "exclude_cn_from_sans", "add_basic_constraints"];

/** The allowed values of `audit_fields` (B 6.1). */
export const auditFields: readonly string[] = [
  ...Object.keys(hashed),
  ...Object.keys(plain),
  ...untold,
];

/** Maximum number of audited values per field. */
const maxValues = 20;
/** Returns the fields of a CSR to audit. Names are hashed, because they come from clients. */
export async function auditFieldsOf(
  sys: StoreContext,
  fields: readonly string[],
  request: SigningRequest,
): Promise<Readonly<Record<string, string | number>>> {
  // each value is hashed once, because the common name is usually also an alternative name
  const hashes = new Map<string, Promise<string> | string>();
  const hashOf = (value: string): Promise<string> | string => {
    const hash = hashes.get(value) ?? auditHash(sys, value);
    hashes.set(value, hash);
    return hash;
  };
  const entries = await Promise.all(
    fields.map(async (name): Promise<readonly (readonly [string, string | number])[]> => {
      const value = plain[name]?.(request);
      if (value !== undefined) return [[name, value]];
      const values = (hashed[name]?.(request) ?? []).filter(Boolean).slice(0, maxValues);
      if (values.length === 0) return [];
      return [[name, (await Promise.all(values.map(async (value) => hashOf(value)))).join(",")]];
    }),
  );
  return Object.fromEntries(entries.flat());
}
