import { fromBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { bytes } from "../../wire/field.ts";
import { maxOcspRequest } from "../../x509/ocsp-request.ts";
import { answerOcsp } from "./ocsp-answer.ts";
import { ocspStyle } from "./ocsp-style.ts";

const open = { access: "open", style: ocspStyle, reply: {}, refuses: ["unauthorized"] } as const;
const asking = {
  ...open,
  body: { request: bytes.required("OCSP request, DER.") },
  bodyLimits: { bytes: maxOcspRequest, members: 0 },
} as const;
const reading = { ...open, body: {}, rawRest: true } as const;

export const askOcsp = endpoint({
  ...asking,
  id: "askOcsp",
  at: ["POST /ocsp"],
  doc: "Responds to an OCSP request for certificates of this mount.",
  audits: false,
  run: (mount, { request }) => answerOcsp(mount, request, false),
});

export const readOcsp = endpoint({
  ...reading,
  id: "readOcsp",
  at: ["GET /ocsp/:request+"],
  doc: "Responds to an OCSP request in the URL path, base64.",
  run: (mount, { request }) => answerOcsp(mount, requestIn(request), false),
});

export const askUnifiedOcsp = endpoint({
  ...asking,
  id: "askUnifiedOcsp",
  at: ["POST /unified-ocsp"],
  doc: "Responds to an OCSP request for certificates of all clusters, if `unified_crl` is enabled.",
  audits: false,
  run: (mount, { request }) => answerOcsp(mount, request, true),
});

export const readUnifiedOcsp = endpoint({
  ...reading,
  id: "readUnifiedOcsp",
  at: ["GET /unified-ocsp/:request+"],
  doc: "Responds to an OCSP request in the URL path, base64, for certificates of all clusters, if `unified_crl` is enabled.",
  run: (mount, { request }) => answerOcsp(mount, requestIn(request), true),
});

/**
 * Decodes the OCSP request in the rest of a URL path: base64, with or without padding. Ignores
 * leading slashes, which come from an OCSP URL that ends with a slash; no encoded request begins
 * with a slash. Throws `malformed` for anything else.
 */
function requestIn(rest: string): Uint8Array {
  const refuse = () =>
    new CaError("malformed", "the URL path is not a base64-encoded OCSP request");
  if (rest.length > maxOcspRequest) throw refuse();
  let text;
  try {
    text = decodeURIComponent(rest);
  } catch {
    throw refuse();
  }
  const digits = text.replace(/^\/+/, "").replace(/=+$/, "");
  const request = fromBase64(digits.padEnd(Math.ceil(digits.length / 4) * 4, "="));
  if (!request) throw refuse();
  return request;
}
