import { decodePem } from "../base/pem.ts";
import { toBase64 } from "../base/bytes.ts";

/**
 * What the way of carrying the token decides (D 1): how replies are printed, and two choices that
 * handlers read by name. Stored rows never depend on it.
 */
export interface Dialect {
  readonly name: "documented" | "compat" | "library";
  readonly expiration: "text" | "number";
  readonly warnings: "text" | "list";
  readonly durations: "text" | "number";
  /** A requested lifetime above the maximum: refused, or capped with a warning. */
  readonly overMax: "refuse" | "cap";
  /**
   * What `pem_bundle` holds after the certificate: the issuing CA unless it is a root of this
   * mount, or the whole chain.
   */
  readonly bundle: "issuer" | "chain";
  /** `private_key` with `format=der` and `private_key_format=pkcs8`. */
  readonly derPkcs8: "pem" | "base64";
  /**
   * An issuer or key reference that names nothing answers 500 where the documents say 400 or 404.
   */
  readonly compatStatus: boolean;
}

const documented: Dialect = {
  name: "documented",
  expiration: "text",
  warnings: "text",
  durations: "text",
  overMax: "refuse",
  bundle: "issuer",
  derPkcs8: "pem",
  compatStatus: false,
};
const compat: Dialect = {
  name: "compat",
  expiration: "number",
  warnings: "list",
  durations: "number",
  overMax: "cap",
  bundle: "chain",
  derPkcs8: "base64",
  compatStatus: true,
};
/** The dialect of the typed library: numbers and arrays, and refusals rather than caps. */
export const library: Dialect = {
  ...documented,
  name: "library",
  expiration: "number",
  warnings: "list",
  durations: "number",
};

/**
 * The token of a request and the dialect that its header selects. `X-Service-Token` wins over the
 * others.
 */
export function readToken(header: (name: string) => string | null): {
  token: string | undefined;
  dialect: Dialect;
} {
  const service = header("x-service-token");
  if (service !== null && service !== "") return { token: service, dialect: documented };
  const product = header("x-vault-token");
  if (product !== null && product !== "") return { token: product, dialect: compat };
  const authorization = header("authorization");
  if (authorization?.startsWith("Bearer "))
    return { token: authorization.slice(7).trim(), dialect: compat };
  return { token: undefined, dialect: { ...compat, compatStatus: false } };
}

const inOneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join(" ");

/**
 * The warnings of a reply: one text with a line each, or a list; null or "" when there are none.
 */
export function printWarnings(warnings: readonly string[], dialect: Dialect): unknown {
  if (dialect.warnings === "list") return warnings.length ? warnings : null;
  return warnings.map(inOneLine).join("\n");
}

/**
 * Handlers give a PKCS#8 key as PEM; the compat dialect wants base64 DER when DER was asked for.
 */
export function printPrivateKey(
  data: Record<string, unknown>,
  input: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): Record<string, unknown> {
  const key = data["private_key"];
  if (
    dialect.derPkcs8 !== "base64" ||
    input["format"] !== "der" ||
    input["private_key_format"] !== "pkcs8" ||
    typeof key !== "string"
  )
    return data;
  const [block] = decodePem(key);
  return block ? { ...data, private_key: toBase64(block.der) } : data;
}
