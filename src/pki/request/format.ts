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

/** An encoding of a result. */
type Format = "pem" | "der" | "pem_bundle";
/** An encoding of a certificate: PEM, DER, a PEM bundle or an archive. */
export type CertificateFormat = Format | RequestedArchive;
/** The request fields that select the encoding of a certificate. */
export type FormatInput = ArchiveInput & { readonly format: string };
/**
 * Parses `format`. Throws `malformed` with `message`, whose default is the message that clients
 * expect.
 */
export function readFormat(
  format: string,
  message = 'the "format" path parameter must be "pem", "der", or "pem_bundle"',
): Format {
  if (format === "pem" || format === "der" || format === "pem_bundle") return format;
  throw new CaError("malformed", message);
}
const isArchive = (format: string): format is ArchiveFormat =>
  format === "pkcs12_bundle" || format === "jks_bundle";
/**
 * Warning about the default encoder: many programs cannot open its archives, and report a wrong
 * password.
 */
const fewReaders =
  "archives of pkcs12_encoder modern2026 (PBMAC1) can be opened by OpenSSL 3.4 and later, but not by Java, Windows, NSS (Firefox) or older OpenSSL; use modern2023 for those";

/** Parses `format`, including the archive formats and their options (A 6.9). */
export async function readCertificateFormat(
  { mount, input, caller }: Pick<IssuanceContext<FormatInput>, "mount" | "input" | "caller">,
  message?: string,
): Promise<CertificateFormat> {
  const { format } = input;
  if (!isArchive(format)) return readFormat(format, message);
  const { readArchiveRequest } = await import("../../archive/requested-archive.ts");
  const archive = readArchiveRequest(format, input, mount.ports);
  if (format === "pkcs12_bundle" && input.pkcs12_encoder === "modern2026")
    caller.reply.warn(fewReaders);
  return archive;
}
/** Returns the requested encoding of a leaf certificate. */
export async function formatFor({
  mount,
  input,
  caller,
  checker,
}: Omit<IssuanceContext<FormatInput>, "config">): Promise<CertificateFormat> {
  const { format } = input;
  const read = isArchive(format)
    ? await settle(readCertificateFormat({ mount, input, caller }))
    : () => readFormat(format);
  return readChecked(checker, { rule: "format", input: format }, read, () => "pem");
}
/** Returns the requested encodings of a leaf certificate and its new key. */
export async function formatsFor({
  mount,
  input,
  caller,
  checker,
}: Omit<
  IssuanceContext<FormatInput & { readonly private_key_format?: string | undefined }>,
  "config"
>): Promise<{ readonly format: CertificateFormat; readonly asPkcs8: boolean }> {
  const format = await formatFor({ mount, input, caller, checker });
  const asPkcs8 = readChecked(
    checker,
    { rule: "private_key_format", input: input.private_key_format ?? "" },
    () => wantsPkcs8(input.private_key_format, caller.dialect),
    () => false,
  );
  return { format, asPkcs8 };
}

/**
 * Parses `private_key_format`, whose default depends on the dialect, and reports whether it selects
 * PKCS#8.
 */
export function wantsPkcs8(format: string | undefined, dialect: Dialect): boolean {
  if (format === undefined) return choicesOf(dialect).privateKeys === "pkcs8";
  if (["", "der", "pem", "pkcs8"].includes(format)) return format === "pkcs8";
  throw new CaError(
    "malformed",
    'the "private_key_format" path parameter must be "der" or "pkcs8"',
  );
}

/** The differences between dialects when issuing certificates (D 1 rows 4, 5, 7 and 8). */
interface Choices {
  /** Handling of a lifetime above the maximum: rejected, or capped with a warning. */
  readonly overMax: "refuse" | "cap";
  /**
   * The certificates that follow the leaf in `pem_bundle`: the issuing CA unless it is a root of
   * this mount (`issuer`), or the whole chain (`chain`).
   */
  readonly bundle: "issuer" | "chain";
  /** The encoding of a private key if the request does not specify one. */
  readonly privateKeys: "traditional" | "pkcs8";
  /** Encoding of a PKCS#8 key in `private_key` with `format=der`. */
  readonly derPkcs8: "pem" | "base64";
  /** Handling of a common name longer than RFC 5280 allows: rejected, or issued with a warning. */
  readonly longCommonName: "refuse" | "warn";
}
const documented: Choices = {
  overMax: "refuse",
  bundle: "issuer",
  privateKeys: "traditional",
  derPkcs8: "pem",
  longCommonName: "refuse",
};
const choices: Readonly<Record<Dialect["name"], Choices>> = {
  documented,
  // the format that WebCrypto and JavaScript programs import
  library: { ...documented, privateKeys: "pkcs8", derPkcs8: "base64" },
  compat: {
    overMax: "cap",
    bundle: "chain",
    privateKeys: "traditional",
    derPkcs8: "base64",
    longCommonName: "warn",
  },
};
/** Returns the options of a caller's dialect. */
export const choicesOf = (dialect: Dialect): Choices => choices[dialect.name];

/**
 * Formats a private key for responses. Handlers return PKCS#8 as PEM; the library and compat
 * dialects return base64 DER if DER was requested.
 */
export const keyPrinting = {
  printedBy: ["format"],
  print: (
    pem: string | undefined,
    dialect: Dialect,
    sent: Readonly<Record<string, unknown>>,
  ): string | undefined => {
    if (sent["format"] !== "der" || choicesOf(dialect).derPkcs8 !== "base64") return pem;
    const [block] = pem === undefined ? [] : decodePem(pem);
    return block ? toBase64(block.der) : pem;
  },
} as const;

/** The parts of an issued certificate that audit events contain besides its serial number. */
interface IssuedParts {
  /** ID of the issuer. */
  readonly issuer?: string;
  readonly role?: string;
  /** Names in the certificate. The event contains their hashes. */
  readonly names?: readonly string[];
}
/**
 * Adds the certificate that a request issued to the audit entry: its serial number (hexadecimal
 * with colons) and its other parts, if any. If the response cannot be wrapped, the error states the
 * serial number.
 */
export function noteSerial(
  { audit }: Pick<Caller, "audit">,
  serial: string,
  { issuer, role = "", names }: IssuedParts = {},
): void {
  if (names) audit.draft?.({ names });
  audit.note(
    {
      serial: serial.replaceAll(":", ""),
      ...(issuer !== undefined && { issuer }),
      ...(role !== "" && { role }),
    },
    `the serial number is ${serial}`,
  );
}
