import { CaError, statusOfRefusal, type Refusal } from "../base/errors.ts";
import type { Call, Reply } from "../wire/call.ts";
import type { RoutedCall, Outcome, RawReply, RefusedCall, Style } from "../wire/endpoint.ts";
import { mediaTypeOf } from "../wire/style.ts";

const requestType = "application/pkcs10";
const plainType = "text/plain";
/** Value of `WWW-Authenticate`: the challenge for Basic authentication (RFC 7617). */
const challenge = 'Basic realm="EST", charset="UTF-8"';

async function read({ call, body }: RoutedCall): Promise<Readonly<Record<string, unknown>>> {
  if (call.method === "GET") return {};
  // a page of another origin cannot send this media type without a CORS preflight, even if the
  // browser has stored credentials
  if (mediaTypeOf(call.headers.get("content-type")) !== requestType)
    throw new CaError(
      "unsupported_media",
      `the Content-Type of an EST request must be ${requestType}`,
    );
  return { csr: await body() };
}

function reply({ data }: Outcome): Reply {
  if (data === undefined || data === null)
    return { status: 204, headers: { "cache-control": "no-store" }, body: null };
  // only endpoints whose handlers return a RawReply use this style
  const { type, bytes } = data as RawReply;
  return {
    status: 200,
    headers: {
      "content-type": type,
      "content-transfer-encoding": "base64",
      "cache-control": "no-store",
    },
    body: bytes,
  };
}

/**
 * Reports whether a client has sent credentials. For a client without credentials, the 401 response
 * has no body, because the client does not need a message and some clients fail if there is a body.
 */
const offersCredentials = (call: Call): boolean =>
  call.headers.get("authorization") !== null || (call.peer?.tlsChain?.length ?? 0) > 0;
/** Errors after which a client may try again. */
const temporaryRefusals: ReadonlySet<Refusal> = new Set(["busy", "too_many_requests"]);
/** Returns an error as a plain-text response, as RFC 7030 section 4.2.3 requires. */
function refuse(error: unknown, { call, requestId }: RefusedCall): Reply {
  const refusal = error instanceof CaError ? error : undefined;
  const status = refusal ? statusOfRefusal(refusal.code, call.method === "GET") : 500;
  const isEmpty = status === 401 && !offersCredentials(call);
  return {
    status,
    headers: {
      ...(isEmpty ? { "content-length": "0" } : { "content-type": `${plainType}; charset=utf-8` }),
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...(status === 401 ? { "www-authenticate": challenge } : {}),
      ...(refusal && temporaryRefusals.has(refusal.code)
        ? { "retry-after": String(refusal.retryAfter) }
        : {}),
    },
    body: isEmpty ? null : `${refusal ? refusal.message.trim() : "internal error"}\n`,
  };
}

/** The style for EST (RFC 7030 section 4): base64 bodies, and errors as plain text. */
export const estStyle = {
  name: "raw",
  accepts: { POST: requestType },
  whole: "csr",
  otherMethods: "method not allowed",
  refusesAs: plainType,
  read,
  reply,
  refuse,
} as const satisfies Style;
