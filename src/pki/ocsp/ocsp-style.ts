import { CaError } from "../../base/errors.ts";
import type { Reply } from "../../wire/call.ts";
import type { RoutedCall, Outcome, RefusedCall, Style } from "../../wire/endpoint.ts";
import { mediaTypeOf, raw } from "../../wire/style.ts";
import { encodeOcspFailure, type OcspFailure } from "../../x509/ocsp-response.ts";
import type { OcspAnswer } from "./ocsp-answer.ts";

const requestType = "application/ocsp-request";
const responseType = "application/ocsp-response";
const unstored = Object.freeze({
  "content-type": responseType,
  "cache-control": "no-store",
} as const);

/** HTTP status codes by OCSP response status (B 2). */
const statuses = {
  malformedRequest: 400,
  internalError: 500,
  tryLater: 503,
  sigRequired: 401,
  unauthorized: 401,
} as const satisfies Record<OcspFailure, number>;
const failed = (why: OcspFailure): Reply => ({
  status: statuses[why],
  headers: unstored,
  body: encodeOcspFailure(why),
  count: (meter) => meter.count("ocsp", [why]),
});
const malformed = new Set(["malformed", "invalid_field", "too_large", "unsupported_media"]);
const unauthorized = new Set(["unauthorized", "forbidden"]);

function refuse(error: unknown, call: RefusedCall): Reply | Promise<Reply> {
  if (!(error instanceof CaError)) return failed("internalError");
  // the mount was deleted concurrently
  if (error.code === "no_route") return raw.refuse(error, call);
  if (malformed.has(error.code)) return failed("malformedRequest");
  return failed(unauthorized.has(error.code) ? "unauthorized" : "internalError");
}

async function read({ call, body }: RoutedCall): Promise<Readonly<Record<string, unknown>>> {
  if (call.method === "GET") return {};
  const type = mediaTypeOf(call.headers.get("content-type"));
  if (type !== requestType)
    throw new CaError("malformed", `the Content-Type of an OCSP request must be ${requestType}`);
  return { request: await body() };
}

function reply(outcome: Outcome, call: RoutedCall): Reply {
  // only OCSP endpoints have this style
  const {
    der,
    etag,
    producedAt,
    since,
    isCurrent,
    statuses: certStatuses,
  } = outcome.data as OcspAnswer;
  const count: Reply["count"] = (meter) => {
    for (const status of certStatuses) meter.count("ocsp", [status]);
  };
  const details = { count, ...(since === undefined ? {} : { since, isCurrent }) };
  if (call.call.method !== "GET") return { status: 200, headers: unstored, body: der, ...details };
  const data = {
    type: responseType,
    bytes: der,
    etag: `"${etag()}"`,
    modified: producedAt * 1000,
    // a revocation may happen between two responses in the same second
    sharesDate: true,
  };
  const { status, body, headers } = raw.reply({ ...outcome, data }, call);
  const own = Object.freeze({ ...headers, "cache-control": "max-age=0, must-revalidate" });
  return { status, body, headers: own, ...details };
}

/** Style for OCSP requests and responses (RFC 6960 appendix A). Errors are OCSP responses too. */
export const ocspStyle = {
  name: "raw",
  accepts: { POST: requestType },
  whole: "request",
  answers: responseType,
  refusesAs: responseType,
  read,
  reply,
  refuse,
} as const satisfies Style;
