import type { ArchiveInput, AskedArchive } from "../../archive/asked.ts";
import { CaError } from "../../base/errors.ts";
import type { Case } from "./case.ts";
import { readValue, settled } from "./judge.ts";

/** The encodings a result may have. */
export type Format = "pem" | "der" | "pem_bundle";
/** The encodings of a certificate: one of those, or an archive as it was asked for. */
export type CertificateFormat = Format | AskedArchive;
/** What a request says of the encoding of a certificate. */
export type FormatInput = ArchiveInput & { readonly format: string };
/** Checks `format`; the text is what clients know. */
export function readFormat(
  format: string,
  message = 'the "format" path parameter must be "pem", "der", or "pem_bundle"',
): Format {
  if (format === "pem" || format === "der" || format === "pem_bundle") return format;
  throw new CaError("malformed", message);
}
/** Checks `format` where archives are offered too, and what belongs to them (A 6.9). */
export async function readCertificateFormat(
  { ca, input }: Pick<Case<FormatInput>, "ca" | "input">,
  message?: string,
): Promise<CertificateFormat> {
  const { format } = input;
  if (format !== "pkcs12_bundle" && format !== "jks_bundle") return readFormat(format, message);
  const { askedArchive } = await import("../../archive/asked.ts");
  return askedArchive(format, input, ca.ports);
}
/** The encoding of a leaf's result. */
export async function formatFor({
  ca,
  input,
  judge,
}: Pick<Case<FormatInput>, "ca" | "input" | "judge">): Promise<CertificateFormat> {
  const read = await settled(readCertificateFormat({ ca, input }));
  return readValue(judge, { rule: "format", input: input.format }, read, () => "pem");
}
/** The encodings of a leaf and of its new key. */
export async function formatsFor({
  ca,
  input,
  judge,
}: Pick<
  Case<FormatInput & { readonly private_key_format: string }>,
  "ca" | "input" | "judge"
>): Promise<{ readonly format: CertificateFormat; readonly asPkcs8: boolean }> {
  const format = await formatFor({ ca, input, judge });
  const asPkcs8 = readValue(
    judge,
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
