import { fromBase64 } from "../../src/base/bytes.ts";
import { readDer } from "../../src/base/der.ts";
import { badRequest } from "./request-line.ts";

/** Maximum number of certificates in a client's chain. */
export const maxChain = 10;

/**
 * Parses the client certificates that a proxy forwards (RFC 9440). Returns them as DER, beginning
 * with the client's own. Returns an empty list if the client presented none. Throws {@link
 * HttpError} for malformed fields.
 */
export function certificatesInFields(fields: ReadonlyMap<string, string>): readonly Uint8Array[] {
  const own = fields.get("client-cert") ?? "";
  const rest = fields.get("client-cert-chain") ?? "";
  if (isNone(own)) {
    if (!isNone(rest)) throw badRequest("Client-Cert-Chain is present without Client-Cert");
    return [];
  }
  const others = isNone(rest) ? [] : rest.split(",");
  if (others.length >= maxChain)
    throw badRequest(`Client-Cert-Chain has more than ${maxChain - 1} certificates`);
  return [ownIn(own), ...others.map((one) => byteSequence(one.trim(), "Client-Cert-Chain"))];
}

/**
 * Reports whether a field contains no certificate. Proxies that fill in a template send an empty
 * byte sequence.
 */
const isNone = (value: string): boolean => value === "" || value === "::";

function ownIn(value: string): Uint8Array {
  // repeated fields were joined with commas
  if (value.includes(",")) throw badRequest("there is more than one Client-Cert field");
  return value.startsWith("-----BEGIN") ? escapedPem(value) : byteSequence(value, "Client-Cert");
}

/** Decodes a byte sequence (RFC 8941 section 3.3.5) without parameters. */
function byteSequence(text: string, name: string): Uint8Array {
  const [, base64 = ""] = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(text) ?? [];
  return certificateIn(base64, name);
}

/** Decodes nginx's `$ssl_client_escaped_cert`: one percent-encoded PEM block. */
function escapedPem(text: string): Uint8Array {
  const [, base64 = ""] =
    /^-----BEGIN%20CERTIFICATE-----%0A((?:[A-Za-z0-9]|%2B|%2F|%3D|[+/=]|%0A)+)%0A-----END%20CERTIFICATE-----(?:%0A)?$/.exec(
      text,
    ) ?? [];
  return certificateIn(decodeURIComponent(base64).replaceAll("\n", ""), "Client-Cert");
}

function certificateIn(base64: string, name: string): Uint8Array {
  const der = base64 === "" ? undefined : fromBase64(base64);
  if (!der || !isSequence(der)) throw badRequest(`${name} does not contain a certificate`);
  return der;
}

/** Reports whether bytes are exactly one DER SEQUENCE. The engine validates its contents. */
function isSequence(der: Uint8Array): boolean {
  try {
    const reader = readDer(der, "certificate");
    reader.enter("Certificate");
    return reader.tag === undefined;
  } catch {
    return false;
  }
}
