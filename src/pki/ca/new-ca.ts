import { referenceForm } from "../../base/forms.ts";
import type { ArchiveMembers } from "../../archive/requested-archive.ts";
import { toBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { encodePem } from "../../base/pem.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { traditionalPem } from "../../keys/read.ts";
import { withNormalForm, text } from "../../wire/field.ts";
import { privateKeyOutput } from "../issuer/output.ts";
import type { IssuanceContext } from "../request/rule-checker.ts";
import { wantsPkcs8, type CertificateFormat } from "../request/format.ts";
import { checkSignatureBits } from "../request/scheme.ts";
import { keyOf, type CaKey, type KeyRequest, type KeySource } from "./ca-key.ts";

/** Request field that selects an existing key of the mount. */
export const keyRefField = {
  key_ref: withNormalForm(text, referenceForm).optional("Key to use: `default`, an ID or a name."),
} as const;

/** Request fields that select a managed key (`kms`). */
export const managedKeyFields = {
  managed_key_name: text.optional("Name of the managed key; an alternative to `managed_key_id`."),
  managed_key_id: text.optional("UUID of the managed key; an alternative to `managed_key_name`."),
} as const;

/** The input that root and intermediate requests share. */
interface NewCaInput extends KeyRequest {
  readonly format: string;
  readonly private_key_format?: string | undefined;
  readonly signature_bits: number;
  /** Value of the `exported` URL path parameter, if it is not a known key source. */
  readonly exported?: string;
}
/** A request for a new CA, with its caller. */
export type NewCaCase<I extends NewCaInput = NewCaInput> = Pick<
  IssuanceContext<I>,
  "mount" | "input" | "caller"
>;
/** The output options for a new CA. */
interface OutputOptions {
  readonly source: KeySource;
  readonly format: CertificateFormat;
  readonly asPkcs8: boolean;
}

/**
 * Parses the output options of a request. Throws `malformed` for an unknown key source or encoding.
 */
export async function readOutputOptions(
  { input, caller }: Pick<NewCaCase, "input" | "caller">,
  source: KeySource,
  readFormat: () => CertificateFormat | Promise<CertificateFormat>,
): Promise<OutputOptions> {
  if (input.exported !== undefined)
    throw new CaError(
      "malformed",
      'the "exported" path parameter must be "internal", "existing", exported" or "kms"',
    );
  const format = await readFormat();
  const asPkcs8 = wantsPkcs8(input.private_key_format, caller.dialect);
  checkSignatureBits(input.key_type, input.signature_bits);
  return { source, format, asPkcs8 };
}

/**
 * Creates a function that returns the key of a request. A key is generated only once, so that every
 * attempt to store the CA uses the same key.
 */
export function keyOnce(
  request: NewCaCase,
  source: KeySource,
): (config: Snapshot) => Promise<CaKey> {
  let key: CaKey | undefined;
  return async (config) => (key = await keyOf({ ...request, config }, source, key));
}

/** An encoded certificate or CSR. */
interface Encoded {
  readonly text: string;
  /**
   * The certificate or CSR, preceded by the private key if a bundle was requested and the key is
   * exported; or the archive, if one was requested.
   */
  readonly bundle: string;
  /**
   * Reply members with the private key, if it is exported, and the password of an archive, if one
   * was generated.
   */
  readonly secrets: Partial<
    ReturnType<typeof privateKeyOutput> & Omit<ArchiveMembers, "certificate">
  >;
}
/** Encodes the certificate or CSR of a new CA, and the private key if it is exported. */
export async function encodeNewCa(
  { source, format, asPkcs8 }: OutputOptions,
  { pkcs8 }: CaKey,
  label: "CERTIFICATE" | "CERTIFICATE REQUEST",
  der: Uint8Array,
): Promise<Encoded> {
  const text = format === "der" ? toBase64(der) : encodePem(label, der);
  const key = source === "exported" ? pkcs8 : undefined;
  const secrets = key ? privateKeyOutput({ pkcs8: key, asPkcs8 }, format) : {};
  if (typeof format !== "string") {
    const { certificate, ...password } = await format.write({
      certificates: [der],
      ...(key && { key }),
    });
    return { text, bundle: certificate, secrets: { ...secrets, ...password } };
  }
  const bundle = key && format === "pem_bundle" ? `${traditionalPem(key)}\n${text}` : text;
  return { text, bundle, secrets };
}
