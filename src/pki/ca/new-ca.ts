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

/** Fields of the forms that take a key of the mount. */
export const keyRefField = {
  key_ref: withNormalForm(text, referenceForm).optional(
    "The key to use: `default`, an id or a name.",
  ),
} as const;

/** Fields of the forms that take a key which is kept elsewhere. */
export const managedKeyFields = {
  managed_key_name: text.optional("Name of the managed key; or send `managed_key_id`."),
  managed_key_id: text.optional("UUID of the managed key; or send `managed_key_name`."),
} as const;

/** What the request for a root and that for an intermediate have in common. */
interface NewCaInput extends KeyRequest {
  readonly format: string;
  readonly private_key_format: string;
  readonly signature_bits: number;
  /** A word in the path that names no form. */
  readonly exported?: string;
}
/** A request for a new CA, and whose it is. */
export type NewCaCase<I extends NewCaInput = NewCaInput> = Pick<
  IssuanceContext<I>,
  "ca" | "input" | "caller"
>;
/** How the CA that is made is handed out. */
interface Form {
  readonly source: KeySource;
  readonly format: CertificateFormat;
  readonly asPkcs8: boolean;
}

/**
 * Reads the form of a request, and its encoding by `readFormat`. Refuses a word in the path that
 * names none.
 */
export async function readForm(
  input: NewCaInput,
  source: KeySource,
  readFormat: () => CertificateFormat | Promise<CertificateFormat>,
): Promise<Form> {
  if (input.exported !== undefined)
    throw new CaError(
      "malformed",
      'the "exported" path parameter must be "internal", "existing", exported" or "kms"',
    );
  const format = await readFormat();
  const asPkcs8 = wantsPkcs8(input.private_key_format);
  checkSignatureBits(input.key_type, input.signature_bits);
  return { source, format, asPkcs8 };
}

/** The key of a request, for each attempt to store it: one that is generated is generated once. */
export function keyOnce(
  request: NewCaCase,
  source: KeySource,
): (config: Snapshot) => Promise<CaKey> {
  let made: CaKey | undefined;
  return async (config) => (made = await keyOf({ ...request, config }, source, made));
}

/** What was made for a key, in the form that was asked for. */
interface Encoded {
  readonly text: string;
  /** The same behind the private key, where a bundle with that was asked for. */
  readonly bundle: string;
  /** Members of the reply that tell the private key, where it is to be told, or open an archive. */
  readonly secrets: Partial<
    ReturnType<typeof privateKeyOutput> & Omit<ArchiveMembers, "certificate">
  >;
}
/** Encodes a certificate or a request, and the private key where that is handed out. */
export async function encodeNewCa(
  { source, format, asPkcs8 }: Form,
  { pkcs8 }: CaKey,
  label: "CERTIFICATE" | "CERTIFICATE REQUEST",
  der: Uint8Array,
): Promise<Encoded> {
  const text = format === "der" ? toBase64(der) : encodePem(label, der);
  const key = source === "exported" ? pkcs8 : undefined;
  const told = key ? privateKeyOutput({ pkcs8: key, asPkcs8 }, format) : {};
  if (typeof format !== "string") {
    const { certificate, ...password } = await format.write({
      certificates: [der],
      ...(key && { key }),
    });
    return { text, bundle: certificate, secrets: { ...told, ...password } };
  }
  const bundle = key && format === "pem_bundle" ? `${traditionalPem(key)}\n${text}` : text;
  return { text, bundle, secrets: told };
}
