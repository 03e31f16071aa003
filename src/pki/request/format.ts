import { CaError } from "../../base/errors.ts";
import type { Case } from "./case.ts";
import { readValue } from "./judge.ts";

/** The encodings a result may have. */
export type Format = "pem" | "der" | "pem_bundle";
/** Checks `format`; the text is what clients know. */
export function readFormat(
  format: string,
  message = 'the "format" path parameter must be "pem", "der", or "pem_bundle"',
): Format {
  if (format === "pem" || format === "der" || format === "pem_bundle") return format;
  throw new CaError("malformed", message);
}
/** The encoding of a leaf's result. */
export const formatFor = ({
  input,
  judge,
}: Pick<Case<{ readonly format: string }>, "input" | "judge">): Format =>
  readValue(
    judge,
    { rule: "format", input: input.format },
    () => readFormat(input.format),
    () => "pem",
  );
/** The encodings of a leaf and of its new key. */
export function formatsFor({
  input,
  judge,
}: Pick<
  Case<{ readonly format: string; readonly private_key_format: string }>,
  "input" | "judge"
>): {
  readonly format: Format;
  readonly asPkcs8: boolean;
} {
  const format = formatFor({ input, judge });
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
