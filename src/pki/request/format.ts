import type {
  ArchiveFormat,
  ArchiveInput,
  RequestedArchive,
} from "../../archive/requested-archive.ts";
import { toBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { decodePem } from "../../base/pem.ts";
import type { Dialect } from "../../wire/dialect.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { type IssuanceContext, readChecked, settle } from "./rule-checker.ts";

/** The encodings a result may have. */
type Format = "pem" | "der" | "pem_bundle";
/** The encodings of a certificate: one of those, or an archive as it was asked for. */
export type CertificateFormat = Format | RequestedArchive;
/** The certificate encoding in a request. */
export type FormatInput = ArchiveInput & { readonly format: string };
/** Checks `format`; the text is what clients know. */
export function readFormat(
  format: string,
  message = 'the "format" path parameter must be "pem", "der", or "pem_bundle"',
): Format {
  if (format === "pem" || format === "der" || format === "pem_bundle") return format;
  throw new CaError("malformed", message);
}
const isArchive = (format: string): format is ArchiveFormat =>
  format === "pkcs12_bundle" || format === "jks_bundle";
/** Checks `format` where archives are offered too, and what belongs to them (A 6.9). */
export async function readCertificateFormat(
  { ca, input }: Pick<IssuanceContext<FormatInput>, "ca" | "input">,
  message?: string,
): Promise<CertificateFormat> {
  const { format } = input;
  if (!isArchive(format)) return readFormat(format, message);
  const { readArchiveRequest } = await import("../../archive/requested-archive.ts");
  return readArchiveRequest(format, input, ca.ports);
}
/** The encoding of a leaf's result. */
export async function formatFor({
  ca,
  input,
  checker,
}: Pick<IssuanceContext<FormatInput>, "ca" | "input" | "checker">): Promise<CertificateFormat> {
  const { format } = input;
  const read = isArchive(format)
    ? await settle(readCertificateFormat({ ca, input }))
    : () => readFormat(format);
  return readChecked(checker, { rule: "format", input: format }, read, () => "pem");
}
/** The encodings of a leaf and of its new key. */
export async function formatsFor({
  ca,
  input,
  checker,
}: Pick<
  IssuanceContext<FormatInput & { readonly private_key_format: string }>,
  "ca" | "input" | "checker"
>): Promise<{ readonly format: CertificateFormat; readonly asPkcs8: boolean }> {
  const format = await formatFor({ ca, input, checker });
  const asPkcs8 = readChecked(
    checker,
    { rule: "private_key_format", input: input.private_key_format },
    () => wantsPkcs8(input.private_key_format),
    () => false,
  );
  return { format, asPkcs8 };
}

/** Checks `private_key_format`: whether PKCS#8 is wanted. */
export function wantsPkcs8(format: string): boolean {
  if (["", "der", "pem", "pkcs8"].includes(format)) return format === "pkcs8";
  throw new CaError(
    "malformed",
    'the "private_key_format" path parameter must be "der" or "pkcs8"',
  );
}

/** What a dialect chooses of certificates (D 1 rows 4, 5, 7 and 8). */
interface Choices {
  /** A requested lifetime above the maximum: refused, or capped with a warning. */
  readonly overMax: "refuse" | "cap";
  /**
   * What `pem_bundle` holds after the certificate: the issuing CA unless it is a root of this
   * mount, or the whole chain.
   */
  readonly bundle: "issuer" | "chain";
  /** `private_key` with `format=der` and `private_key_format=pkcs8`. */
  readonly derPkcs8: "pem" | "base64";
  /** A common name with more characters than RFC 5280 allows: refused, or issued with a warning. */
  readonly longCommonName: "refuse" | "warn";
}
const documented: Choices = {
  overMax: "refuse",
  bundle: "issuer",
  derPkcs8: "pem",
  longCommonName: "refuse",
};
const choices: Readonly<Record<Dialect["name"], Choices>> = {
  documented,
  library: documented,
  compat: { overMax: "cap", bundle: "chain", derPkcs8: "base64", longCommonName: "warn" },
};
/** What the dialect of a caller chooses of certificates. */
export const choicesOf = (dialect: Dialect): Choices => choices[dialect.name];

/**
 * How the field of a private key is printed: handlers give a PKCS#8 key as PEM, and the compat
 * dialect wants base64 of its DER where DER was asked for.
 */
export const keyPrinting = {
  printedBy: ["format", "private_key_format"],
  print: (
    pem: string | undefined,
    dialect: Dialect,
    sent: Readonly<Record<string, unknown>>,
  ): string | undefined => {
    const wanted = sent["format"] === "der" && sent["private_key_format"] === "pkcs8";
    if (!wanted || choicesOf(dialect).derPkcs8 !== "base64") return pem;
    const [block] = pem === undefined ? [] : decodePem(pem);
    return block ? toBase64(block.der) : pem;
  },
} as const;

/**
 * Notes which certificate a call was about. `serial`: hexadecimal with colons, which the caller is
 * told also where its reply is lost.
 */
export const noteSerial = (caller: Pick<Caller, "note">, serial: string): void =>
  caller.note({ serial: serial.replaceAll(":", "") }, `the serial number is ${serial}`);
