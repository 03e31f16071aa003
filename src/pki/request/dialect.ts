import { toBase64 } from "../../base/bytes.ts";
import { decodePem } from "../../base/pem.ts";
import type { Dialect } from "../../wire/dialect.ts";

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
