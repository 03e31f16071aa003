/**
 * An error that means that the server cannot be reached or its certificate was rejected.
 * Printed as one sentence.
 */
export class UnreachableError extends Error {
  constructor(text: string) {
    super(text);
    this.name = "UnreachableError";
  }
}

/** An error response to a request that was sent without the typed client. */
export class RejectedError extends Error {
  constructor(text: string) {
    super(text);
    this.name = "RejectedError";
  }
}

/** Error codes of Node and OpenSSL for a certificate chain that does not end at a trusted root. */
const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused; start the server, or check the address",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "host name not found",
  ECONNRESET: "the connection was closed",
  EPROTO: "the TLS handshake failed; use http:// if the server does not use TLS",
  ERR_SSL_WRONG_VERSION_NUMBER:
    "the TLS handshake failed; use http:// if the server does not use TLS",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clock of this machine",
};

/**
 * Describes the cause of a failed request, and what to do about it if that is known. The text has
 * no full stop.
 * @param url URL of the request, if known
 */
export function describeNetworkError(error: unknown, url = ""): string {
  if (!(error instanceof Error)) return String(error);
  // the errors of fetch, and of connections to several addresses, wrap the cause
  const inner =
    error instanceof AggregateError ? (error.errors[0] as unknown) : (error.cause ?? undefined);
  const { code = "" } = (inner instanceof Error ? inner : error) as NodeJS.ErrnoException;
  if (untrusted.has(code))
    return `its certificate is signed by a CA that this machine does not trust (${code}); set --ca or SEALWRIGHT_CACERT to a file with the root`;
  // a TLS server closes a connection that begins with a plain HTTP request
  if (code === "ECONNRESET" && url.startsWith("http:"))
    return `${hints[code]}; use https:// if the server uses TLS`;
  return hints[code] ?? (inner instanceof Error ? inner : error).message.replace(/\.$/, "");
}
