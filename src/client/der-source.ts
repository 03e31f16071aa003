import { toBase64 } from "../base/bytes.ts";
import { encodePem } from "../base/pem.ts";

/** DER, or an object that contains DER, such as an object of `@peculiar/x509`. */
export type DerSource =
  | Uint8Array
  | ArrayBuffer
  | {
      /** DER. */
      readonly rawData: ArrayBuffer | Uint8Array<ArrayBuffer>;
    };

/** Request members that are PEM, with the label for their DER. */
export const pemLabels: Readonly<Record<string, string>> = {
  csr: "CERTIFICATE REQUEST",
  certificate: "CERTIFICATE",
  pem_bundle: "CERTIFICATE",
  crls: "X509 CRL",
};
/** Request members that are bytes in base64. */
export const base64Members: ReadonlySet<string> = new Set(["pkcs12"]);
/** Request members that are lists, separated by commas. */
export const commaMembers: ReadonlySet<string> = new Set(["alt_names"]);

/** Reports whether a client converts a member of a request. */
export const isConverted = (name: string): boolean =>
  Object.hasOwn(pemLabels, name) || base64Members.has(name) || commaMembers.has(name);

/**
 * Converts a request member to the form that the API expects: DER to PEM, and some lists to text.
 */
export function toMember(name: string, value: unknown): unknown {
  const label = Object.hasOwn(pemLabels, name) ? pemLabels[name] : undefined;
  const toText = (one: unknown): unknown => {
    const der = bytesOf(one);
    if (der === undefined) return one;
    return label === undefined ? toBase64(der) : encodePem(label, der);
  };
  if (label === undefined && !base64Members.has(name))
    return Array.isArray(value) && commaMembers.has(name) ? value.join(",") : value;
  if (!Array.isArray(value)) return toText(value);
  const texts = value.map(toText);
  return name === "crls" ? texts : texts.join("\n");
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  // the value may come from another realm, such as a frame
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]")
    return new Uint8Array(value as ArrayBuffer);
  const isHolder = typeof value === "object" && value !== null && "rawData" in value;
  return isHolder ? bytesOf(value.rawData) : undefined;
}
