import { CaError, statusOfRefusal, type Refusal } from "../base/errors.ts";
import type { Call, Reply } from "../wire/call.ts";
import type { RoutedCall, Outcome, RawReply, RefusedCall, Style } from "../wire/endpoint.ts";
import { mediaTypeOf } from "../wire/style.ts";

const requestType = "application/pkcs10";
const plainType = "text/plain";
/** The header that requests a user name and password (RFC 7617). */
const challenge = 'Basic realm="EST", charset="UTF-8"';

async function read({ call, body }: RoutedCall): Promise<Readonly<Record<string, unknown>>> {
  if (call.method === "GET") return {};
  // a page of another origin cannot send this type without a preflight, whatever credentials its
  // browser has stored
  if (mediaTypeOf(call.headers.get("content-type")) !== requestType)
    throw new CaError("unsupported_media", `send Content-Type: ${requestType}`);
  return { csr: await body() };
}

function reply({ data }: Outcome): Reply {
  if (data === undefined || data === null)
    return { status: 204, headers: { "cache-control": "no-store" }, body: null };
  // only endpoints whose handlers return this type have the style
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
 * Reports whether a client has sent credentials. One that has not only learns how to send them: it
 * has no use for a text, and some fail where a body comes.
 */
const offersCredentials = (call: Call): boolean =>
  call.headers.get("authorization") !== null || (call.peer?.tlsChain?.length ?? 0) > 0;
/** Refusals after which a client may try again. */
const temporaryRefusals: ReadonlySet<Refusal> = new Set(["busy", "too_many_requests"]);
/** Responds with an error as readable text, as RFC 7030 section 4.2.3 requires. */
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

/** EST requests and replies (RFC 7030 section 4): base64 bodies, and errors as plain text. */
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
